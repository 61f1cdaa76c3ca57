"""Which settings should a preset take? The same short list for every method, on validation rows.

    python benchmarks/preset_choice.py RUNS [--data synth,...] [--methods rivae,...] [--seeds 0-1]

Every method that learns is trained with the same list of rates, heads, starts and lengths, as far
as it has them, in the folder RUNS; a measured cell is kept, a stopped run is resumed. Scores are of
validation rows alone. Writes ``benchmarks/results/preset-choice.md`` and ``.parquet`` of all
measured cells after every method, and starts from the cells of that file: another machine goes on
where one stopped. Each cell is of the preset of its day: after a change of presets take ``--anew``
and another folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import mean_and_spread, numbers, trained
from rivae.benchmark.plan import draw_settings
from rivae.launch import make_config, train
from rivae.methods.presets import trains_as_batch
from rivae.runs import Run
from rivae.validation import validation_scores

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "preset-choice.parquet"
Settings = dict[str, Any]
DATA = ("synth", "synth-modulated", "sprites", "split-mnist", "kitchen")
METHODS = (
    "rivae",
    "rbi-vae",
    "bi-vae-on-v",
    "dcca",
    "cos-sim-lvm",
    "bi-vae",
    "info-nce",
    "cos-sim",
)
HEADS = ("head_hidden", "g_hidden")
START = ("init", "init_epochs", "init_learning_rate", "cos_sim", "contrast", "anchor")
PARTS = ("heads", "start", "epochs")
# What is tried: the rate, and which parts are RIVAE's.
LIST: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("constant", ()),
    ("cosine", ()),
    ("constant", ("heads",)),
    ("cosine", ("heads",)),
    ("cosine", ("heads", "start")),
    ("cosine", ("heads", "epochs")),
)
TODAY = "as it is"
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
**The rule.** A preset takes the setting of the highest *value*, the mean of MRR and linear R² (MRR
alone where no numeric factor is known) over the same seeds, and today's unless another is ahead of
it by more than {ENOUGH}.

Every method has the same list: a constant rate and one that falls as a cosine, each with the
paper's heads and with RIVAE's, from the paper's start (a Cos-Sim-LVM) and with the method's own
number of epochs; then, at the falling rate and with RIVAE's heads, RIVAE's start, and RIVAE's
epochs (its start and joint training for a method of one stage). The rate is that of all stages
that have a schedule. What a method does not have, or what is the same on a data set, is not tried;
*{TODAY}* is a preset that is none of the list. Nothing else of the preset changes.

Scores are of at most 1,000 validation pairs: MRR, the mean reciprocal rank, moves more smoothly
than R@1. Linear R² does not ask which way the axes point, as their steps are chosen later; it
counts as 0 where it is negative, and is that of all of V for a method without z. MCC is that of
the preset's axes. No test row is read.
"""


@dataclass(frozen=True)
class Setting:
    """One line: what differs from the others, in words, and all settings of the method."""

    label: str
    settings: Settings
    today: bool = False

    @property
    def digest(self) -> str:
        """Equal for equal trainings."""
        text = json.dumps(in_use(self.settings), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def settings_of(data: str, method: str, preset: str = "default") -> Settings:
    """All settings of a preset."""
    return make_config(data, method, preset, name="preset").method.settings


def in_use(settings: Settings) -> Settings:
    """The settings without those of starts that are not taken."""
    others = {"cos-sim-lvm": ("cos_sim", "init_schedule"), "contrast": ("contrast",)}
    unused = [key for init in others if settings.get("init") != init for key in others[init]]
    return {key: value for key, value in settings.items() if key not in unused}


def parts_of_rivae(data: str, own: Settings) -> dict[str, Settings]:
    """Changes that give a method with the settings ``own`` RIVAE's heads, start and epochs."""
    lead = settings_of(data, "rivae")
    joint, alone = lead["joint_epochs"], lead["ivae_epochs"]
    epochs = {"joint_epochs": joint, "model_epochs": alone, "g_epochs": alone}
    epochs["epochs"] = joint + (alone if "init" in own else lead["init_epochs"])
    parts = {
        "heads": dict.fromkeys(HEADS, lead["head_hidden"]),
        "start": {key: lead[key] for key in START},
        "epochs": epochs,
    }
    return {name: {k: v for k, v in part.items() if k in own} for name, part in parts.items()}


def tried(data: str, method: str) -> list[Setting]:
    """The list as far as it applies to a method, each training once; today's preset among it."""
    own = settings_of(data, method)
    paper, start = settings_of(data, method, "paper"), settings_of(data, "rbi-vae")
    base = {
        **own,
        **{key: paper[key] for key in HEADS if key in own},
        **{key: start[key] for key in START if key in own},
    }
    parts = parts_of_rivae(data, own)

    def changed(rate: str, names: tuple[str, ...]) -> Settings:
        rates = {key: rate for key in ("schedule", "init_schedule") if key in own}
        return base | rates | {k: v for name in names for k, v in parts[name].items()}

    today = Setting(TODAY, own, today=True)
    found: dict[str, Setting] = {}
    for rate, names in LIST:
        whole = in_use(changed(rate, names))
        rest = {n: changed(rate, tuple(x for x in names if x != n)) for n in names}
        told = [n for n in names if in_use(rest[n]) != whole]
        label = ", ".join([f"{rate} rate", *(f"RIVAE's {n}" for n in told)])
        made = Setting(label, changed(rate, names), today=whole == in_use(own))
        found.setdefault(made.digest, made)
    return list(found.values() if today.digest in found else [today, *found.values()])


def not_tried(labels: list[str]) -> str:
    """The parts of RIVAE's that no setting has."""
    return ", ".join(n for n in PARTS if not any(f"RIVAE's {n}" in text for text in labels))


def measure(run: Run) -> dict[str, float]:
    """Scores of the validation rows of a finished run."""
    data = run.load_dataset()
    return validation_scores(run.load_method(data), data)


def cell_file(data: str, method: str, digest: str, seed: int) -> str:
    """The file of one measured cell."""
    return f"{data}-{method}-{digest}-s{seed}.json"


def restore(rows: pd.DataFrame, root: Path) -> None:
    """Give the folder the cells of a table, where it has none of its own."""
    for row in rows.to_dict("records"):
        file = root / cell_file(*(row[key] for key in ("data", "method", "digest", "seed")))
        if not file.exists():
            # Scores that a data set does not have are empty; the list of labels is an array.
            known = {key: value for key, value in row.items() if np.ndim(value) or pd.notna(value)}
            file.write_text(json.dumps(known, default=np.ndarray.tolist), encoding="utf-8")


def cells(
    root: Path, data: str, method: str, setting: Setting, seeds: list[int]
) -> list[dict[str, Any]]:
    """Train and measure one setting with some seeds, or read what was measured.

    New runs of small networks train as one batch, whose seconds they share.
    """
    files = {seed: root / cell_file(data, method, setting.digest, seed) for seed in seeds}
    missing = {
        seed: make_config(
            data,
            method,
            name=file.stem,
            seed=seed,
            dataset_settings=draw_settings(data, seed),
            method_settings=setting.settings,
        )
        for seed, file in files.items()
        if not file.exists()
    }
    started, together = time.process_time(), 0.0
    new = [config for config in missing.values() if not (root / config.name).exists()]
    if len(new) > 1 and trains_as_batch(setting.settings):
        train(new, root)
        together = (time.process_time() - started) / len(new)
    for seed, config in missing.items():
        started = time.process_time()
        run = trained(root, config)
        cpu_s = time.process_time() - started + together * (config in new)
        row = {"data": data, "method": method, "setting": setting.label, "today": setting.today}
        row |= {
            "digest": setting.digest,
            "seed": seed,
            "labels": [other.label for other in tried(data, method)],
        }
        row |= {"cpu_s": cpu_s, **measure(run)}
        files[seed].write_text(json.dumps(row), encoding="utf-8")
    return [dict(json.loads(file.read_text(encoding="utf-8"))) for file in files.values()]


# tables


def with_value(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with what the rule compares."""
    rows = rows.reindex(columns=[*rows.columns, *(set(COLUMNS) - set(rows.columns))])
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
    today = next(iter(rows.loc[rows["today"], "setting"]))
    best = str(means.idxmax())
    return best if means[best] > means[today] + ENOUGH else str(today)


def tables(rows: pd.DataFrame) -> str:
    """What the rule takes for every method, and mean ± s.d. over seeds of every setting."""
    choice = ["| data | method | settings | RIVAE's, not tried | taken |", "|" + "---|" * 5]
    titles = ["data", "method", "setting", "n", *COLUMNS.values(), ""]
    scores = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for (data, method), here in with_value(rows).groupby(["data", "method"], sort=False):
        labels = list(here["labels"].iloc[0])
        found = taken(here, labels)
        end = "open: not all are measured" if found is None else found
        choice.append(f"| {data} | {method} | {len(labels)} | {not_tried(labels) or '–'} | {end} |")
        for label, group in sorted(here.groupby("setting"), key=lambda pair: labels.index(pair[0])):
            digits = {"cpu_s": 0, "median_rank": 1}
            means = [mean_and_spread(group[key], digits.get(key, 3)) for key in COLUMNS]
            marks = ["today"] * bool(group["today"].any()) + ["**taken**"] * (label == found)
            line = [*map(str, (data, method, label, len(group))), *means, ", ".join(marks)]
            scores.append(f"| {' | '.join(line)} |")
    return "\n".join([*choice, "", *scores])


def write(rows: pd.DataFrame, folder: Path = RESULTS) -> None:
    """The tables and their rows."""
    order = {name: i for i, name in enumerate((*DATA, *METHODS))}
    rows = rows.sort_values(["setting", "seed"]).sort_values(
        ["data", "method"], key=lambda names: names.map(order), kind="stable"
    )
    rows.to_parquet(folder / TABLE.name, index=False)
    text = (
        "# What presets take\n\n`python benchmarks/preset_choice.py RUNS`; mean ± s.d. over n "
        f"seeds (of Synth: draws as well).\n\n{READING}\n{tables(rows)}\n"
    )
    (folder / "preset-choice.md").write_text(text, encoding="utf-8")


def main() -> None:
    """Measure what is missing and write the tables of everything that was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=numbers, default=[0, 1])
    parser.add_argument("--anew", action="store_true", help="forget the cells of the table")
    chosen = parser.parse_args()
    chosen.runs.mkdir(parents=True, exist_ok=True)
    if TABLE.exists() and not chosen.anew:
        restore(pd.read_parquet(TABLE), chosen.runs)
    for data in chosen.data.split(","):
        for method in chosen.methods.split(","):
            for setting in tried(data, method):
                for row in cells(chosen.runs, data, method, setting, chosen.seeds):
                    print(row, flush=True)
            kept = [json.loads(file.read_text()) for file in chosen.runs.glob("*.json")]
            write(pd.DataFrame(kept))


if __name__ == "__main__":
    main()
