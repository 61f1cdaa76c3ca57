"""The table of how often intervals from a part of the labels hold."""

import json

import numpy as np
import pytest

from benchmarks.label_estimates import (
    SIZES,
    World,
    all_label_scores,
    half_of,
    kept_rows,
    report,
    summary,
)
from rivae.labels.early.estimates import SCORES


class Counted:
    """A world whose interval holds the truth in some draws."""

    name, role = "cca, half B", "reported"

    def __init__(self, held: float) -> None:
        self.held, self.measured = held, []

    def measure(self, draw, slip=0.0):
        self.measured.append(draw)
        low = 0.4 if draw < 10 * self.held else 0.6
        for n in SIZES:
            row = {"draw": draw, "n": n, "slip": slip, "way": "", "steps": 0.5}
            row |= {"cells": 0.9, "cell_width": 0.2}
            for name in SCORES:
                row[name] = [0.5, 0.55, low, 0.7]
            if n == SIZES[0]:
                row["mcc"] = [0.5, float("nan"), float("nan"), float("nan")]
            yield row


def test_halves_are_a_matter_of_the_id_alone():
    names = [f"ar_{i}" for i in range(2000)]
    halves = [half_of(name) for name in names]
    assert halves == [half_of(name) for name in names]
    assert abs(halves.count("A") - 1000) < 100


def test_a_stopped_measurement_goes_on_where_it_was(tmp_path):
    world = Counted(1.0)
    first = kept_rows(world, tmp_path, 3, 0.0)
    (path,) = tmp_path.glob("*.jsonl")
    lines = path.read_text().splitlines()
    # The last draw was cut off while it was written.
    path.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    again = kept_rows(world, tmp_path, 4, 0.0)
    assert world.measured == [0, 1, 2, 2, 3]
    assert json.dumps(again[: len(first)]) == json.dumps(first)
    assert len(again) == 4 * len(SIZES)
    assert len(kept_rows(world, tmp_path, 4, 0.0)) == 4 * len(SIZES)
    assert world.measured == [0, 1, 2, 2, 3]


@pytest.mark.parametrize("held", [0.5, 1.0])
def test_failures_are_shown_as_failures(held, tmp_path):
    world = Counted(held)
    lines = list(summary(world, kept_rows(world, tmp_path, 10, 0.0)))
    of_d = [line for line in lines if line["score"] == "D"]
    assert [line["held"] for line in of_d] == [held] * len(SIZES)
    first = next(line for line in lines if line["score"] == "MCC")
    assert first["held"] is None and first["given"] == 0
    text = report(lines)
    assert (f"**{held:.2f}**" in text) == (held < 0.86)
    assert world.name in text and world.role in text


@pytest.mark.slow
def test_the_truth_of_the_kitchen_is_that_of_all_its_labels():
    world = World.of("demo-kitchen")
    rows = list(world.measure(0))
    assert [row["n"] for row in rows] == list(SIZES)
    same = all_label_scores(world.ground_of(world.traversal.ids), world.levels)
    assert set(same) == set(SCORES)
    for row in rows:
        for name in SCORES:
            truth, value, low, high = row[name]
            assert low <= value <= high and 0 <= truth <= 1
    assert np.ptp([row["mcc"][0] for row in rows]) == 0
