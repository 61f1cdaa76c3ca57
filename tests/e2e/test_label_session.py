"""From *Label* to the first numbers: two questions, keys, and what the meter says."""

import shutil

import numpy as np
import pytest

from benchmarks import label_session
from rivae.app.label.begin import ENOUGH
from rivae.app.label.meter import LETTERS
from rivae.labels.early.of_run import estimates_of_run
from rivae.labels.guideline import read_guideline
from rivae.labels.kept_plans import kept_plan, plan_names
from rivae.labels.opening import open_labels
from rivae.labels.run_scores import current_levels
from rivae.runs import Run

pytestmark = pytest.mark.slow


def test_a_newcomer_has_numbers_that_are_the_library_s(
    page, start_app, trained_run, app_runs, tmp_path, monkeypatch, until
):
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels.db"))
    runs, rng, given = tmp_path / "runs", np.random.default_rng(3), {}
    # A copy: it is evaluated on the way.
    run = Run(shutil.copytree(app_runs / trained_run, runs / trained_run))
    with start_app(runs, tmp_path / "server.log") as address:
        label_session.begin(page, address, trained_run, 20)
        said = label_session.meter(page).inner_text
        store = open_labels(str(tmp_path / "labels.db"), print)
        (name,) = plan_names(store)
        plan, factors = kept_plan(store, name), read_guideline().ids
        for _ in factors:  # a sheet of each
            factor, places = label_session.next_sheet(page)
            levels = rng.integers(1, 6, len(places)).astype(float)
            levels[rng.random(len(places)) < 0.05] = np.nan
            label_session.press(page, places, levels, 4.0)
            given |= {
                (factor, plan.order[at]): level for at, level in zip(places, levels, strict=True)
            }
        assert {factor for factor, _ in given} == set(factors), "each question once"
        until(lambda: "D " in said(), "ranges beside the desk")
        data = run.load_dataset()
        labels = current_levels(store, data, plan.items)
        for row in labels.itertuples():
            np.testing.assert_equal(row.level, given[row.factor, row.item])
        assert len(labels) == len(given) and min(labels.groupby("factor").size()) >= ENOUGH
        found = estimates_of_run(store, run, plan, data=data)
        ranges = [
            f"{LETTERS[score]} {e.low:.2f}–{e.high:.2f}".replace("0.", ".")
            for score, e in found.scores.items()
        ]
        until(lambda: all(text in said() for text in ranges), f"{ranges} in the line")
        store.close()
