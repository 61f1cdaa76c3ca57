"""Names that may be one person's are asked about wherever they enter."""

import unicodedata

import pytest

from rivae.base.errors import LabelError
from rivae.cli import main
from rivae.labels.annotators import (
    AlikeNamesError,
    alike,
    alike_groups,
    names_in_file,
    require_known,
)
from rivae.labels.formats import export
from rivae.labels.merge import import_labels
from rivae.labels.store import LabelStore
from rivae.labels.verdicts import decide
from tests.labels.making import event, undo

JOSE = "José Müller"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "bob"),
        ("Bob", "BOB"),
        ("Bob", "Ｂｏｂ"),
        ("Bob", "Bob "),
        ("Bob Lee", "bob  lee"),
        ("Bob Lee", "Bob\u00a0Lee"),
        (unicodedata.normalize("NFC", JOSE), unicodedata.normalize("NFD", JOSE)),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
    ],
)
def test_spellings_of_one_name_are_alike(one, other):
    assert alike(one, [other, "Eve"]) == (other,) and alike(other, [one]) == (one,)
    assert alike(one, [one]) == ()


@pytest.mark.parametrize(("one", "other"), [("Bob", "Rob"), ("Bob", "B ob"), ("Ann", "Anna")])
def test_other_names_are_not(one, other):
    assert alike(one, [other]) == ()
    assert alike_groups([one, other]) == []


def test_groups_of_alike_names_are_found():
    assert alike_groups(["bob", "Eve", "Bob", "eve", "Ann"]) == [("Bob", "bob"), ("Eve", "eve")]


def test_nobody_is_asked_about_known_names_and_decisions():
    with pytest.raises(AlikeNamesError, match=r"'bob'.*'Bob'") as caught:
        names_in_file({"bob", "Eve"}, {"Bob"}, {})
    assert caught.value.pairs == {"bob": ("Bob",)}
    assert names_in_file({"bob"}, {"Bob"}, {"bob": "Bob"}) == {"bob": "Bob"}
    assert names_in_file({"bob"}, {"Bob"}, {"bob": "bob"}) == {"bob": "bob"}
    assert names_in_file({"bob", "Bob"}, {"Bob", "bob"}, {}) == {"bob": "bob", "Bob": "Bob"}
    with pytest.raises(AlikeNamesError) as caught:
        names_in_file({"bob", "Bob"}, set(), {})
    assert set(caught.value.pairs) == {"bob", "Bob"}
    for whose in ("Bob", "bob"):
        found = names_in_file({"bob", "Bob"}, set(), {"bob": whose})
        assert found == {"bob": whose, "Bob": "Bob"}
    with pytest.raises(LabelError, match="'rob'"):
        names_in_file({"bob"}, {"Bob"}, {"rob": "Bob"})


@pytest.fixture
def store(tmp_path):
    with LabelStore(tmp_path / "labels.db") as opened:
        opened.append([event("Bob", 1, 2)])
        yield opened


def by(store):
    return sorted((c.event.annotator, c.event.item[8:], c.event.level) for c in store.current())


@pytest.mark.parametrize("form", ["events", "long", "wide"])
def test_a_file_with_an_alike_name_is_asked_about_and_stores_nothing(store, tmp_path, form):
    path = tmp_path / ("bob.jsonl" if form == "events" else "bob.csv")
    with LabelStore(tmp_path / "other.db") as other:
        wrong = event("bob", 3, 1)
        other.append([event("bob", 1, 2), event("bob", 2, 5), wrong, undo(wrong)])
        export(other, path, form)
    for dry_run in (True, False):
        with pytest.raises(AlikeNamesError):
            import_labels(store, path, dry_run=dry_run)
    assert by(store) == [("Bob", "1", 2)]
    report = import_labels(store, path, annotators={"bob": "Bob"})
    assert report.n_conflicts == 0 and by(store) == [("Bob", "1", 2), ("Bob", "2", 5)]
    assert import_labels(store, path, annotators={"bob": "Bob"}).added == 0
    assert store.annotators() == ["Bob"]
    if form != "events":  # events keep their ids, which belong to Bob now
        import_labels(store, path, annotators={"bob": "bob"})
        assert store.annotators() == ["Bob", "bob"]


def test_two_spellings_in_one_table_are_one_person_only_if_their_rows_agree(store, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(
        "annotator,item,factor,level\neve,kitchen:1,greenness,2\nEve,kitchen:1,greenness,3\n"
    )
    with pytest.raises(LabelError, match="row 2"):
        import_labels(store, path, annotators={"eve": "Eve"})
    assert import_labels(store, path, annotators={"eve": "eve"}).added == 2


def test_the_command_line_asks_and_takes_an_answer(store, tmp_path, capsys):
    path = tmp_path / "bob.csv"
    path.write_text("annotator,item,factor,level\nBOB,kitchen:2,greenness,4\n")
    words = ["labels", "import", str(path), "--store", str(tmp_path / "labels.db")]
    # A store without plans takes items of installed data sets only: this one is known.
    store.append([event("Bob", 2, 4)])
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "--as 'BOB=Bob'" in said and "--as 'BOB=BOB'" in said
    assert main([*words, "--as", "BOB"]) == 1
    assert main([*words, "--as", "BOB=Bob"]) == 0 and store.annotators() == ["Bob"]
    assert main([*words, "--as", "BOB=BOB"]) == 0 and store.annotators() == ["BOB", "Bob"]


def test_asked_annotators_must_be_known():
    require_known(["Bob"], ["Bob", "bob"])
    with pytest.raises(LabelError, match=r"'bob'.*Bob"):
        require_known(["bob"], ["Bob", "Eve"])
    with pytest.raises(LabelError, match=r"'Al'.*Bob, Eve"):
        require_known(["Al"], ["Eve", "Bob"])


def test_a_verdict_replaces_only_the_one_that_was_seen(store):
    first = decide(store, "kitchen:1", "greenness", 3, "Bob", instead_of="")
    with pytest.raises(LabelError, match=r"Bob has decided on 3"):
        decide(store, "kitchen:1", "greenness", 4, "Eve", instead_of="")
    decide(store, "kitchen:1", "greenness", 4, "Eve", instead_of=first.id)
    decide(store, "kitchen:1", "greenness", 5, "Eve")
    (verdict,) = store.current("adjudication")
    assert verdict.event.level == 5
