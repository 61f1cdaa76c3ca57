"""A trained run and its archive, for the tests of archives."""

import io
import json

import pytest

from rivae.data.tokenizer import newest
from rivae.data.vocabulary import counted
from rivae.jobs.launch import train
from rivae.runs.added_axes import ADDED_AXES
from rivae.runs.archive import export_run
from rivae.runs.data_record import VOCABULARY
from rivae.runs.evaluation_file import FILES, Evaluation, Settings
from rivae.runs.notes import keep_about
from rivae.runs.results import Result
from rivae.runs.selections import keep_selection
from tests.training.tiny import files_of, tiny_config


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """A trained run with everything that an archive may hold."""
    (made,) = train([tiny_config("whole")], tmp_path_factory.mktemp("from"))
    scores = {"recall_at_1": Result(score=0.5)}
    for asks in FILES:
        made.write_evaluation(Evaluation(retrieval=scores, settings=Settings(asks=asks)))
    keep_about(made, note="mine", tags=["a"])
    names = {"version": 1, "axes": [{"dim": 0, "name": "x", "direction": 1}]}
    (made.path / "axis_names.json").write_text(json.dumps(names))
    added = {"version": 1, "model": made.model_key, "axes": []}
    (made.path / ADDED_AXES).write_text(json.dumps(added))
    keep_selection(made, [0, 2], "two")
    known = counted(newest(), ("soup", "बो"), (2, 1), 3)
    (made.path / VOCABULARY).write_text(known.model_dump_json())
    (made.path / "secret.txt").write_text("not of a run")
    return made


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """The files of the run that dispatchers train, here without interruption or dispatcher."""
    from tests.jobs.test_dispatcher import config

    return files_of(train([config()], tmp_path_factory.mktemp("whole"))[0])


@pytest.fixture(scope="module")
def packed(whole_run):
    stream = io.BytesIO()
    export_run(whole_run, stream)
    return stream.getvalue()
