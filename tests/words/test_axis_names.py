"""Names of axes: given, kept, shown, and as files of strangers."""

import json
import threading
from dataclasses import replace

import pytest

from rivae.base.errors import ConfigError, DataError, RunError
from rivae.exploring.explorer import Explorer
from rivae.exploring.words import axis_names
from rivae.exploring.words.axis_names import (
    ALIGNMENT,
    change_names,
    checked_name,
    given_names,
    labels,
    names_of_axes,
    suggested_names,
)
from rivae.jobs.launch import make_config
from rivae.models.registry import build_method
from rivae.runs import Run
from rivae.runs.axis_names import (
    MAX_BYTES,
    MAX_NAME,
    AxisName,
    Evidence,
    HeldOut,
    read_names,
    to_json,
)

KALE = AxisName(0, "greenness: more kale", 1, (Evidence("kale", "word", 0.6, 1.2, 1e-9),))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """An untrained run of two latents in a folder of runs of its own."""
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    config = make_config("synth", name="named", dataset_settings={"n_pairs": 240})
    made = Run.create(config, tmp_path / "runs")
    data, choice = made.load_dataset(), config.method
    made.write_model(build_method(choice.name, choice.settings, data.x1.shape, data.x2.shape))
    return made


def test_a_name_is_kept_shown_and_taken_away(run):
    explorer = Explorer.open(run)
    assert explorer.axis_names == ["z1", "z2"]
    assert change_names(run, 2, {0: KALE}) == {}
    assert axis_names.axis_names(run, 2) == {0: KALE}
    assert explorer.axis_names == ["z1 · greenness: more kale", "z2"]  # opened before
    assert explorer.axis_ids == ["z1", "z2"]
    assert change_names(Run(run.path), 2, {0: None, 1: None}) == {0: KALE}
    assert explorer.given_names == ["", ""]


def test_a_proposal_is_no_name_until_it_is_accepted(run):
    explorer = Explorer.open(run)
    score = HeldOut(0.8, 0.1, 300)
    proposal = AxisName(1, "dessert", -1, low="savory", proposed=True, held_out=score)
    change_names(run, 2, {1: proposal})
    assert axis_names.axis_names(run, 2) == {1: proposal}
    assert explorer.given_names == ["", ""]
    assert explorer.shown_names == ["", "dessert?"]
    assert explorer.known_names == [None, proposal] and proposal.poles == ("savory", "dessert")
    change_names(run, 2, {1: replace(proposal, proposed=False)})
    assert explorer.given_names == ["", "dessert"]
    assert explorer.axis_names == names_of_axes(run, 2) == ["z1", "−z2 · dessert"]
    assert explorer.signs.tolist() == [1, -1], "dessert falls as z2 grows: −z2 is shown"


def test_words_suggest_names_until_a_person_gives_one(run):
    explorer = Explorer.open(run)
    words = [["ice", "<b>fluid</b>", "vod\u202eka", "vodka", "glass"], []]
    (run.path / ALIGNMENT).write_text(json.dumps({"note": "n", "words": words, "matrix": [[1]]}))
    assert suggested_names(run, 2) == ["ice, <b>fluid</b>, vodka?", ""], "plain, at most three"
    assert explorer.axis_names == names_of_axes(run, 2) == ["z1 · ice, <b>fluid</b>, vodka?", "z2"]
    assert explorer.given_names == ["", ""], "nobody gave it"
    change_names(run, 2, {0: KALE})
    assert explorer.axis_names == ["z1 · greenness: more kale", "z2"]


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"words": 3}', b'{"words": [["a"]]}', b'{"words": [[1], []]}', b"{}"]
)
def test_a_file_without_words_for_these_axes_suggests_nothing(run, content):
    (run.path / ALIGNMENT).write_bytes(content)
    assert suggested_names(run, 2) == ["", ""]
    (run.path / ALIGNMENT).write_text(json.dumps({"words": [["w" * 999] * 9, ["\u0000"]]}))
    long, empty = suggested_names(run, 2)
    assert len(long) <= MAX_NAME and long.endswith("?") and empty == ""


def test_names_belong_to_the_model(run):
    change_names(run, 2, {0: KALE})
    other = build_method(
        "rivae",
        {**run.config.method.settings, "dim_v": 7},
        run.load_dataset().x1.shape,
        run.load_dataset().x2.shape,
    )
    run.write_model(other)
    assert given_names(run, 2) == ["", ""]
    with pytest.raises(DataError, match="another model"):
        axis_names.axis_names(run, 2)
    change_names(run, 2, {1: AxisName(1, "new", 1)})
    assert given_names(run, 2) == ["", "new"]


def test_a_demo_run_is_left_alone_and_its_own_names_are_the_start(run, monkeypatch, tmp_path):
    change_names(run, 2, {0: KALE})
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "runs")
    before = sorted(path.name for path in run.path.iterdir())
    assert given_names(run, 2)[0] == KALE.name
    change_names(run, 2, {1: AxisName(1, "fruit", -1, edited=True)})
    assert given_names(run, 2) == [KALE.name, "fruit"]
    kept = tmp_path / "runs" / "names" / f"named-{run.content_hash}.json"
    assert len(json.loads(kept.read_text())["axes"]) == 2
    assert sorted(path.name for path in run.path.iterdir()) == before
    change_names(run, 2, {0: None, 1: None})
    assert given_names(run, 2) == ["", ""], "names that came with the run can be taken away too"


def test_sessions_that_write_at_once_lose_nothing(run):
    def give(j):
        change_names(Run(run.path), 2, {j: AxisName(j, f"name {j}", 1)})

    for _ in range(5):
        change_names(run, 2, {0: None, 1: None})
        threads = [threading.Thread(target=give, args=(j,)) for j in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert given_names(run, 2) == ["name 0", "name 1"]


def test_a_damaged_file_is_no_obstacle_to_any_page(run):
    for content in (b"{", b"[1]", json.dumps({"version": 1, "axes": [{"dim": 0}]}).encode()):
        (run.path / "axis_names.json").write_bytes(content)
        assert given_names(run, 2) == ["", ""]
        with pytest.raises(DataError):
            axis_names.axis_names(run, 2)
    change_names(run, 2, {1: AxisName(1, "  two\n words ", 1)})
    assert given_names(run, 2) == ["", "two words"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 61, "a\0b", "left\u202eright"])
def test_what_is_no_name_is_refused(run, text):
    with pytest.raises(ConfigError, match="one line of 1 to 60"):
        checked_name(text)
    with pytest.raises(ConfigError):
        change_names(run, 2, {0: AxisName(0, text, 1)})
    with pytest.raises(ConfigError, match="no axis 3"):
        change_names(run, 2, {2: KALE})
    assert not (run.path / "axis_names.json").exists()


def test_a_folder_that_cannot_be_written_is_named(run, monkeypatch, tmp_path):
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "runs")
    (tmp_path / "runs" / "names").write_text("a file where the folder should be")
    with pytest.raises(RunError, match="axis names cannot be written"):
        change_names(run, 2, {0: KALE})


def test_labels():
    assert labels(["z1", "v2", "z3"], ["", "x", "y"], [1, 1, -1]) == ["z1", "v2 · x", "−z3 · y"]


NAMES = (
    AxisName(0, "greenness: more kale", 1, (Evidence("kale", "word", 0.6, 1.2, 1e-9),)),
    AxisName(3, "<b>meine Suppe</b>", -1, (), edited=True),
)


def test_written_and_read_again(tmp_path):
    (tmp_path / "names.json").write_text(json.dumps(to_json(reversed(NAMES))))
    assert read_names(tmp_path / "names.json", 4) == NAMES
    assert read_names((tmp_path / "names.json").read_bytes(), 4) == NAMES


def changed_file(**changes):
    content = json.loads(json.dumps(to_json(NAMES)))
    content["axes"][0].update(changes)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"{}",
        b'{"version": 2, "axes": []}',
        b"[" * 100_000,
        b'{"version": 1, "axes": [], "more": 1}',
        b"\xff\xfe",
        changed_file(name=""),
        changed_file(name="  "),
        changed_file(name="x" * 61),
        changed_file(name="two\nlines"),
        changed_file(name=7),
        changed_file(dim=-1),
        changed_file(dim="0"),
        changed_file(dim=1.5),
        changed_file(direction=0),
        changed_file(edited="yes"),
        changed_file(extra=1),
        changed_file(evidence=[{"term": "a"}]),
        changed_file(evidence=[{"term": "a", "kind": "word", "strength": 7, "shift": 0, "p": 0}]),
        changed_file(evidence=[to_json(NAMES)["axes"][0]["evidence"][0]] * 100),
    ],
)
def test_a_file_of_another_form_is_refused_in_one_sentence(content):
    with pytest.raises(DataError, match="no axis names") as error:
        read_names(content, 4)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_limits_of_the_file_and_the_model(tmp_path):
    with pytest.raises(DataError, match="at most"):
        read_names(b" " * (MAX_BYTES + 1), 4)
    with pytest.raises(DataError, match="axis 4 but the model has 3"):
        read_names(json.dumps(to_json(NAMES)).encode(), 3)
    with pytest.raises(DataError, match="twice"):
        read_names(changed_file(dim=3), 4)
    with pytest.raises(DataError, match="names cannot"):
        read_names(tmp_path / "missing.json", 3)
