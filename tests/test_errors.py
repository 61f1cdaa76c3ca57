"""No error is longer than a person reads, whatever is named in it; its end says what to do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rivae.app.forms.sweep import parse_seeds
from rivae.base.config import parse_config, run_config, training_config
from rivae.base.errors import LONGEST, ConfigError, RivaeError, RunError, shortened, shown, some_of
from rivae.base.reading.documents import parse_json
from rivae.cli.bench import count_or_range
from rivae.cli.common import parse_settings
from rivae.data import load_dataset
from rivae.data.conditions import read_conditions
from rivae.data.store import find_store
from rivae.data.store.manifest import checked_name
from rivae.evaluation.choice import rank_runs
from rivae.jobs.launch import make_config
from rivae.labels.database import parse_url
from rivae.models.presets import find_preset
from rivae.models.registry import METHODS, method_config
from rivae.retrieval.ranges import parse_range, require_range
from rivae.runs import find_run
from rivae.runs.folders import own_run
from rivae.runs.named_files import read_path

FIX = "choose another one, with --name"
LONG = st.builds(
    lambda part, n, end: part * n + end,
    st.text(min_size=1, max_size=6),
    st.integers(1, 2_000),
    st.text(max_size=30),
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(name=LONG, other=LONG, names=st.lists(st.text(max_size=30), max_size=300))
def test_the_end_of_any_sentence_survives(name, other, names):
    for sentence in (
        f"nothing is called '{name}': {FIX}",
        f"{name} is not {other}: {FIX}",
        f"{', '.join(names)}: {FIX}",
        f"take {', '.join(names)}, but not '{name}': {FIX}",
    ):
        error = str(RunError(sentence))
        assert len(error) <= LONGEST and error.endswith(FIX)
        assert shortened(error) == error
        # A second error around it is no longer.
        assert len(str(RunError(f"run {other}: {ConfigError(sentence)}"))) <= LONGEST
    assert len(shown(name)) <= 80 and len(shown(name, 20)) <= 20


def test_a_short_sentence_stays_as_it_is():
    for sentence in ("", "a: b", "α × β – 3 %", "x" * LONGEST):
        assert str(RivaeError(sentence)) == sentence
    assert "\x1b" not in str(RivaeError("a\x1b[2Jb")) and "\0" not in shown("a\0b")


def test_lists_name_the_nearest_first_and_count_the_rest():
    names = [f"setting_{i}" for i in range(40)] + ["epochs"]
    said = some_of(names, "epoch")
    assert said.startswith("epochs") and said.endswith(f"{len(names) - 8} others")
    assert some_of(["b", "a"], "a") == "b, a" and "none" in some_of([])


REFUSE = {
    "run": find_run,
    "own run": own_run,
    "data set": load_dataset,
    "data setting": lambda text: load_dataset("synth", **{text: 1}),
    "data value": lambda text: load_dataset("synth", n_pairs=text),
    "store": find_store,
    "store name": checked_name,
    "conditions": lambda text: read_conditions(f"{text} >= {text}", ()),
    "method": METHODS.__getitem__,
    "setting": lambda text: method_config("rivae", {text: 1}),
    "value": lambda text: method_config("rivae", {"init": text}),
    "inner setting": lambda text: method_config("rivae", {"embedder": {text: text}}),
    "preset": lambda text: find_preset("synth", "rivae", text),
    "training": lambda text: training_config({text: text}),
    "device": lambda text: training_config({"device": text}),
    "name": lambda text: run_config(name=text + " ", dataset={"name": "synth"}),
    "configuration": lambda text: parse_config(text, text),
    "parts": lambda text: make_config("synth", name="x", dataset_settings={text: text}),
    "range": lambda text: parse_range(f"{text},x"),
    "named range": lambda text: require_range(text + "?"),
    "count": lambda text: count_or_range(text + "?", text),
    "seeds": lambda text: parse_seeds(text + "?"),
    "pairs": lambda text: parse_settings([text.replace("=", "")]),
    "group": lambda text: parse_settings([f"?{text.replace('=', '').replace('.', '')}.a=1"]),
    "json": lambda text: parse_json(text + "{"),
    "labels": lambda text: parse_url(f"nothing://{text}"),
    "file": lambda text: read_path(text + "?", text),
    "choice": lambda text: rank_runs([find_run("demo-synth")] * 2, similarity=text),
}


PARTS = {"parts"}  # settings of data are checked when the data are loaded


@pytest.mark.parametrize("what", REFUSE)
@settings(max_examples=15, deadline=None)
@given(text=LONG)
def test_no_reader_answers_with_a_long_sentence(what, text):
    try:
        REFUSE[what](text)
    except RivaeError as error:
        said = str(error)
    else:
        said = "fine"  # a short one may be a name
    assert 0 < len(said) <= LONGEST and (len(text) < 100 or said != "fine" or what in PARTS)
