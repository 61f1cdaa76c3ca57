import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from rivae.base.errors import ConfigError, DataError
from rivae.exploring.steering import SteerRow
from rivae.exploring.tours import (
    MAX_BYTES,
    MAX_STEPS,
    MAX_TOURS,
    Tour,
    TourStep,
    add_tour,
    change_tour,
    delete_tour,
    from_bytes,
    list_tours,
    read_tour,
    restore_tour,
    to_bytes,
    to_json,
    tours_folder,
    trash_of_tours,
)
from rivae.jobs.deletion import all_deleted, restore
from rivae.runs import list_runs
from rivae.runs.trash import KEPT_DATES


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def step(**changes):
    usual = {
        "heading": "Green soups",
        "note": "Look at <b>kale</b>.\nAnd at peas.",
        "run": "kitchen-1",
        "query": 17,
        "row": SteerRow((2, 0), ("on", -1.5)),
        "n_sigma": 3.0,
    }
    return TourStep(**{**usual, **changes})


def test_a_tour_comes_back_as_it_was_saved(folder):
    saved = add_tour("  Kitchen\ttour ", [step(), step(query="mean", note="")])
    assert saved.id == "kitchen-tour" and saved.title == "Kitchen tour"
    assert read_tour("kitchen-tour") == saved
    assert list_tours()[0].tour == saved
    assert (folder / ".tours" / "kitchen-tour.json").is_file()
    assert list_runs([folder]) == []


def test_ids_are_told_apart_and_safe():
    assert [add_tour(t).id for t in ("A", "a", "../../etc", "Ähren", "…")] == [
        "a",
        "a-2",
        "etc",
        "hren",
        "tour",
    ]


def test_export_and_import_between_machines():
    tour = add_tour("One", [step()])
    assert replace(from_bytes(to_bytes(tour)), id="one") == tour


def test_change_rename_delete():
    tour = add_tour("One", [step()])
    renamed = change_tour(tour.id, lambda t: replace(t, title="Two", steps=(*t.steps, step())))
    assert renamed.id == "one" and read_tour("one").title == "Two"
    assert len(read_tour("one").steps) == 2
    delete_tour("one")
    delete_tour("one")
    assert list_tours() == []
    with pytest.raises(DataError, match="there is no tour 'one'"):
        change_tour("one", lambda t: t)


def test_a_deleted_tour_comes_back_for_30_days(folder):
    tour = add_tour("One", [step()])
    done = delete_tour("one")
    assert list_tours() == [] and [found.id for found in all_deleted()] == [done.id]
    assert (done.kind, done.name, done.bytes) == ("tour", "one", len(to_bytes(tour)))
    assert add_tour("One").id == "one"
    with pytest.raises(DataError, match="there is another tour named one: delete it first"):
        restore_tour(done.id)
    delete_tour("one")
    assert restore(done) == "one" and read_tour("one") == tour
    assert [found.name for found in all_deleted()] == ["one"], "the other of this name stays"
    for day in range(KEPT_DATES + 1):
        trash_of_tours().purge(done.deleted + timedelta(days=day))
    assert all_deleted() == [] and read_tour("one") == tour


def test_a_link_to_a_tour_elsewhere_is_taken_away_only(folder, tmp_path):
    add_tour("One")
    elsewhere = tmp_path / "other.json"
    elsewhere.write_text("mine")
    (tours_folder() / "linked.json").symlink_to(elsewhere)
    assert delete_tour("linked") is None and elsewhere.read_text() == "mine"
    assert [found.id for found in list_tours()] == ["one"] and all_deleted() == []


def test_no_more_than_200_tours_come_back():
    done = (add_tour("One"), delete_tour("one"))[1]
    for n in range(MAX_TOURS):
        (tours_folder() / f"t{n}.json").write_text("{}")
    with pytest.raises(ConfigError, match="there are 200 tours"):
        restore_tour("one")
    assert trash_of_tours().entries() == [done]


def test_a_change_that_is_no_tour_leaves_the_old_one():
    add_tour("One", [step()])
    with pytest.raises(ConfigError, match="at most 60"):
        change_tour("one", lambda t: replace(t, steps=t.steps * (MAX_STEPS + 1)))
    with pytest.raises(ConfigError, match="a title"):
        change_tour("one", lambda t: replace(t, title="\n"))
    assert read_tour("one").title == "One" and len(read_tour("one").steps) == 1


def bad(**changes):
    content = to_json(Tour("One", (step(),)))
    content["steps"][0].update(changes.pop("step", {}))
    return json.dumps({**content, **changes}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"version":1}',
        b"[" * 5000,
        b" " * (MAX_BYTES + 1),
        bad(version=2),
        bad(title=""),
        bad(title="x" * 121),
        bad(title=7),
        bad(more=1),
        bad(steps=[to_json(Tour("One", (step(),)))["steps"][0]] * (MAX_STEPS + 1)),
        bad(step={"heading": ""}),
        bad(step={"heading": "a\u0000b"}),
        bad(step={"note": "x" * 1201}),
        bad(step={"note": "\u001b[31m"}),
        bad(step={"run": "../x"}),
        bad(step={"run": "A B"}),
        bad(step={"query": -1}),
        bad(step={"query": 1.5}),
        bad(step={"query": True}),
        bad(step={"query": "first"}),
        bad(step={"axes": [0, 0]}),
        bad(step={"axes": [-1, 0]}),
        bad(step={"axes": [0]}),
        bad(step={"axes": list(range(6)), "levels": ["on"] * 6}),
        bad(step={"axes": [0, 99999]}),
        bad(step={"levels": ["on", "maybe"]}),
        bad(step={"levels": ["on", 1e9]}),
        bad(step={"levels": ["on", None]}),
        bad(step={"n_sigma": 0}),
        bad(step={"n_sigma": 11}),
        bad(step={"extra": 1}),
    ],
)
def test_a_strangers_bad_file_is_one_sentence(content):
    with pytest.raises(DataError) as caught:
        from_bytes(content)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_what_a_good_file_may_hold():
    made = from_bytes(bad(step={"levels": ["query", 2], "n_sigma": 3, "query": "mean"}))
    assert made.steps[0].row.levels == ("query", 2.0)
    assert from_bytes(bad(title="<script>")).title == "<script>"


def test_a_damaged_file_is_listed_with_its_reason_and_can_be_deleted():
    add_tour("Good")
    (tours_folder() / "bad.json").write_text("{")
    (tours_folder() / "Not An Id.json").write_text("{}")
    good, broken = list_tours()
    assert good.tour.title == "Good" and broken.tour is None and "not a tour" in broken.problem
    delete_tour("bad")
    assert [found.id for found in list_tours()] == ["good"]


@pytest.mark.parametrize("tour_id", ["", "../x", "a/b", "A", "a..b", "a" * 81, "-a", "a\n"])
def test_an_id_never_leads_out_of_the_folder(tour_id):
    for call in (read_tour, delete_tour):
        with pytest.raises(DataError):
            call(tour_id)


def test_there_are_not_more_tours_than_can_be_listed():
    tours_folder().mkdir(parents=True)
    for n in range(MAX_TOURS):
        (tours_folder() / f"t{n}.json").write_bytes(to_bytes(Tour("T")))
    with pytest.raises(ConfigError, match="200 tours"):
        add_tour("One more")


def test_a_folder_that_cannot_be_written_is_a_sentence(folder):
    folder.mkdir()
    (folder / ".tours").write_text("a file in the way")
    with pytest.raises(DataError, match=re.escape(str(folder))):
        add_tour("One")
    assert list_tours() == []


def test_a_tour_that_loses_a_step_or_a_text_can_be_taken_back(folder):
    tour = add_tour("One", [step(), step(heading="Second")])
    kept = []
    change_tour("one", lambda t: replace(t, steps=t.steps[::-1]), kept.append)
    change_tour("one", lambda t: replace(t, steps=(*t.steps, step(heading="Third"))), kept.append)
    assert kept == [], "nothing is lost"
    three = read_tour("one")
    change_tour("one", lambda t: replace(t, steps=t.steps[1:]), kept.append)
    change_tour("one", lambda t: replace(t, title="Two"), kept.append)
    assert [entry.name for entry in kept] == ["one", "one"]
    two = read_tour("one")
    assert restore(kept[0]) == "one" and read_tour("one") == three
    (newest, _) = trash_of_tours().entries()
    assert restore(newest) == "one" and read_tour("one") == two, "what was replaced is kept, too"
    delete_tour("one")
    assert restore(kept[1]) == "one" and read_tour("one").title == tour.title
