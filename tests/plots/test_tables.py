import csv
import io
import math

from rivae.metrics.base import MetricResult
from rivae.plots.tables import Score, scores_of, to_csv, to_latex, to_markdown

SCORES = [
    Score("RIVAE", "recall_at_1", 0.98, 0.01, 1.0),
    Score("a|b & <c>", "recall_at_1", math.nan, None, 0.13),
    Score("RIVAE", "median_rank", 1.0, None, None, higher_is_better=False),
]


def test_markdown_puts_the_paper_beside_ours():
    assert to_markdown(SCORES, corner="method").splitlines() == [
        "| method | R@1 ↑ | Med-R ↓ |",
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


def test_csv_can_be_read_back():
    rows = [{"name": 'a "quoted", name\nin two lines', "x": 0.1}, {"x": math.nan, "y": None}]
    back = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert back[0] == {"name": rows[0]["name"], "x": "0.1", "y": ""}
    assert back[1] == {"name": "", "x": "", "y": ""}


def test_scores_come_from_stored_results():
    stored = {
        "mcc": MetricResult("mcc", 0.8, std=0.1).to_dict(),
        "median_rank": {"score": None, "std": None, "higher_is_better": False},
    }
    scores = scores_of(stored, "run", ["median_rank", "mcc", "absent"], {"mcc": 0.9})
    assert [s.column for s in scores] == ["median_rank", "mcc"]
    assert math.isnan(scores[0].value)
    assert not scores[0].higher_is_better
    assert scores[1] == Score("run", "mcc", 0.8, 0.1, 0.9)
