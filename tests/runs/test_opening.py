"""What is out of reach is said in a sentence, wherever a path of a run or import is looked at."""

import errno
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.config import DatasetConfig
from rivae.base.errors import RivaeError
from rivae.data import load_dataset
from rivae.data.store import Manifest, find_store, list_stores
from rivae.jobs.archive_import import import_run
from rivae.runs import Run, list_runs, opening
from rivae.runs.archive import export_run
from rivae.runs.named_files import is_open, names_file, require_open
from tests.training.tiny import untrained_run

NUMBERS = [
    errno.EACCES,
    errno.EPERM,
    errno.EIO,
    errno.ESTALE,
    errno.ENOTCONN,
    errno.ETIMEDOUT,
    errno.EHOSTDOWN,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.ENOTDIR,
    errno.ENOENT,
]
# As JSON may hold them: long, with NULs, dots, slashes, halves of letters.
NAMES = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="./~a\0\ud800é", max_size=20),
    st.sampled_from(
        ["x" * 300, "x" * 5000, "../" * 50, "/" + "d/" * 3000, "~nobody/x", "/dev/null"]
    ),
)


@contextmanager
def dead(folder, number):
    """Whoever looks below ``folder`` gets this error of the system."""

    def refusing(usual):
        def look(path, *rest, **named):
            text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
            if text == str(folder) or text.startswith(f"{folder}{os.sep}"):
                raise OSError(number, os.strerror(number), text)
            return usual(path, *rest, **named)

        return look

    with mock.patch.multiple(
        os, **{name: refusing(getattr(os, name)) for name in ("stat", "lstat", "open", "listdir")}
    ):
        yield


def sentence(error):
    said = str(error)
    assert said and "\n" not in said and len(said) <= 400
    return said


@given(NAMES)
def test_any_text_may_stand_for_an_import(name):
    for ask in (lambda: find_store(name), lambda: load_dataset("pairs", store=name)):
        with pytest.raises(RivaeError) as refused:
            ask()
        sentence(refused.value)
    assert names_file("store", name) in (True, False) and is_open(name) in (True, False)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_import_out_of_reach_says_why(small_store, number, tmp_path):
    place = shutil.copytree(small_store, tmp_path / "data" / "mine")
    said = os.strerror(number) if number not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP) else ""
    with dead(place, number):
        for ask in (
            lambda: find_store("mine", tmp_path / "data"),
            lambda: find_store(str(place)),
            lambda: load_dataset("pairs", store=str(place)),
            lambda: Manifest.read(place),
        ):
            with pytest.raises(RivaeError) as refused:
                ask()
            assert said in sentence(refused.value)
        listed = list_stores(tmp_path / "data")
        assert listed == ([place] if said else []), "one row among the imports"
    assert list_stores(tmp_path / "data") == [place]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_run_out_of_reach_is_one_row(tmp_path, number):
    good, lost = untrained_run(tmp_path, "good"), untrained_run(tmp_path, "lost")
    (tmp_path / "lost+found").mkdir()
    with dead(lost.path, number), dead(tmp_path / "lost+found", number):
        names = {run.id for run in list_runs([tmp_path])}
        gone = number in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
        assert names == ({"good"} if gone else {"good", "lost"})
        said = opening.trouble(Run(lost.path))
        assert gone or os.strerror(number) in sentence(said)
        assert opening.trouble(Run(good.path)) == ""


@pytest.mark.parametrize("number", NUMBERS)
def test_weights_out_of_reach_are_a_sentence(tmp_path, number):
    run = untrained_run(tmp_path, "run")
    with dead(run.path / "model.safetensors", number):
        for ask in (lambda: run.load_method(), lambda: run.model_key, lambda: run.content_hash):
            with pytest.raises(RivaeError) as refused:
                ask()
            sentence(refused.value)
        run.set_status(state="finished")
        sentence(opening.trouble(run))


@pytest.mark.slow
@given(NAMES, st.sampled_from(["store", "features", "word_vectors", "folder"]))
def test_a_run_from_an_archive_with_any_name_in_it_is_refused_or_one_row(name, setting):

    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        run = untrained_run(root / "there", "run")
        config = json.loads((run.path / "config.json").read_text())
        config["dataset"] = {"name": "pairs", "settings": {"store": "gone", setting: name}}
        (run.path / "config.json").write_text(json.dumps(config))
        try:
            export_run(Run(run.path), root / "archive.zip")
            made = import_run(root / "archive.zip", root / "here").run
        except RivaeError as error:
            sentence(error)
            assert not list((root / "here").glob("*")), "what is refused leaves nothing"
            return
        sentence(opening.trouble(made))
        assert [found.id for found in list_runs([root / "here"])] == [made.id]
        with pytest.raises(RivaeError):
            made.load_dataset()


def test_require_open_does_not_fall_over_a_dead_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_FILES", str(tmp_path))
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    config = untrained_run(tmp_path, "run").config
    config = config.model_copy(
        update={
            "imported": True,
            "dataset": DatasetConfig(name="pairs", settings={"store": "mine"}),
        }
    )
    with dead(tmp_path / "data", errno.EIO):
        require_open(config)
