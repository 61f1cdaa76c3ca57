import math

from rivae.figures.tables import Score, best_cells, cell, scores_of, to_latex, to_markdown
from rivae.runs.results import Result

SCORES = [
    Score("RIVAE", "recall_at_1", 0.98, 0.01, 1.0),
    Score("a|b & <c>", "recall_at_1", math.nan, None, 0.13),
    Score("RIVAE", "median_rank", 1.0, None, None, higher_is_better=False),
]


def test_markdown_puts_the_paper_beside_ours():
    assert to_markdown(SCORES, corner="method").splitlines() == [
        "| method | R@1 ↑ | MedR ↓ |",
        "|---|---:|---:|",
        "| RIVAE | 0.98 ± 0.01 (1.00) | 1.00 |",
        r"| a\|b &amp; &lt;c&gt; | undefined (0.13) |  |",
    ]


def test_latex_masks_its_special_characters():
    text = to_latex(SCORES)
    assert r"a|b \& <c> & undefined (0.13) &  \\" in text
    assert r"0.98 $\pm$ 0.01 (1.00)" in text
    assert text.count(r"\\") == 3
    assert r"\_" in to_latex([Score("x_y", "c", 1.0)])


def test_latex_is_a_table_of_booktabs_that_closes_what_it_opens():
    text = to_latex([*SCORES, Score("ü^2~{x}", "mcc_α", 0.5, label="100 %\nα_1")])
    for line in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"):
        assert text.count(line) == 1
    assert r"ü\^{}2\~{}\{x\}" in text and r"100 \% $\alpha$\_1 $\uparrow$" in text
    assert {line.count(" & ") for line in text.splitlines() if line.endswith(r"\\")} == {3}


STATES = [
    Score("RIVAE", "r", 0.6051, 0.036, 0.35, low=0.595, high=0.615, n=50),
    Score("ours too", "r", 0.6049, 0.1, 0.9186, n=8, n_failed=2),
    Score("DCCA", "r", None, paper_failed=True, state="failed", reason="no step"),
    Score("Bi-VAE", "r", None, state="not run"),
    Score("chance", "r", 0.99, n=3),
    Score("undefined", "r", math.nan, n=0, n_failed=0),
]


def test_states_intervals_and_runs_are_written():
    best = best_cells(STATES, 3, left_out=["chance"])
    assert to_markdown(STATES, digits=3, best=best).splitlines()[2:] == [
        "| RIVAE | **0.605 ± 0.036** [0.595, 0.615] (0.350) | 50 |",
        "| ours too | **0.605 ± 0.100** (0.9186) | 8, 2 failed |",
        "| DCCA | Failed (Failed) |  |",
        "| Bi-VAE | not run |  |",
        "| chance | 0.990 | 3 |",
        "| undefined | undefined |  |",
    ]
    latex = to_latex(STATES, digits=3, best=best)
    assert r"RIVAE & \textbf{0.605 $\pm$ 0.036} [0.595, 0.615] (0.350) & 50 \\" in latex


def test_the_best_of_a_column():
    assert best_cells(STATES, 4) == {("chance", "r")}
    assert best_cells(STATES, 4, left_out=["chance"]) == {("RIVAE", "r")}
    assert best_cells(STATES, 3, left_out=["chance"]) == {("RIVAE", "r"), ("ours too", "r")}
    assert best_cells(STATES[:1]) == set(), "one value is not the best of anything"
    ranks = [Score(str(v), "rank", v, higher_is_better=False) for v in (2.0, 1.0, math.nan)]
    assert best_cells(ranks) == {("1.0", "rank")}


def test_a_cell_without_more_is_the_value():
    assert cell(Score("a", "b", 0.5)) == "0.50"
    assert cell(Score("a", "b", None)) == "–"
    assert cell(Score("a", "b", 0.5, paper=0.123)) == "0.50 (0.123)"


def test_scores_come_from_stored_results():
    stored = {
        "mcc": Result(score=0.8, std=0.1),
        "median_rank": Result(higher_is_better=False),
    }
    scores = scores_of(stored, "run", ["median_rank", "mcc", "absent"], {"mcc": 0.9})
    assert [s.column for s in scores] == ["median_rank", "mcc"]
    assert math.isnan(scores[0].value)
    assert not scores[0].higher_is_better
    assert scores[1] == Score("run", "mcc", 0.8, 0.1, 0.9)
