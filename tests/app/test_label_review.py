"""The Review view without a browser: agreement, items far apart, verdicts, files."""

import pytest

from rivae.app.label import page_keys as label_keys
from rivae.app.label.adjudicate import INAPPLICABLE, ITEM_FLAGGED
from rivae.app.label.exchange import OFFERED, STORED, UNCHANGED
from rivae.app.label.review import NO_LABELS
from rivae.labels.formats import events_jsonl, long_csv

EVIL = "<img src=x onerror=alert(1)> **b**"
ANN = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, None, 2]
BOB = [1, 2, 3, 4, 5, 1, 2, 3, 4, 2, 3, 5]  # the last two levels are three apart


@pytest.fixture
def review(label_plan, app):
    """Opens the view; ``who`` is the name in the address."""

    def open_view(who="eve", **params):
        return app("label", view="Review", **({"by": who} if who else {}), **params)

    return open_view


@pytest.fixture
def two(label_plan):
    """Two annotators of whom the levels are known."""
    label_plan.label("ann", ANN)
    label_plan.label("bob", BOB)
    return label_plan


def table(shown, column):
    """The first table of the page that has a column."""
    return next(d.value for d in shown.at.dataframe if column in d.value.columns)


def written(shown):
    return shown.words.replace("\\", "")


def button(shown, row, level, factor="wateriness"):
    return shown.at.button(key=f"label_review_{row}_{factor}_{level}")


def verdicts(plan):
    return [(c.event.annotator, c.event.level) for c in plan.store.current("adjudication")]


# What is said


def test_without_labels_the_view_says_so(review):
    shown = review()
    assert "not blind" in written(shown) and NO_LABELS in written(shown)
    assert "0 items, 0 decided" in written(shown)


def test_one_annotator_is_told_what_is_missing(review, label_plan):
    label_plan.label("ann", ANN)
    shown = review()
    assert "Only ann has labelled" in written(shown)
    assert not any("alpha" in d.value.columns for d in shown.at.dataframe)
    row = table(shown, "labelled").iloc[0]
    assert (row["annotator"], row["labelled"], row["items"]) == ("ann", 12, 40)
    assert row["cannot tell"] == 1 and row["mean seconds"] == 2.0


def test_alpha_pairs_and_repeats_are_those_of_the_library(review, two):
    from rivae.labels.agreement import krippendorff_alpha, weighted_kappa

    again = two.rows[:3]
    two.store.append([two.event("ann", row, 1, repeat=True) for row in again])
    shown = review()
    both = [[float("nan") if v is None else v for v in ANN], BOB]
    row = table(shown, "alpha").iloc[0]
    assert row["alpha"] == pytest.approx(krippendorff_alpha(both))
    assert row["low 95 %"] <= row["alpha"] <= row["high 95 %"]
    assert (row["shared items"], row["annotators"]) == (11, 2)
    assert "two annotators" in table(shown, "alpha").iloc[1]["reading"]
    pair = table(shown, "first").iloc[0]
    known = [(a, b) for a, b in zip(ANN, BOB, strict=True) if a]
    assert pair["weighted kappa"] == pytest.approx(weighted_kappa(*zip(*known, strict=True)))
    own = table(shown, "same level").iloc[0]
    assert (own["annotator"], own["repeats"]) == ("ann", 3)
    assert own["same level"] == pytest.approx(1 / 3)  # 1, 2, 3 and then 1, 1, 1


def test_a_new_label_is_seen_at_once(review, two):
    before = table(review(), "alpha").iloc[0]["alpha"]
    two.label("bob", [5, 1, 5])
    assert table(review(), "alpha").iloc[0]["alpha"] < before


def test_a_strangers_name_stays_text(review, two):
    two.label(EVIL, [5, 5, 5])
    shown = review()
    texts = [m.value for m in (*shown.at.markdown, *shown.at.caption, *shown.at.info)]
    assert any(r"\<img" in text for text in texts)
    assert not any("<img" in text.replace(r"\<img", "") or " **b" in text for text in texts)


# Items and verdicts


def test_items_far_apart_come_with_levels_and_names(review, two):
    shown = review()
    assert "2 items, 0 decided" in written(shown)
    assert "ann **5** liquid" in written(shown) and "bob **2** moist" in written(shown)
    far = {two.rows[9], two.rows[11]}
    keys = {b.key for b in shown.at.button}
    assert {r for r in two.rows if f"label_review_{r}_wateriness_1" in keys} == far


def test_not_applicable_is_kept_apart_from_cannot_tell(review, two):
    row = two.rows[9]
    two.store.append(
        [
            two.event("carl", row, None, action="inapplicable"),
            two.event("dora", row, None),
            two.event("emma", row, 3, action="unsure"),
        ]
    )
    said = written(review())
    assert f"carl {INAPPLICABLE}" in said and "dora cannot tell" in said
    assert "emma **3** saucy or **4** soupy" in said
    rows = table(review(), "labelled").set_index("annotator")
    counts = rows[["cannot tell", "not applicable", "unsure"]].loc[["carl", "dora", "emma"]]
    assert counts.to_numpy().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_a_verdict_is_given_changed_and_taken_back(review, two):
    row = two.rows[9]
    alpha = table(review(), "alpha").iloc[0]["alpha"]
    shown = review()
    button(shown, row, 4).click().run()
    shown.calm()
    assert verdicts(two) == [("eve", 4)]
    assert "4 soupy, by eve" in written(shown) and "1 decided" in written(shown)
    button(shown, row, 0).click().run()
    assert verdicts(two) == [("eve", None)] and "cannot tell, by eve" in written(shown)
    assert table(review(), "alpha").iloc[0]["alpha"] == alpha, "measured before verdicts"
    shown = review()
    for left in (1, 0):
        shown.at.button(key=f"label_review_{row}_wateriness_back").click().run()
        shown.calm()
        assert len(verdicts(two)) == left
    assert not [b for b in shown.at.button if b.key.endswith("_back")]


def test_only_the_same_person_takes_a_verdict_back(review, two):
    row = two.rows[9]
    button(review("eve"), row, 3).click().run()
    shown = review("mallory")
    shown.at.button(key=f"label_review_{row}_wateriness_back").click().run()
    shown.calm()
    assert "only eve " in written(shown)
    assert verdicts(two) == [("eve", 3)]
    button(shown, row, 2).click().run()
    assert verdicts(two) == [("mallory", 2)]


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "type yours"), ("a\u202eb", "invisible character"), ("   ", "type yours")],
)
def test_a_verdict_needs_a_good_name(review, two, name, words):
    shown = review("")
    shown.at.text_input(key="by").set_value(name).run()
    button(shown, two.rows[9], 3).click().run()
    shown.calm()
    assert words in written(shown) and verdicts(two) == []


def test_what_is_decided_can_be_hidden_and_one_factor_chosen(review, two):
    two.label("ann", [1], "fruit")
    two.label("bob", [5], "fruit")
    shown = review()
    button(shown, two.rows[9], 3).click().run()
    assert "3 items, 1 decided" in written(shown)
    shown.at.toggle(key="label_open_only").set_value(True).run()
    assert "2 items, 1 decided" in written(shown)
    shown.at.selectbox(key="label_case_factor").set_value("fruit").run()
    shown.calm()
    assert "1 item, 0 decided" in written(shown) and "full of fruit" in written(shown)


def test_flags_are_listed_and_can_be_decided_for_a_factor(review, two):
    row = two.rows[3]
    two.store.append([two.event(who, row, None, factor="", action="flag") for who in ("ann", EVIL)])
    shown = review()
    shown.at.segmented_control(key="label_cases").set_value("Flagged").run()
    shown.calm()
    assert "1 item, 0 decided" in written(shown) and ITEM_FLAGGED in written(shown)
    assert not any("**b**" in c.value for c in shown.at.caption)
    shown.at.selectbox(key="label_case_factor").set_value("wateriness").run()
    button(shown, row, 4).click().run()
    shown.calm()
    assert verdicts(two) == [("eve", 4)]


def test_many_items_come_in_pages(review, label_plan):
    label_plan.label("ann", [1] * 23)
    label_plan.label("bob", [4] * 23)
    shown = review()
    assert "23 items, 0 decided" in written(shown)
    assert len(shown.at.image) == 10
    shown.at.pagination(key="label_page").set_value(3).run()
    shown.calm()
    assert len(shown.at.image) == 3
    shown.at.segmented_control(key="label_cases").set_value("Flagged").run()
    assert "0 items" in written(shown)


# Files


def upload(shown, text, name="labels.csv"):
    shown.at.file_uploader(key="label_file").set_value((name, text.encode(), "text/csv")).run()
    return shown.calm()


def hand_made(plan, *lines):
    rows = [f"{who},{plan.keys[row]},wateriness,{level}" for who, row, level in lines]
    return "\n".join(["annotator,item,factor,level", *rows])


def test_a_file_is_looked_at_before_it_is_added(review, two):
    before, (known, new) = two.store.last(), (two.rows[0], two.rows[20])
    text = hand_made(two, ("ann", known, 1), ("ann", new, 4), ("bob", known, 5))
    shown = upload(review(), text)
    counted = table(shown, "new").iloc[0]
    assert (counted["new"], counted["already known"], counted["conflicts"]) == (1, 1, 1)
    conflict = table(shown, OFFERED).iloc[0]
    said = [conflict[name] for name in ("annotator", STORED, OFFERED)]
    assert said == ["bob", "1", "5"]
    assert two.store.last() == before, "a look stores nothing"
    shown.at.button(key="label_add").click().run()
    shown.calm()
    assert two.store.last() == before + 1
    assert any("1 event was added" in s.value for s in shown.at.success)
    again = upload(review(), text)
    assert again.at.button(key="label_add").disabled


def test_row_numbers_are_taken_for_rows_of_the_plan_when_that_is_said(review, two):
    text = f"annotator,item,factor,level\neve,{two.rows[3]},wateriness,4\n"
    shown, before = upload(review(), text), two.store.last()
    shown.at.toggle(key="label_file_rows").set_value(True).run()
    shown.calm()
    key = two.keys[two.rows[3]]
    assert any(key in c.value.replace("\\", "") for c in shown.at.caption)
    assert two.store.last() == before
    shown.at.button(key="label_add").click().run()
    assert [e.item for _, e in two.store.events(annotator="eve")] == [key]


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("annotator,item\n", "labels.csv", ""),
        ("annotator,item,factor,level\nann,x:1,wateriness,9", "labels.csv", "'9'"),
        ("annotator,item,factor,level\nann,x:1,saltiness,3", "labels.csv", "'saltiness'"),
        ('{"id": 3', "labels.jsonl", "labels.jsonl"),
        ("\x00\x01", "labels.jsonl", "labels.jsonl"),
    ],
)
def test_a_damaged_file_is_one_sentence_and_changes_nothing(review, two, text, name, words):
    before = two.store.last()
    shown = upload(review(), text, name)
    assert two.store.last() == before
    if words:
        (told,) = [w.value.replace("\\", "") for w in shown.at.warning]
        assert words in told and UNCHANGED in told
        assert not [b for b in shown.at.button if b.key == "label_add"]
    else:
        assert shown.at.button(key="label_add").disabled


def test_the_exports_are_the_librarys(review, two):
    from rivae.app.label import exchange

    shown = review()
    assert {b.label for b in shown.at.download_button} >= {
        "Events, JSONL",
        "Long CSV",
        "Wide CSV",
        "CSV",
    }
    assert exchange._content("events")().decode() == "".join(events_jsonl(two.store))
    assert exchange._content("long")().decode() == "".join(long_csv(two.store))


def test_a_file_with_a_name_like_a_known_one_is_asked_about(label_plan, monkeypatch):
    """The upload and its radio, without a browser: nothing is stored before it is answered."""
    from types import SimpleNamespace

    import streamlit as st

    from rivae.app.label import exchange
    from rivae.app.shared import labels

    label_plan.label("Ana", [1])
    item, factor = label_plan.keys[label_plan.rows[1]], label_plan.guideline.ids[0]
    content = f"annotator,item,factor,level\nANA,{item},{factor},2\n".encode()
    opened = labels.open_plan("first")
    st.session_state.clear()
    st.session_state[label_keys.FILE] = SimpleNamespace(name="a.csv", getvalue=lambda: content)
    exchange._look_anew(opened)
    looked = st.session_state[label_keys.LOOKED]
    assert looked.alike == {"ANA": ("Ana",)} and looked.report is None
    exchange._look(True, opened)
    assert label_plan.store.annotators() == ["Ana"] and label_plan.store.last() == 1
    st.session_state["radio"] = "Ana"
    exchange._choose_name("ANA", "radio", opened)
    assert st.session_state[label_keys.LOOKED].report.added == 1
    exchange._look(True, opened)
    assert label_plan.store.annotators() == ["Ana"] and label_plan.store.last() == 2
    st.session_state.clear()
