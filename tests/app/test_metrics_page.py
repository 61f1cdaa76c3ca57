"""The Metrics page without a browser: its views, what opens behind a cell."""

import json
import shutil

import pytest

from rivae.app.metrics import work
from rivae.app.metrics.benchmark import NO_RESULTS
from rivae.app.metrics.cell import GONE
from rivae.app.metrics.charts import RANGES_NOTE
from rivae.app.metrics.run import NO_METRICS, NO_PLAN
from rivae.app.shared.address import NO_SUCH_RUN
from rivae.base.files import json_ready
from rivae.benchmark.rows import make_row, write_rows
from rivae.evaluation.evidence import evidence_of
from rivae.figures.alpha import STEPS
from rivae.figures.effects import signed
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.evaluation_file import AGAIN, DAMAGED, Evaluation
from rivae.runs.run import NO_MODEL

DEMOS = ("demo-synth", "demo-digits")


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A folder with two evaluated runs; the app sees it and no other."""
    folder = tmp_path / "runs"
    for name in DEMOS:
        shutil.copytree(DEMO_ROOT / name, folder / name)
    monkeypatch.setattr("rivae.runs.folders.DEMO_ROOT", tmp_path / "no-demos")
    return folder


@pytest.fixture
def shown(measured, app, monkeypatch):
    """Opens the page on the evaluated runs."""
    monkeypatch.setenv("RIVAE_RUNS", str(measured))
    return lambda **params: app("metrics", **params)


def tables(app):
    """What the result tables of the page were sent."""
    return [data for data in sent(app) if "sort" in data]


def sent(app):
    """What the parts of the page that the browser draws were sent."""
    return [json.loads(c.proto.json) for c in app.components]


def heat(app):
    """The map of what axes change, and its number among those parts."""
    ((n, data),) = [(n, data) for n, data in enumerate(sent(app)) if "scale" in data]
    return data, n


def choose(app, axis, column):
    """Report a click on a cell of the map."""
    app.report("cell", {"axis": axis, "column": column}, n=heat(app)[1])
    app.calm()


def table(app, label):
    return next(data for data in tables(app) if label in data["label"])


def values(data, column):
    i = [c["id"] for c in data["columns"]].index(column) - 1
    return [row["cells"][i]["main"] for row in data["rows"] if "cells" in row]


def charts(app):
    return [json.loads(c.proto.spec) for c in app.at.get("plotly_chart")]


FOLDS = {"open_paper": "true", "open_metrics": "true", "open_sure": "true"}


def items(page):
    """The pictures that the page has drawn."""
    return [drawn for drawn in page.drawn if "<img" in drawn]


def first(value):
    return value[0] if isinstance(value, list) else value


# Tables


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RESULTS", str(tmp_path))
    write_rows(
        [
            make_row(
                dataset=data,
                method=method,
                preset="default",
                seed=seed,
                score=score,
                metric="recall_at_1",
            )
            for data in ("synth", "sprites")
            for method, score in (("rivae", 0.4), ("dcca", 0.5))
            for seed in (0, 1)
        ],
        tmp_path,
    )
    return tmp_path


def test_all_methods_are_compared_in_tables(app, results):
    page = app("metrics", show="tables")
    labels = [data["label"] for data in tables(page)]
    assert labels[0] == "Synth: Retrieval" and len(labels) >= 2
    assert values(tables(page)[0], "recall_at_1").count("not run") > 2
    assert "95 % interval" in page.words and "alpha = 10" in page.words.replace("\\", "")


def test_the_controls_change_the_tables_and_the_link_brings_them_back(app, results):
    page = app("metrics", show="tables", data="Sprites", printed="false")
    assert tables(page)[0]["label"] == "Sprites: Retrieval"
    assert not any(c["id"].startswith("paper-") for c in tables(page)[0]["columns"])
    page.at.segmented_control(key="data").set_value("Recipe1M").run()
    page.calm()
    page.at.toggle(key="printed").set_value(True).run()
    page.calm()
    assert "Failed" in values(tables(page)[0], "paper-recall_at_1")


def test_a_heading_sorts_its_table_through_the_address(app, results):
    page = app("metrics", show="tables")
    before = [row["name"] for row in tables(page)[0]["rows"]]
    page.report("sort", "recall_at_1")
    assert first(page.params["sort"]) == "retrieval.recall_at_1"
    assert [row["name"] for row in tables(page)[0]["rows"]][:2] == ["DCCA", "RIVAE"]
    page.report("sort", "recall_at_1")
    assert first(page.params["sort"]) == "-retrieval.recall_at_1"
    assert [row["name"] for row in tables(page)[0]["rows"]][:2] == ["RIVAE", "DCCA"]
    page.report("sort", "recall_at_1")
    assert "sort" not in page.params
    assert [row["name"] for row in tables(page)[0]["rows"]] == before
    page.follow(show="tables", sort="retrieval.recall_at_1")
    assert tables(page)[0]["rows"][0]["name"] == "DCCA"


@pytest.mark.parametrize("junk", [None, 3, "x", "__proto__", ["a"]])
def test_a_nonsense_heading_breaks_nothing(app, results, junk):
    page = app("metrics", show="tables")
    before = [row["name"] for row in tables(page)[0]["rows"]]
    page.report("sort", junk)
    assert [row["name"] for row in tables(page)[0]["rows"]] == before


def test_without_results_the_page_says_where_they_come_from(app, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RESULTS", str(tmp_path))
    page = app("metrics", show="tables")
    assert NO_RESULTS in page.words and not tables(page)


def test_damaged_results_are_one_sentence(app, tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RESULTS", str(tmp_path))
    (tmp_path / "results.parquet").write_bytes(b"PAR1")
    page = app("metrics", show="tables")
    assert len(page.at.warning) == 1 and "damaged" in page.warnings[0]
    assert not tables(page)


# This run


def test_the_verdict_comes_first_and_the_rest_is_folded(shown):
    page = shown(run="demo-synth")
    said = "".join(page.drawn)
    asked = ("Finds?", "Separates?", "Reliable?", "From labels?")
    assert [said.index(question) for question in asked] == sorted(map(said.index, asked))
    stored = Run(DEMO_ROOT / "demo-synth").evaluation
    cases = round(100 * stored.score("recall_at_1"))
    assert f"first in {cases} of 100 (chance: 1 in 1,000)" in said
    for name in ("disentanglement", "completeness", "informativeness"):
        assert name.capitalize() in said and f"{stored.score(name):.4f}" in said
    assert "2 factors lie above chance" in said and "seed 0" in said
    labels = [link.proto.label.replace("\\", "") for link in page.at.get("page_link")]
    assert NO_PLAN in labels
    assert ("metrics", "show=labels&run=demo-synth") in page.links
    assert not tables(page) and not charts(page), "what is folded is not drawn"


def test_a_link_to_a_run_opens_its_numbers(shown):
    page = shown(run="demo-synth", **FOLDS)
    data = table(page, "demo-synth")
    stored = Run(DEMO_ROOT / "demo-synth").evaluation
    recall, (way, _) = stored.score("recall_at_1"), stored.searches()[0]
    assert f"{recall:.3f}" in values(data, "value") and "0.001" in values(data, "chance")
    assert data["rows"][0] == {"section": f"Retrieval, {way}"}
    assert len(charts(page)) == 2, "correlations and curve"


def test_the_view_can_be_changed_and_is_kept_in_the_address(shown, results):
    page = shown(run="demo-synth", **FOLDS).follow(run="demo-synth", show="tables")
    assert page.tab == "All methods" and "Synth: Retrieval" in tables(page)[0]["label"]
    assert first(page.params["run"]) == "demo-synth", "the run goes along"
    page.follow(run="demo-synth", show="run", **FOLDS)
    assert page.tab == "This run" and table(page, "demo-synth")


def test_another_run_starts_without_a_cell(shown):
    page = shown(run="demo-synth", cell="1_1", **FOLDS)
    page.at.selectbox(key="metrics_run").set_value("demo-digits").run()
    page.calm()
    assert first(page.params["run"]) == "demo-digits" and "cell" not in page.params
    assert any("digit" in str(figure).lower() for figure in charts(page))
    page.open("explore")
    assert page.state.run == "demo-digits", "other pages continue with the run seen last"


@pytest.fixture
def evidence(measured, monkeypatch):
    """What is measured of "demo-synth" in the background, at once."""
    run = Run(measured / "demo-synth")
    found = evidence_of(run, run.evaluation)
    monkeypatch.setattr(work, "evidence_of", lambda run, stored: found)
    return found


def test_the_map_shows_what_is_more_than_chance(shown, evidence):
    page = shown(run="demo-synth")
    assert not charts(page), "its first screen needs no chart's script"
    drawn, _ = heat(page)
    assert sorted(row["axis"] for row in drawn["rows"]) == [0, 1]
    cells = [cell for row in drawn["rows"] for cell in row["cells"]]
    assert len(cells) == 2 * 4, "a factor without effect is there"
    written = [cell["text"] for cell in cells if "text" in cell]
    changes = [change for each in evidence.effects for change in each.changes]
    assert sorted(written) == sorted(signed(change.change) for change in changes)
    assert len(changes) == 2, "the rest is blank"
    said = "".join(page.drawn)
    low, high = evidence.intervals["disentanglement"]
    assert f"{low:.2f} to {high:.2f}".replace("0.", ".") in said
    assert f"the {evidence.views[1]} of a {evidence.views[0]}" in said


@pytest.mark.slow
def test_the_plot_and_the_items_behind_a_cell(shown, evidence):
    page = shown(run="demo-synth")
    assert not items(page)
    stored = Run(DEMO_ROOT / "demo-synth").evaluation.along[0].correlation
    largest = max(evidence.effects[1].changes, key=lambda change: abs(change.change))
    k = stored.factor_names.index(largest.name)
    drawn, _ = heat(page)
    names = [column["name"] for column in drawn["columns"]]
    assert drawn["selected"] is None
    choose(page, 1, names.index(largest.name))
    drawn, _ = heat(page)
    row, column = drawn["selected"]
    assert (drawn["rows"][row]["axis"], names[column]) == (1, largest.name)
    assert first(page.params["cell"]) == f"2_{k + 1}", "the factor that the axis changes most"
    scatter = charts(page)[-1]
    printed = f"|corr| = {stored.absolute[1][k]:.2f}".replace("0.", ".")
    assert printed in scatter["layout"]["title"]["text"]
    assert "of 20,100 points" in scatter["layout"]["title"]["text"], "100 queries, 201 values"
    (drawn,) = items(page)
    assert drawn.count("<img") > 6 and "alt=" in drawn
    assert ("traverse", "run=demo-synth&view=Correlations&plots=true") in page.links
    for nonsense in ((7, 0), (0, 99), (True, 0), ("0", 0), (0, -1)):
        choose(page, *nonsense)
        assert first(page.params["cell"]) == f"2_{k + 1}", "a stranger's cell is none"


@pytest.mark.parametrize("cell", ["3_1", "1_9", "<b>", "0_0", "999_1", "1_tag.", "1_other.x"])
def test_a_cell_that_is_not_there_is_left_out(shown, evidence, cell):
    page = shown(run="demo-synth", cell=cell)
    assert not items(page) and not page.at.warning
    assert heat(page)[0]["selected"] is None


def test_a_tag_that_is_gone_is_a_sentence(shown, evidence):
    page = shown(run="demo-synth", cell="1_tag.cakes")
    assert GONE.format("tag", "cakes") in page.words.replace("\\", "") and items(page)


def test_alpha_moves_the_scores_at_once(shown):
    page = shown(run="demo-synth", along="3 s.d.")
    names = {trace["name"] for trace in charts(page)[-1]["data"]}
    stored = Run(DEMO_ROOT / "demo-synth").evaluation.along[1].factors
    assert f"D = {stored['disentanglement'].score:.2f}".replace("0.", ".") in names
    assert any("by chance" in name for name in names)
    page.report("move", STEPS.index(100.0), n=0)
    assert "alpha" not in page.params, "the address waits for the release"
    after = {trace["name"] for trace in charts(page)[-1]["data"]}
    assert "D at alpha 100" in after and "D at alpha 10" not in after
    page.report("commit", {"at": STEPS.index(100.0), "count": 1}, n=0, is_state=True)
    assert page.params["alpha"] in ("100", ["100"])
    page.report("commit", {"at": STEPS.index(10.0), "count": 2}, n=0, is_state=True)
    assert "alpha" not in page.params, "the default needs no word in the address"
    page.report("move", len(STEPS), n=0)  # nonsense changes nothing
    assert page.panel(0)["at"] == STEPS.index(10.0)


def test_digits_have_transitions_instead(shown):
    page = shown(run="demo-digits", cell="3", **FOLDS)
    assert len(charts(page)) == 2
    assert "0.0146" in values(tables(page)[0], "value")
    assert "undefined" in values(tables(page)[0], "value")
    assert items(page)[0].count("<img") > 6


@pytest.mark.slow
def test_digits_by_range_are_shown_where_they_were_measured(shown, measured):
    assert RANGES_NOTE not in shown(run="demo-digits", **FOLDS).words
    run = Run(measured / "demo-digits")
    ranges = [{"n_std": n, "overlap": 0.02 - n / 1e4, "coverage": 0.9} for n in (3.0, 30.0)]
    document = {**run.evaluation.document(), "digits_ranges": ranges}
    run.write_evaluation(Evaluation.model_validate(json_ready(document)))
    page = shown(run="demo-digits", **FOLDS)
    assert len(charts(page)) == 3 and RANGES_NOTE in page.words
    assert any("digit_range_lines(*columns)" in code for code in page.snippets)


@pytest.mark.slow
def test_the_snippets_of_the_page_name_its_panels(shown):
    codes = shown(run="demo-synth", cell="1_2", **FOLDS).snippets
    assert any("replay(" in code and "j, k = 0, 1" in code for code in codes)
    assert any("alpha_curve(table[:, [0, 1]], 10.0)" in code for code in codes)


def test_what_cannot_be_shown_again_is_one_sentence(shown, measured):
    path = measured / "demo-synth" / "evaluation.json"
    stored = json.loads(path.read_text())
    stored["settings"]["n_queries"] = None
    path.write_text(json.dumps(stored))
    page = shown(run="demo-synth", cell="1_1", **FOLDS)
    assert [AGAIN in w.value for w in page.at.warning] == [True]
    assert table(page, "demo-synth"), "the numbers stay"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{not json", DAMAGED.format("evaluation.json")),
        ("[]", DAMAGED.format("evaluation.json")),
        ('{"retrieval": {"recall_at_1": "x"}}', "broken evaluation (retrieval / recall_at_1"),
        ('{"retrieval": 5}', "broken evaluation (retrieval"),
        ("{}", NO_METRICS.format("demo-synth")),
        ('{"retrieval": {"recall_at_1": null}}', "broken evaluation (retrieval / recall_at_1"),
        ('{"retrieval": {}, "digits": {"transitions": null}}', NO_METRICS.format("demo-synth")),
    ],
)
def test_a_damaged_evaluation_is_one_sentence(shown, measured, content, reason):
    (measured / "demo-synth" / "evaluation.json").write_text(content)
    page = shown(run="demo-synth")
    assert len(page.at.warning) == 1
    assert reason in page.warnings[0]
    if "damaged" in reason or "broken" in reason:
        assert page.at.button(key="metrics_evaluate"), "it can be measured again"


UNUSABLE = {
    "nowhere": "run 'nowhere'",
    "training": NO_MODEL.format("training"),
    "broken": "config.json",
}


@pytest.mark.parametrize(("run", "reason"), UNUSABLE.items())
def test_a_run_that_cannot_be_opened_is_explained(app, run, reason):
    page = app("metrics", run=run)
    assert any(reason in warning for warning in page.warnings)
    assert not tables(page)


def test_a_bad_link_is_explained(app):
    page = app("metrics", run="../../etc", show="run")
    assert any(warning.value == NO_SUCH_RUN for warning in page.at.warning)


def test_without_runs_the_page_leads_to_training(app, monkeypatch, tmp_path):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    assert ("train", "training=New+run") in app("metrics", show="run").links
