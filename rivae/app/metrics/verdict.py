"""What a run's evaluation answers, each in a sentence with its figure. No streamlit here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rivae.app.shared.runs import short_date
from rivae.app.shell.text import escape
from rivae.app.work.certainty import SIGNS
from rivae.base.wording import join_words, short
from rivae.benchmark.finding import finding
from rivae.benchmark.run_report import Measured, Report, measured
from rivae.exploring.sliders import CERTAINTY
from rivae.figures.score_bars import ScoreBar, score_bars
from rivae.metrics.intervals import share_interval
from rivae.metrics.measures.dci_paper import METRICS
from rivae.metrics.measures.digits import COVERAGE, OVERLAP

if TYPE_CHECKING:
    from rivae.evaluation.evidence import Evidence
    from rivae.metrics.certainty import AxisCertainty
    from rivae.runs.axis_names import AxisName
    from rivae.runs.results import Results

LEVEL = 0.05  # of the p of a score that lies above chance
NO_FACTORS = "There are no true factors to compare with."
NOT_SURE_YET = "Being measured: this takes some seconds."
UNKNOWN = "Not known: this run kept no independent fits, and no name was tried on other items."


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        question, sentence: plain text.
        bars: the numbers behind it.
        about: what the bars are, for who cannot see them.
    """

    question: str
    sentence: str
    bars: tuple[ScoreBar, ...] = ()
    about: str = ""

    @property
    def html(self) -> str:
        """A heading, the sentence and the bars, for ``evidence.css``."""
        figure = score_bars(self.bars, self.about) if self.bars else ""
        return f"<h2>{escape(self.question)}</h2><p>{escape(self.sentence)}</p>{figure}"


def finds(report: Report, evidence: Evidence | None) -> Answer:
    """How often the right item comes first, and among the first five and ten."""
    first_recall = finding(report.stored, evidence.views if evidence else None)
    if first_recall is None:
        return Answer("Finds?", "Retrieval was not measured.")
    n_items = first_recall.n_items
    bars = tuple(
        ScoreBar(
            "First" if k == 1 else f"Among {k}",
            recall.value,
            chance=recall.chance,
            interval=share_interval(min(recall.value, 1.0), n_items) if n_items else None,
            source=_source(report, recall, f"of {n_items:,} held-out queries among as many items"),
        )
        for k, recall in first_recall.recalls.items()
    )
    return Answer("Finds?", first_recall.sentence, bars, "Share of queries whose item is found")


def separates(report: Report, evidence: Evidence | None) -> Answer:
    """The paper's D, C and I over the first range, or overlap and coverage of digits."""
    first = report.stored.along[0]
    intervals = evidence.intervals if evidence else {}
    of_factors = _scores(first.factors, [metric.key for metric in METRICS])
    scores = of_factors or _scores(
        first.digits.results if first.digits else {}, [OVERLAP.key, COVERAGE.key]
    )
    if not scores:
        return _changing(report, evidence)
    n = len(first.factors[scores[0].name].constants.factors or ()) if of_factors else 0
    over = f"of {n} factors" if n else "of digits"
    bars = tuple(
        ScoreBar(
            score.name.capitalize(),
            score.value,
            chance=score.chance,
            interval=intervals.get(score.name),
            source=_source(report, score, f"along {report.stored.settings.n_queries} queries"),
        )
        for score in scores
    )
    if not of_factors:
        sentence = "The factor is a digit: little overlap and much coverage are good."
    else:
        sentence = _above_chance(scores, over)
    return Answer("Separates?", sentence, bars, f"Scores {over}")


def _scores(results: Results, names: Sequence[str]) -> list[Measured]:
    scores = [measured(name, results[name]) for name in names if name in results]
    return [score for score in scores if score.value == score.value]


def _above_chance(scores: Sequence[Measured], over: str) -> str:
    """Which scores lie above chance."""
    tests = [score for score in scores if score.p is not None]
    if not tests:
        return f"Scores {over}, of which the level of chance was not measured."
    above = [score.name for score in tests if score.p is not None and score.p <= LEVEL]
    largest = max((score.p for score in tests if score.name in above and score.p), default=0.0)
    if not above:
        return f"None of the scores {over} lies above chance."
    if len(above) == len(scores):
        return f"All scores {over} lie above chance (p\u00a0{short(largest)})."
    return f"Above chance {over}: only {join_words(above)} (p\u00a0{short(largest)})."


def _changing(report: Report, evidence: Evidence | None) -> Answer:
    """How many axes change anything by more than chance, where there are no true factors."""
    if evidence is None or not evidence.effects:
        return Answer("Separates?", NO_FACTORS)
    n, d = sum(bool(each.changes) for each in evidence.effects), len(evidence.effects)
    sentence = f"{n} of {d} axes change something by more than chance; there are no true factors."
    source = f"tags and words of what is retrieved along each axis; seed 0; {_date(report)}"
    bar = ScoreBar("Axes with an effect", n / d, f"{n} of {d}", source=source)
    return Answer("Separates?", sentence, (bar,), "Axes with an effect")


def reliable(
    report: Report, axis_certainty: Sequence[AxisCertainty] | None, names: Sequence[AxisName | None]
) -> Answer:
    """How sure the axes are: by independent fits, else by what their names say of other items.

    Args:
        known: of each axis, () where there are no fits, None while it is measured.
        names: what is known of each axis.
    """
    if axis_certainty is None:
        return Answer("Reliable?", NOT_SURE_YET)
    if axis_certainty:
        counts, d = Counter(axis.verdict for axis in axis_certainty), len(axis_certainty)
        n_fits = axis_certainty[0].n_fits
        plane = f", {counts['plane']} more only as a plane" if counts["plane"] else ""
        bars = tuple(
            ScoreBar(
                f"{SIGNS[verdict]} {title}",
                counts[verdict] / d,
                f"{counts[verdict]} of {d}",
                source=f"axes that {n_fits} independent fits hold, without labels",
            )
            for verdict, title in CERTAINTY.items()
        )
        sentence = f"{counts['sure']} of {d} axes are the same in {n_fits} independent fits{plane}."
        return Answer("Reliable?", sentence, bars, "How sure the axes are")
    scores = sorted((n.held_out for n in names if n and n.held_out), key=lambda held: held.score)
    if not scores:
        return Answer("Reliable?", UNKNOWN)
    middle = scores[len(scores) // 2]
    n_above = sum(held.score > held.chance for held in scores)
    bar = ScoreBar(
        "Names on other items",
        middle.score,
        chance=middle.chance,
        source=f"|r| of a name with its axis on {middle.n:,} items that it was not made from: the "
        f"median; the least is {short(scores[0].score)}, the most {short(scores[-1].score)}",
    )
    sentence = f"{n_above} of {len(names)} names hold on other items."
    return Answer("Reliable?", sentence, (bar,), "How well names hold")


def _source(report: Report, score: Measured, over: str) -> str:
    """Where a number comes from: items, seed and date."""
    seed = report.stored.settings.random_state
    parts = [f"{score.value:.4f} {over}"]
    if score.p is not None:
        parts.append(f"p {score.p:.2f} by shuffled factors")
    if seed is not None:
        parts.append(f"seed {seed}")
    return "; ".join([*parts, *filter(None, [_date(report)])])


def _date(report: Report) -> str:
    return short_date(report.created)
