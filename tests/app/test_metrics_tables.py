"""The benchmark's tables as the Metrics page shows them: rows, states, order, files."""

import csv
import io
import math
import re

import pandas as pd
import pytest

from rivae.app.metrics import benchmark
from rivae.app.metrics.exports import dot_files, table_files
from rivae.app.metrics.results_table import Sort, next_sort, payload, sorted_lines
from rivae.app.metrics.session import read_cell, read_sorts, write_cell, write_sorts
from rivae.app.shared import share
from rivae.app.shell.pages import pages
from rivae.base.errors import DataError
from rivae.benchmark.rows import make_row, read_rows, write_rows
from rivae.benchmark.summary import datasets_of, summarise
from rivae.benchmark.table_views import dots, presets_of, table_views

REASON = "the loss is not finite in epoch 3"


def rows_of(method, scores, preset="default", metric="recall_at_1", **more):
    return [
        make_row(
            dataset="synth",
            method=method,
            preset=preset,
            seed=seed,
            metric=metric,
            score=score,
            **more,
        )
        for seed, score in enumerate(scores)
    ]


ROWS = [
    *rows_of("rivae", [0.30, 0.32, 0.34]),
    *rows_of("rivae", [0.2, 0.2], preset="paper"),
    *rows_of("dcca", [None, None], state="failed", message=REASON),
    *rows_of("rbi-vae", [0.31]),
    *rows_of("rbi-vae", [0.5], size="tiny"),
    make_row(
        dataset="synth", method="rbi-vae", preset="default", seed=7, state="failed", message=REASON
    ),
    *rows_of("chance-items", [0.9], preset=""),
    *rows_of("rivae", [0.7], metric="disentanglement", range="paper"),
    *rows_of("rivae", [0.6], metric="disentanglement", range="prior"),
]


@pytest.fixture(scope="module")
def lines():
    return summarise(ROWS)


def view(lines, table="retrieval", **options):
    return next(v for v in table_views(lines, "synth", **options) if v.id == table)


def row(data, name, detail=None):
    return next(
        r for r in data["rows"] if r["name"] == name and (detail is None or detail in r["detail"])
    )


def column(data, name):
    return [c["id"] for c in data["columns"]].index(name) - 1


def test_ours_and_the_papers_number_stand_beside_each_other(lines):
    data = payload(view(lines), None, "x")
    cells = row(data, "RIVAE", "default")["cells"]
    ours = cells[column(data, "recall_at_1")]
    assert ours["main"] == "0.320 ± 0.020" and ours["sub"] == "[0.270, 0.370]"
    assert cells[column(data, "paper-recall_at_1")]["main"] == "0.35"
    assert cells[column(data, "n")]["main"] == "3"


def test_the_paper_can_be_hidden(lines):
    data = payload(view(lines, paper=False), None, "x")
    assert not any(c["id"].startswith("paper-") for c in data["columns"])
    assert {len(r["cells"]) for r in data["rows"]} == {len(data["columns"]) - 1}


def test_the_best_is_marked_and_chance_and_shortened_runs_take_no_part(lines):
    data = payload(view(lines), None, "x")
    i = column(data, "recall_at_1")
    best = [r["name"] + r["detail"] for r in data["rows"] if r["cells"][i].get("best")]
    assert best == ["RIVAEpreset default"]
    assert row(data, "chance: random items")["quiet"]
    assert "no result" in row(data, "RBi-VAE", "tiny")["detail"]


def test_states_are_words_and_lead_to_their_reason(lines):
    data = payload(view(lines), None, "x")
    i = column(data, "recall_at_1")
    failed = row(data, "DCCA")["cells"][i]
    assert (failed["main"], failed["state"]) == ("Failed", "failed")
    assert [failed["note"], f"Failed: {REASON}"] in data["notes"]
    missing = row(data, "Bi-VAE")["cells"][i]
    assert (missing["main"], missing["state"]) == ("not run", "not-run")
    some = row(data, "RBi-VAE", "preset default")["cells"]
    assert some[i]["main"] == "0.310"
    assert some[column(data, "n")]["main"] == "1, 1 failed"
    assert some[column(data, "n")]["note"] == failed["note"], "equal reasons share a footnote"


def test_what_the_paper_failed_at_is_said():
    (retrieval, *_) = table_views(summarise([]), "recipe1m")
    data = payload(retrieval, None, "x")
    cell = row(data, "DCCA")["cells"][column(data, "paper-recall_at_1")]
    assert (cell["main"], cell["state"]) == ("Failed", "failed")


def test_a_range_of_its_own_has_its_own_numbers(lines):
    paper, prior = (view(lines, "factors", where=where) for where in ("paper", "prior"))
    values = [
        {s.value for s in v.scores if s.column == "disentanglement"} - {None}
        for v in (paper, prior)
    ]
    assert values == [{0.7}, {0.6}]
    assert any(s.paper for s in paper.scores) and not any(s.paper for s in prior.scores)
    assert "−10 to 10" in paper.note and "3 s.d." in prior.note and "alpha = 10" in paper.note


def test_a_preset_can_be_chosen(lines):
    assert presets_of(line.preset for line in lines) == ["default", "paper"]
    names = [line.key for line in view(lines, preset="paper").lines]
    assert "RIVAE (paper)" in names and "RIVAE (default)" not in names
    assert "chance: random items" in names, "what has no preset stays"


def test_data_sets_stand_in_the_papers_order(lines):
    assert datasets_of(["mine", "synth"])[:2] == ["synth", "sprites"]
    assert datasets_of(["mine", "synth"])[-1] == "mine"


def order(v, sort):
    return [line.key for line in sorted_lines(v, sort)]


def test_headings_sort_and_states_stay_last(lines):
    v = view(lines)
    ranked = [
        "chance: random items",
        "RBi-VAE (default, tiny)",
        "RIVAE (default)",
        "RBi-VAE (default)",
        "RIVAE (paper)",
    ]
    assert order(v, Sort("recall_at_1"))[:5] == ranked
    assert order(v, Sort("recall_at_1", reversed=True))[:5] == ranked[::-1]
    assert order(v, Sort("paper-recall_at_1"))[:2] == ["RIVAE (default)", "RIVAE (paper)"]
    assert order(v, Sort("paper-median_rank"))[:2] == ["DCCA (default)", "Cos-Sim"]
    assert order(v, Sort("n"))[0] == "RIVAE (default)"
    assert order(v, Sort("method"))[0] == "Bi-VAE"
    assert order(v, Sort("no such column")) == order(v, None)


def test_the_arrow_follows_the_values(lines):
    orders = {
        (name, back): payload(view(lines), Sort(name, back), "x")["sort"]["order"]
        for name in ("recall_at_1", "paper-median_rank", "method", "n")
        for back in (False, True)
    }
    assert orders[("recall_at_1", False)] == "descending"
    assert orders[("paper-median_rank", False)] == "ascending"
    assert orders[("method", False)] == "ascending" and orders[("n", False)] == "descending"
    assert all(orders[(name, True)] != orders[(name, False)] for name, _ in orders)


def test_three_clicks_lead_back():
    first = next_sort(None, "a")
    second = next_sort(first, "a")
    assert (first, second) == (Sort("a"), Sort("a", reversed=True))
    assert next_sort(second, "a") is None
    assert next_sort(second, "b") == Sort("b")


def test_the_address_holds_the_order_and_the_cell():
    sorts = {"retrieval": Sort("paper-mcc"), "alpha": Sort("disentanglement_alpha_0.5", True)}
    assert read_sorts(write_sorts(sorts)) == sorts
    assert read_cell(write_cell((2, 0))) == (2, 0)
    assert read_cell("4") == (3, 0)
    assert read_sorts("x~-.a~retrieval.<b>~" + "a" * 9999) == {}
    for text in ("", "0", "1_0", "-1", "a_b", "9999_1", "300"):
        assert read_cell(text) is None


@pytest.mark.parametrize(
    ("params", "shown"),
    [
        ({}, "This run"),
        ({"run": "a"}, "This run"),
        ({"run": "a", "show": "tables"}, "All methods"),
        ({"show": "run"}, "This run"),
        ({"show": "<b>"}, "This run"),
    ],
)
def test_the_address_names_the_view(params, shown):
    assert pages()["metrics"].view(params).title == shown


def test_the_files_hold_the_shown_table(lines):
    files = {ending: make() for ending, make in table_files(view(lines), "synth").items()}
    table = list(csv.DictReader(io.StringIO(files["csv"])))
    failed = next(r for r in table if r["method"] == "DCCA (default)")
    assert (failed["state"], failed["mean"], failed["reason"]) == ("failed", "", REASON)
    ours = next(r for r in table if r["method"] == "RIVAE (default)")
    assert float(ours["mean"]) == pytest.approx(0.32) and ours["paper"] == "0.35"
    assert "| RIVAE (default) | **0.320 ± 0.020** [0.270, 0.370] (0.350) |" in files["md"]
    assert r"RIVAE (default) & \textbf{0.320 $\pm$ 0.020}" in files["tex"]
    assert files["tex"].count("not run") == files["md"].count("not run") > 0


# The file that all of it is read from


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RESULTS", str(tmp_path))
    return tmp_path


def test_no_file_is_no_error(folder):
    assert benchmark.summary("synth") == [] and benchmark.contents() == ([], [])


@pytest.mark.slow
def test_the_project_brings_its_report(monkeypatch, repo_root):
    monkeypatch.delenv("RIVAE_RESULTS", raising=False)
    assert benchmark.results_file() == repo_root / "benchmarks/results/results.parquet"
    datasets, presets = benchmark.contents()
    every = summarise(read_rows(benchmark.results_file().parent))
    assert datasets == list(dict.fromkeys(line.dataset for line in every))
    assert presets == presets_of(line.preset for line in every)
    for dataset in ("kitchen", "recipe1m"):  # read alone, as in the whole
        own = [repr(line) for line in every if line.dataset == dataset]
        assert [repr(line) for line in benchmark.summary(dataset)] == own


def test_a_new_file_is_read_anew(folder):
    write_rows(ROWS[:3], folder)
    assert any(line.n == 3 for line in benchmark.summary("synth"))
    write_rows(ROWS[:2], folder)
    assert not any(line.n == 3 for line in benchmark.summary("synth"))


FOREIGN = re.escape(benchmark.FOREIGN.format("results.parquet"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PAR1 not really PAR1", "is damaged"),
        (b"", "is damaged"),
        (pd.DataFrame({"a": [1]}), FOREIGN),
        (
            pd.DataFrame(
                {**{n: ["x"] for n in benchmark.TEXTS}, "score": ["high"], "seed": [0], "draw": [0]}
            ),
            FOREIGN,
        ),
        (
            pd.DataFrame(
                {**{n: [["x"]] for n in benchmark.TEXTS}, "score": [1.0], "seed": [0], "draw": [0]}
            ),
            FOREIGN,
        ),
    ],
)
def test_a_file_that_is_no_report_is_one_sentence(folder, content, reason):
    path = folder / "results.parquet"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content.to_parquet(path)
    with pytest.raises(DataError, match=reason) as caught:
        benchmark.summary("synth")
    assert benchmark.AGAIN in str(caught.value)
    assert str(folder) not in str(caught.value), "a visitor need not know the server's folders"


def test_a_huge_file_is_not_read(folder, monkeypatch):
    write_rows(ROWS, folder)
    monkeypatch.setattr(benchmark, "MAX_BYTES", 100)
    with pytest.raises(DataError, match="larger than"):
        benchmark.summary("synth")
    monkeypatch.setattr(benchmark, "MAX_BYTES", 10**9)
    monkeypatch.setattr(benchmark, "MAX_ROWS", 3)
    with pytest.raises(DataError, match="more than 3 rows"):
        benchmark.summary("synth")


def test_numbers_that_are_not_finite_are_no_results(folder):
    write_rows(rows_of("rivae", [math.nan, math.inf, 0.5]), folder)
    mine = next(
        s
        for v in table_views(benchmark.summary("synth"), "synth")
        for s in v.scores
        if s.row == "RIVAE (default)" and s.column == "recall_at_1"
    )
    assert mine.value == 0.5 and mine.std is None and mine.low is None


def test_a_dot_plot_names_rows_of_one_method_apart(lines):
    shown = view(lines)
    labels = list(dots(shown).layout.yaxis.ticktext)
    assert "RIVAE (default)" in labels and "RIVAE (paper)" in labels and "DCCA" in labels
    assert not any(label.startswith("chance") for label in labels)
    assert shown.has_dots and not any(v.has_dots for v in views_without_dots(lines))


def views_without_dots(lines):
    return [v for v in table_views(lines, "synth") if v.id in ("steps", "alpha", "ablation")]


def test_a_dot_plot_is_exported_where_a_browser_can_draw_it(lines, monkeypatch):
    monkeypatch.setattr(share, "has_browser", lambda: True)
    assert list(dot_files(view(lines))) == ["png", "svg"]
    monkeypatch.setattr(share, "has_browser", lambda: False)
    assert dot_files(view(lines)) == {}
