"""Small drawings and texts of the pages."""

import json
import xml.etree.ElementTree as ET

import pytest

from rivae.app.explore.panels import describe, z_compare_svg
from rivae.app.shared.runs import describe_run, short_date
from rivae.app.shell.text import escape, markdown
from rivae.runs import Run
from rivae.runs.evaluation_file import Evaluation
from rivae.runs.results import Result


@pytest.mark.parametrize(
    "text", ["*a*", "_a_", "`a`", "[a](b)", "<a>", "$a$", ":red[a]", "# a", "a | b", "1. a", "~a~"]
)
def test_markdown_is_masked(text):
    masked = markdown(text)
    for character in text:
        if not character.isalnum() and character != " ":
            assert f"\\{character}" in masked


def test_markdown_keeps_plain_words_and_one_line():
    assert markdown("digit 7") == "digit 7"
    assert markdown("a\n\nb\t c") == "a b c"


def test_a_hyphen_is_masked_outside_of_words_only():
    assert markdown("iced-tea") == "iced-tea"
    assert markdown("- a -> b--c") == r"\- a \-\> b\-\-c"


def test_html_is_masked():
    assert escape("""<a b='c' d="e">&""") == "&lt;a b=&#x27;c&#x27; d=&quot;e&quot;&gt;&amp;"


def test_z_compare_draws_both_points_of_every_dimension():
    svg = ET.fromstring(
        z_compare_svg(
            [0, 1], [2, 1], [0, 0], [1, 1], names=("z1", "z2"), ink="#000000", accent="#ff0000"
        )
    )
    circles = [c for c in svg if c.tag.endswith("circle")][2:]  # the first two are the legend
    item, now = circles[0], circles[1]
    assert float(item.get("cx")) > float(now.get("cx"))
    assert circles[2].get("cx") == circles[3].get("cx")
    assert "0.00 → 2.00" in "".join(svg.itertext())


def test_z_compare_keeps_far_points_on_the_drawing():
    svg = ET.fromstring(
        z_compare_svg([0], [500], [0], [1], names=("z1",), ink="#000000", accent="#ff0000")
    )
    assert all(0 <= float(c.get("cx")) <= 420 for c in svg if c.tag.endswith("circle"))


def test_z_compare_is_described():
    assert "most in z2, by 3.0 s.d." in describe([0, 0], [1, 6], [1, 2], ["z1", "z2"])
    assert describe([1.0], [1.0], [1.0], ["v1"]) == "The item's v is the current v."


@pytest.mark.parametrize(
    ("text", "shown"),
    [("2025-11-02T10:00:00+00:00", "2 Nov 2025"), ("", ""), (None, ""), ("yesterday", "")],
)
def test_dates_are_short(text, shown):
    assert short_date(text) == shown


@pytest.mark.parametrize(
    ("name", "state", "note"),
    [
        ("digits", "finished", ""),
        ("training", "running", "epoch 3 of 9"),
        ("stopped", "interrupted", "Stopped at epoch 5 of 9"),
        ("failed", "failed", "the loss is not finite"),
        ("broken", "broken", "config.json"),
    ],
)
def test_a_card_says_how_a_run_is(run_folder, name, state, note):
    card = describe_run(Run(run_folder / name))
    assert card.state == state and note in card.note
    assert "\n" not in card.note
    assert (card.action == "resume") == (state in ("interrupted", "failed"))
    assert card.id in card.title


def test_a_card_shows_scores_that_are_there(run_folder, tmp_path):
    import shutil

    shutil.copytree(run_folder / "digits", tmp_path / "digits")
    run = Run(tmp_path / "digits")
    run.write_evaluation(
        Evaluation(
            retrieval={"recall_at_1": Result(score=0.521), "median_rank": Result(score=2.0)},
            factors={"disentanglement": Result(), "completeness": Result(score=0.5)},
        )
    )
    assert "52 of 100" in describe_run(run).verdict
    shown = [(label, value) for label, value, _ in describe_run(run).scores]
    assert shown == [("R@1", "0.52"), ("MedR", "2.0"), ("C", "0.50")]
    (tmp_path / "digits" / "evaluation.json").write_text(json.dumps([1]))
    assert describe_run(run).scores == () and not describe_run(run).verdict
