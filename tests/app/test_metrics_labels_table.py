"""Tables of scores from labels: selected dimensions, places and ties."""

from types import SimpleNamespace

import pytest

from rivae.app.metrics.labels_data import ScoredRun
from rivae.app.metrics.labels_table import ordinal, scores_payload
from rivae.labels.scores import label_scores
from tests.labels.test_scores import FACTORS, labels_of, world


def line(name, **world_settings):
    found, rows, levels = world(**world_settings)
    scores = label_scores(found, labels_of(rows, levels), FACTORS, n_bootstrap=60)
    return ScoredRun(SimpleNamespace(id=name), "", scores, scores)


@pytest.fixture(scope="module")
def wide():
    """A clean run of twelve dimensions and a blurred one of five."""
    return line("clean", d=12), line("blurred", d=5, purity=0.4)


def rows_of(table):
    """Rows by section and run."""
    found, section = {}, ""
    for row in table["rows"]:
        section = row.get("section", section)
        if "name" in row:
            found[section.split()[1], row["name"]] = row["cells"]
    return found


def test_scores_with_and_without_selected_dimensions(wide):
    clean, blurred = wide
    rows = rows_of(scores_payload(SimpleNamespace(lines=wide)))
    every, ten = rows["all", "clean"], rows["the", "clean"]
    for k, name in enumerate(("disentanglement", "completeness", "informativeness")):
        assert every[k]["main"] == f"{clean.scores.every.results[name].score:.3f}"
        assert ten[k]["main"] == f"{clean.scores.selected.results[name].score:.3f}"
    assert float(ten[0]["main"]) > float(every[0]["main"])  # why both have to be stated
    mains = [[c["main"] for c in rows[over, "blurred"]] for over in ("all", "the")]
    assert blurred.scores.selected is None and mains[0] == mains[1]  # it has five, all of them
    alone = scores_payload(SimpleNamespace(lines=(blurred,)))
    assert len([row for row in alone["rows"] if "section" in row]) == 1
    assert " · " not in alone["rows"][1]["cells"][0]["sub"]  # nobody to be ahead of


def test_places_only_where_intervals_part(wide):
    rows = rows_of(scores_payload(SimpleNamespace(lines=wide)))
    assert rows["all", "clean"][2]["sub"].endswith("1st")
    assert rows["all", "blurred"][2]["sub"].endswith("2nd")
    twins = (wide[0], ScoredRun(SimpleNamespace(id="twin"), "clean", *([wide[0].scores] * 2)))
    table = scores_payload(SimpleNamespace(lines=twins))
    assert all(cell["sub"].endswith("tie") for cell in rows_of(table)["all", "clean"][:3])
    assert table["rows"][2]["detail"] == "derived from clean"


def test_a_run_without_scores_has_no_numbers():
    bare = ScoredRun(SimpleNamespace(id="bare"), trouble="any")
    cells = rows_of(scores_payload(SimpleNamespace(lines=(bare,))))["all", "bare"]
    assert [cell["main"] for cell in cells] == ["–"] * 6


def test_ordinals():
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "12th",
        "13th",
        "21st",
    ]
