"""The meter beside the desk: read in a thread, said in a line."""

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from rivae.app.label.meter import (
    CORRECTED,
    DONE,
    LETTERS,
    MORE,
    NOTHING_YET,
    SHORT,
    UNDECIDED,
    compared,
    details,
    said,
)
from rivae.app.work.meters import BackgroundMeter
from rivae.base.errors import LabelError
from rivae.labels.agreement import Agreement
from rivae.labels.early.comparing import MAX_COMPARED, Difference
from rivae.labels.early.estimates import LabelEstimates
from rivae.labels.early.intervals import Estimate
from rivae.labels.early.meter import FactorMeter, MeterReading
from rivae.labels.early.slips import SlipRate
from rivae.labels.guideline import read_guideline
from tests.waiting import until

FACTORS = read_guideline().ids[:3]
TITLES = {name: f"{name}_*title*" for name in ("one", "a_b", "c", "d", "e")}


def reading(rng, *, labelled=20, known=True, minutes=None, runs=("one",)):
    """A reading with drawn numbers."""

    def score():
        low, high = sorted(rng.uniform(0, 1, 2))
        return Estimate((low + high) / 2, low, high) if known else Estimate.none("too_few *items*")

    table = rng.uniform(size=(4, 3))
    estimates = {
        run: LabelEstimates(
            {name: score() for name in LETTERS}, FACTORS, table, table - 0.1, table + 0.1,
            (labelled,) * 3, (0.5, 0.25, 0.75),
        )
        for run in runs
    }  # fmt: skip
    factors = tuple(
        FactorMeter(name, labelled, 0.5, 0.2, (k, Estimate(0.5, 0.41, 0.62)) if labelled else None)
        for k, name in enumerate(FACTORS)
    )
    agreement = (Agreement(FACTORS[1], 0.8, 0.7, 0.9, 12, 2),)
    return MeterReading(estimates, 0.5, factors, minutes, agreement, SlipRate(0.1, 0.04, 0.2, 30))


@pytest.mark.parametrize("seed", range(5))
def test_the_line_has_every_range_and_what_is_left_to_do(seed):
    rng = np.random.default_rng(seed)
    minutes = float(rng.uniform(0.1, 30))
    found = reading(rng, minutes=minutes, runs=("a_b", "c"))
    line = said(found, TITLES)
    first, *lines = line.split("  \n")
    assert "**50%**" in first and len(lines) == 2, "a line for each run"
    assert [one.partition(": ")[0] for one in lines] == [
        "a\\_b\\_\\*title\\*",
        "c\\_\\*title\\*",
    ]
    for estimates in found.runs.values():
        for score in estimates.scores.values():
            low, high = (f"{v:.2f}".lstrip("0") for v in (score.low, score.high))
            assert f"{low}–{high}" in line
    assert f" {math.ceil(minutes)} min" in first
    alone = said(reading(rng, minutes=0.0), TITLES)
    assert DONE in alone and "\n" not in alone and SHORT in said(reading(rng), TITLES)


def test_slips_are_said_and_whether_ranges_are_corrected():
    found = reading(np.random.default_rng(0))
    table = details(found, read_guideline(), ["a", "b", "c", "d"], TITLES)
    assert "10%" in table and CORRECTED not in table
    runs = {name: replace(one, slips=found.slips) for name, one in found.runs.items()}
    corrected = replace(found, runs=runs)
    assert CORRECTED in details(corrected, read_guideline(), ["a", "b", "c", "d"], TITLES)


@pytest.mark.parametrize("seed", range(5))
def test_of_many_runs_three_are_shown_and_the_two_best_are_compared(seed):
    found = reading(np.random.default_rng(seed), runs=("a_b", "c", "d", "e"))
    shown = list(found.runs)[:MAX_COMPARED]
    none = dict.fromkeys(LETTERS, Estimate(0.0, -0.1, 0.1))
    pairs = tuple(Difference(a, b, none) for i, a in enumerate(shown) for b in shown[i + 1 :])
    found = replace(found, differences=pairs)
    _, *lines = said(found, TITLES).split("  \n")
    assert len(lines) == MAX_COMPARED + 2
    assert MORE.format("e\\_\\*title\\*") in lines[-1]
    best = sorted(shown, key=lambda name: -found.runs[name].scores["disentanglement"].value)[:2]
    names = [TITLES[name].replace("_", "\\_").replace("*", "\\*") for name in shown if name in best]
    assert lines[-2] == UNDECIDED.format(*names)
    table = details(found, read_guideline(), ["a", "b", "c", "d"], TITLES)
    assert all(compared(one, TITLES) in table for one in pairs)


@pytest.mark.parametrize("seed", range(20))
def test_a_difference_is_a_sentence(seed):
    """Each score is named once, as higher, lower or perhaps by chance, and so is how much."""
    rng = np.random.default_rng(seed)
    scores = {}
    for name in LETTERS:
        low, high = sorted(rng.uniform(-0.3, 0.3, 2).round(2))
        scores[name] = Estimate((low + high) / 2, low, high)
    scores["mcc"] = Estimate.none("why not")
    sentence = compared(Difference("c", "d", scores), {"c": "First", "d": "Second"})
    first, second = sorted(("First", "Second"), key=sentence.index)
    sign = 1 if first == "First" else -1
    known = {name: one for name, one in scores.items() if one.known}
    beyond = {name for name, one in known.items() if one.low > 0 or one.high < 0}
    if not beyond:
        assert sentence == UNDECIDED.format(first, second)
        return
    said_of, _, chance = sentence.partition(";")
    higher, _, lower = said_of.partition("lower")
    for name, one in known.items():
        if name not in beyond:
            assert LETTERS[name] in chance.split("the")[0].replace(",", "").split()
            continue
        ends = sorted(f"{abs(end):.2f}".lstrip("0") for end in (one.low, one.high))
        part = higher if sign * one.value > 0 else lower
        assert f"{LETTERS[name]} (by {ends[0]}–{ends[1]})" in part
    assert "MCC" not in sentence


def test_without_numbers_it_says_why():
    rng = np.random.default_rng(1)
    assert said(reading(rng, labelled=0), TITLES) == NOTHING_YET
    line = said(reading(rng, known=False), TITLES)
    assert said(reading(rng, known=False, runs=("a_b", "c")), TITLES) == line, "said once"
    assert "too\\_few \\*items\\*" in line and SHORT not in line


def test_each_factor_has_the_axis_that_it_goes_with():
    table = details(
        reading(np.random.default_rng(2)),
        read_guideline(),
        ["z1 · a|b", "<b>", "c", "d"],
        {"one": "RIVAE|<b>"},
    )
    rows = [line for line in table.splitlines() if ".41–.62" in line]
    assert len(rows) == 3 and "0.80" in rows[1] and "10%" in table
    assert all(row.replace("\\|", "").count("|") == 6 for row in rows), "nothing breaks a cell"
    assert "<b>" not in table


def test_a_reading_is_made_once_and_nobody_waits_for_it():
    go, opened, asked = threading.Event(), [], []

    class Slow:
        def read(self, by):
            asked.append(by)
            if len(asked) == 3:
                raise LabelError("gone")
            return len(asked)

    def open_meter(progress):
        progress("half way", 0.5)
        opened.append(True)
        assert go.wait(30)
        return Slow()

    meter = BackgroundMeter(open_meter)
    for _ in range(5):
        meter.ask(1, "Ana", 40)  # patience is for readings, not for opening
    until(lambda: meter.stage == "half way", "half of it")
    assert meter.reading is None and meter.working
    go.set()
    until(lambda: meter.reading == 1, "a first reading")
    until(lambda: not meter.working, "its end")
    meter.ask(1, "Ana")
    assert not meter.working and len(asked) == 1, "no answer since"
    meter.ask(2, "Ana", 30)
    assert meter.reading == 2, "a second one, waited for"
    until(lambda: not meter.working, "its end")
    meter.ask(3, "Bob")
    until(lambda: bool(meter.error), "its error")
    assert meter.reading == 2 and len(opened) == 1 and asked == ["Ana", "Ana", "Bob"]
