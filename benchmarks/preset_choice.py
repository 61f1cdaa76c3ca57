"""Is the same care better for every method? Presets of before and of today, on validation rows.

    python benchmarks/preset_choice.py RUNS [--data synth,...] [--methods rivae,...] [--seeds 0-1]
                                       [--device cuda]

Today every method has RIVAE's sizes of heads, a rate that falls as a cosine, and at least RIVAE's
epochs of each stage, unless this table takes another setting. What a preset had before is trained
again, in the folder RUNS; so is what a preset has that the others have not. Today's runs are those
of ``rivae benchmark --runs RUNS``. A measured cell is kept, a stopped run is resumed. Scores are of
validation rows alone. Writes ``benchmarks/results/preset-choice.md`` and ``.parquet``, and goes on
from the cells of that file: another machine continues where one stopped. Cells of other settings
are dropped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import mean_and_spread, numbers, trained, with_stored
from rivae.base.errors import RunError
from rivae.benchmark.lines import Changes
from rivae.benchmark.plan import Cell, completed_row
from rivae.data.names import DATASETS
from rivae.runs import Run
from rivae.training.validation import validation_scores

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "preset-choice.parquet"
KEY = ["data", "method", "setting", "seed"]
TODAY, BEFORE = "same care", "before"
CONSTANT, TENS = ("schedule", "constant"), ("head_hidden", (10, 10))
G_BEFORE = ("g_hidden", (10, 10, 10))
# What presets had until 24 November 2026, and what one has that the others have not: what changes
# in today's preset, of which the rule has taken one (the same care where it is not named).
CHANGED: dict[str, dict[str, dict[str, Changes]]] = {
    "synth": {
        "cos-sim-lvm": {BEFORE: (CONSTANT, ("epochs", 300))},
        "bi-vae": {BEFORE: (("epochs", 200),)},
        "dcca": {BEFORE: (G_BEFORE,)},
        "info-nce": {BEFORE: (("epochs", 300),)},
        "cos-sim": {BEFORE: (("epochs", 300),), "a margin of .3": (("margin", 0.3),)},
    },
    "synth-modulated": {
        "cos-sim-lvm": {BEFORE: (CONSTANT,)},
        "dcca": {BEFORE: (G_BEFORE,)},
    },
    "sprites": {
        "rbi-vae": {BEFORE: (("model_epochs", 30), ("joint_epochs", 30))},
        "bi-vae-on-v": {BEFORE: (("epochs", 60),)},
        "cos-sim-lvm": {BEFORE: (CONSTANT, TENS, ("epochs", 60))},
        # The rule took what these two had before.
        "bi-vae": {TODAY: (("epochs", 80),), BEFORE: ()},
        "cos-sim": {TODAY: (("epochs", 80),), BEFORE: ()},
        "dcca": {BEFORE: (TENS, G_BEFORE)},
        "info-nce": {BEFORE: (("epochs", 60),)},
    },
    "split-mnist": {
        "rivae": {"start: contrast, then unfolded": (("init", "contrast"),)},
        "cos-sim-lvm": {BEFORE: (CONSTANT, TENS)},
        "bi-vae": {BEFORE: (("epochs", 16),)},
        "dcca": {
            BEFORE: (TENS, G_BEFORE),
            "embedders at the full rate": (("embedder_rate", 1.0),),
        },
    },
    "kitchen": {"rivae": {"ten axes": (("n_components", 10),)}},
    "kitchen-drawn": {
        "rbi-vae": {BEFORE: (("model_epochs", 10),)},
        "bi-vae-on-v": {BEFORE: (("epochs", 30),)},
        "bi-vae": {BEFORE: (("epochs", 30),)},
        "dcca": {BEFORE: (("g_epochs", 10), G_BEFORE)},
    },
}
ENOUGH = 0.01  # by so much another setting has to be better
COLUMNS = {
    "recall_at_1": "R@1",
    "median_rank": "MedR",
    "score": "MRR",
    "mcc": "MCC",
    "r2": "linear R²",
    "value": "value",
    "cpu_s": "CPU s",
}
READING = f"""\
*{TODAY}* is RIVAE's sizes of heads, a rate that falls as a cosine, and at least as many epochs of
each stage as RIVAE has. *{BEFORE}* is what the preset had until 24 November 2026.
Presets that did not change are not listed. Among them are RIVAE's, but for its start on
Split-MNIST: its rates and weights were chosen on validation rows over many trials, and the others
took from it what they have as well.

**The rule.** Today's preset takes the setting of the highest *value*, the mean of MRR and linear R²
(MRR alone where no numeric factor is known) over the same seeds, and the same care unless another
is ahead of it by more than {ENOUGH}.

Scores are of at most 1,000 validation pairs: MRR, the mean reciprocal rank, moves more smoothly
than R@1. Linear R² does not ask which way the axes point, as their steps are chosen later; it
counts as 0 where it is negative, and is that of all of V for a method without z. MCC is that of
the preset's axes. A run that diverged has an MRR and a value of 0. No test row is read. CPU s is
missing where a run was there already or was trained on a card.
"""


@dataclass(frozen=True)
class Setting:
    """One line of the table: its name, and what it changes of today's preset."""

    label: str
    changes: Changes = ()


def tried(data: str, method: str) -> list[Setting]:
    """The settings of a method that are compared, the same care first."""
    named = {TODAY: (), **CHANGED[data].get(method, {})}
    return [Setting(name, changes) for name, changes in named.items()]


def cell_of(data: str, method: str, setting: Setting, seed: int, device: str | None = None) -> Cell:
    """The benchmark's cell of one run; of data that are drawn, the draw is the seed's."""
    draws = (seed if DATASETS.said(data, "drawn_by", ()) else 0,)
    place = (("device", device),) if device else ()
    return Cell(data, method, "default", (seed,), draws, setting.changes, place=place)


def measured(
    root: Path, data: str, method: str, setting: Setting, seed: int, device: str | None = None
) -> dict[str, Any]:
    """Train, resume or find one run, and score its validation rows; 0 where it diverged."""
    cell = cell_of(data, method, setting, seed, device)
    config = cell.config(cell.draws[0], seed)
    kept = root / f"{config.name}.validation.json"
    if kept.exists():
        return dict(json.loads(kept.read_text(encoding="utf-8")))
    new, started = not (root / config.name).exists(), time.process_time()
    row = {"data": data, "method": method, "setting": setting.label, "seed": seed}
    row |= {"config": cell.settings_json}
    try:
        run = trained(root, config)
    except RunError as error:
        if Run(root / config.name).status.state != "failed":
            raise
        row |= {"score": 0.0, "diverged": str(error)}
    else:
        on_cpu = new and run.config.training.device == "cpu"
        row |= {"cpu_s": time.process_time() - started if on_cpu else None}
        loaded = run.load_dataset()
        row |= validation_scores(run.load_method(loaded), loaded)
    kept.write_text(json.dumps(row), encoding="utf-8")
    return row


# tables


def with_value(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with what the rule compares."""
    wanted = {*COLUMNS, "diverged"}
    rows = rows.reindex(columns=[*rows.columns, *(wanted - set(rows.columns))])
    both = (rows["score"] + rows["r2"].clip(lower=0)) / 2
    return rows.assign(value=both.where(rows["r2"].notna(), rows["score"]))


def taken(rows: pd.DataFrame, labels: list[str]) -> str | None:
    """The setting that the rule takes for one method on one data set.

    None as long as a setting of ``labels`` is not measured with the seeds of the others.
    """
    values = rows.pivot_table(index="seed", columns="setting", values="value").dropna()
    if set(values.columns) != set(labels) or len(values) < rows["seed"].nunique():
        return None
    means = values.mean()
    best = str(means.idxmax())
    return best if means[best] > means[TODAY] + ENOUGH else TODAY


def still_true(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose settings are those that the command would train."""

    def current(row: pd.Series) -> bool:
        labels = {s.label: s for s in tried(row.data, row.method)}
        if row.setting not in labels:
            return False
        cell = cell_of(row.data, row.method, labels[row.setting], row.seed)
        stored = completed_row({"dataset": row.data, "method": row.method, "config": row.config})
        return bool(cell.settings_json == stored["config"])

    return rows[[current(row) for row in rows.itertuples()]] if len(rows) else rows


def tables(rows: pd.DataFrame) -> str:
    """What the rule takes for every method, and mean ± s.d. over seeds of every setting."""
    titles = ["data", "method", "setting", "n", *COLUMNS.values(), ""]
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    rows, waiting = with_value(rows), []
    for data, methods in CHANGED.items():
        for method in methods:
            here = rows[(rows["data"] == data) & (rows["method"] == method)]
            if not len(here):
                waiting.append(f"{method} on {data}")
                continue
            labels = [setting.label for setting in tried(data, method)]
            found = taken(here, labels)
            for label in labels:
                group = here[here["setting"] == label]
                digits = {"cpu_s": 0, "median_rank": 1}
                means = [mean_and_spread(group[key], digits.get(key, 3)) for key in COLUMNS]
                lost = int(group["diverged"].notna().sum())
                mark = "**taken**" if label == found else f"{lost} diverged" if lost else ""
                mark = mark or ("open: not all are measured" if found is None else "")
                lines.append(f"| {data} | {method} | {label} | {len(group)} | ")
                lines[-1] += f"{' | '.join(means)} | {mark} |"
    if waiting:
        lines += ["", f"**Not measured yet**, and the same care until then: {', '.join(waiting)}."]
    return "\n".join(lines)


def write(rows: pd.DataFrame, folder: Path = RESULTS) -> None:
    """The tables and their rows."""
    rows = rows.sort_values(KEY, ignore_index=True)
    rows.to_parquet(folder / TABLE.name, index=False)
    text = (
        "# The same care for every method\n\n`python benchmarks/preset_choice.py RUNS`; mean ± "
        f"s.d. over n seeds (of Synth: draws as well).\n\n{READING}\n{tables(rows)}\n"
    )
    (folder / "preset-choice.md").write_text(text, encoding="utf-8")


def main() -> None:
    """Measure what is missing and write the tables of everything that was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--data", default=",".join(CHANGED))
    parser.add_argument("--methods")
    parser.add_argument("--seeds", type=numbers, default=[0, 1])
    parser.add_argument("--device", help="cpu or cuda, for new runs")
    chosen = parser.parse_args()
    chosen.runs.mkdir(parents=True, exist_ok=True)
    rows = still_true(with_stored(pd.DataFrame(), TABLE, KEY))
    for data in chosen.data.split(","):
        methods = chosen.methods.split(",") if chosen.methods else CHANGED[data]
        for method in methods:
            for setting in tried(data, method):
                for seed in chosen.seeds:
                    names = (data, method, setting.label, seed)
                    if len(rows) and names in set(rows[KEY].itertuples(index=False, name=None)):
                        continue
                    row = measured(chosen.runs, data, method, setting, seed, chosen.device)
                    print(row, flush=True)
                    rows = pd.concat([rows, pd.DataFrame([row])], ignore_index=True)
            write(rows)


if __name__ == "__main__":
    main()
