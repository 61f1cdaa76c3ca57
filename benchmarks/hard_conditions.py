"""Do the axes survive conditions that hurt? Sprites-hard, one condition at a time and all at once.

    python benchmarks/hard_conditions.py RUNS [--conditions plain,hole] [--seeds 0-4] [--splits 0-1]

Trains RIVAE from three starts under every condition, in the folder RUNS, and writes
``benchmarks/results/hard-conditions.md`` and ``.parquet``. A measured cell is kept, a stopped run
is resumed: run it again to go on. Nothing but the start differs, and the linear embedders that the
closed form needs; labels only score.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import mean_and_spread, numbers, trained, with_stored
from rivae.data import load_dataset
from rivae.data.base import PairedDataset
from rivae.jobs.launch import make_config
from rivae.labels.align import align_axes
from rivae.metrics.base import halves, standardised
from rivae.metrics.certainty import Verdict
from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.r2 import r2
from rivae.metrics.measures.retrieval import retrieval_metrics
from rivae.models.base import Method
from rivae.models.ridge_cca import fit_ridge_cca
from rivae.models.settings import CLOSED_FORM
from rivae.retrieval.model import LatentModel
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run
from rivae.training.alignment.certainty import certainty_of
from rivae.training.smooth_start import blurred_pairs, conformal_isomap
from rivae.training.starts import StartFile, read_shares
from rivae.training.unfolding import count_axes

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "hard-conditions.parquet"
CONDITIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "private background": {"background": 0.6},
    "private distractor": {"distractor": True},
    "private texture": {"texture": 0.5},
    "private noise": {"noise": 0.2},
    "private hue": {"hue": True},
    "hole": {"hole": 0.5},
    "uneven": {"uneven": 0.9},
    "30 % of the pairs": {"n_pairs": 1843},
    "correlation .5": {"correlation": 0.5},
    "correlation .9": {"correlation": 0.9},
    "three shapes": {"n_shapes": 3},
    "all": {
        "background": 0.6,
        "distractor": True,
        "texture": 0.4,
        "noise": 0.1,
        "hue": True,
        "n_shapes": 3,
        "correlation": 0.6,
        "hole": 0.4,
    },
}
STARTS = ("smooth", "contrast", CLOSED_FORM)
# What a start needs beside its name.
NEEDS: dict[str, dict[str, Any]] = {
    "smooth": {"init_epochs": 40},
    CLOSED_FORM: {"embedder": {"kind": "mlp", "hidden": []}, "anchor": None},
}
SCORES = ("mcc", "r2_scale", "r2_x", "r2_y", "class", "r2_private")
MARKS: tuple[Verdict, ...] = ("sure", "plane", "unsure")
N_LABELS, DRAWS = (30, 100), 5
READING = """\
*Isomap of the pairs*, *contrast, unfolded* and *ridge CCA* (of the pixels, in closed form) are the
coordinates that the embedders start from, on the training pairs; *straightened* is what they have
learnt of the second, straightened; *trained* are mu(v1) of the test pairs after the whole training
of RIVAE, from each of the starts, from ridge CCA with linear embedders. R² is
linear and held out; *private* is the highest R² of a factor that only one side shows, and should be
0. z has an axis for every shared factor: three, and four where the class is one of three; *class*
is the share of classes that logistic regression tells from all axes (chance .33). MCC counts scale,
X and Y; where X and Y are correlated, or lie around a hole, a high MCC is not to be expected
without labels: *30* and *100 labels* is the MCC after `rivae.labels.align` with levels 1 to 5
(fifths of each factor) of so many random training items, mean of 5 draws. R@1 of 1,000 test pairs
(all of them where there are fewer). *Axes found* is the number that the start estimates; *sure*,
*plane* and *unsure* how many axes the sliders mark so, without any labels. *Last layers first at
random* is the code until 22 November 2026, before the embedders' last layers began at the linear
solution for the coordinates; this command does not measure it again.
"""


def class_told(coordinates: np.ndarray, classes: np.ndarray) -> float:
    """The share of items, from 0 to 1, whose class logistic regression tells, of the half that it
    was not fitted to.
    """
    from sklearn.linear_model import LogisticRegression

    fit, held_out = halves(len(coordinates), 0)
    z = standardised(coordinates)
    reader = LogisticRegression(C=100.0, max_iter=1000).fit(z[fit], classes[fit])
    return float(reader.score(z[held_out], classes[held_out]))


def scores(coordinates: np.ndarray, data: PairedDataset, rows: np.ndarray) -> dict[str, float]:
    """MCC of scale, X and Y, their linear R², the share of classes that can be told, and the
    highest R² of a private factor.
    """
    assert data.factors is not None
    factors, specs = data.factors[rows], data.factor_specs
    each = r2(coordinates, factors, specs).parts["per_factor"]
    private = [each[s.name] for s in specs if s.role != "shared"]
    has_class = any(spec.kind == "categorical" for spec in specs)
    return {
        "mcc": mcc(coordinates, factors[:, :3]).score,
        "r2_scale": each["scale"],
        "r2_x": each["X position"],
        "r2_y": each["Y position"],
        "class": class_told(coordinates, factors[:, 3]) if has_class else np.nan,
        "r2_private": max(private) if private else np.nan,
    }


def with_labels(train: np.ndarray, test: np.ndarray, data: PairedDataset) -> dict[str, float]:
    """MCC of ``test`` after aligning the axes with levels of a few training items."""
    assert data.factors is not None
    factors, truth = (data.factors[data.splits[name], :3] for name in ("train", "test"))
    fifths = np.quantile(factors, (0.2, 0.4, 0.6, 0.8), axis=0)
    levels = 1.0 + (factors[:, None] > fifths).sum(axis=1)
    names, out = [spec.name for spec in data.factor_specs[:3]], {}
    for n in N_LABELS:
        found = []
        for draw in range(DRAWS):
            rows = np.random.default_rng(draw).choice(len(train), n, replace=False)
            change = align_axes(train, train[rows], levels[rows], names).change
            found.append(mcc(test @ change.matrix + change.offset, truth).score)
        out[f"mcc_{n}_labels"] = float(np.mean(found))
    return out


@cache
def ridge_coordinates(settings: str, d: int) -> np.ndarray:
    """(n, d) of the training pairs of Sprites-hard with these settings (JSON): no seed is in them.

    A minute of the processor: 4,096 pixels a side, of which all covariances are decomposed.
    """
    data = load_dataset("sprites-hard", **json.loads(settings))
    rows = data.splits["train"]
    fit = fit_ridge_cca((data.x1, data.x2), rows, data.splits["validation"], d)
    pixels = data.x1.batch(rows).flatten(1).numpy()
    return np.asarray(pixels @ fit.weights[0] + fit.biases[0])


def marks(run: Run, method: Method, data: PairedDataset) -> dict[str, int]:
    """How many axes the sliders would mark as sure, as a plane and as unsure; {} without fits."""
    found = Counter(axis.verdict for axis in certainty_of(run, LatentModel(method), data))
    return {name: found[name] for name in MARKS} if found else {}


def measure(run: Run, start: str) -> list[dict[str, Any]]:
    """The rows of a finished run: the coordinates that it started from, and what came of them."""
    data, method, settings = run.load_dataset(), run.load_method(), run.config.method.settings
    rows, test, d = data.splits["train"], data.splits["test"], settings["n_components"]
    if start == "contrast":
        kept = StartFile(run.unfolded).tensors
        out = [
            {"coordinates": label, **scores(kept[name][:, :d].numpy(), data, rows)}
            for name, label in (("target", "contrast, unfolded"), ("straightened", "straightened"))
        ]
        out[0]["axes_found"] = count_axes(read_shares(run.unfolded))
    elif start == CLOSED_FORM:
        begun = ridge_coordinates(json.dumps(run.config.dataset.settings), d)
        out = [{"coordinates": "ridge CCA", **scores(begun, data, rows)}]
    else:
        pairs = [view.batch(rows).numpy() for view in (data.x1, data.x2)]
        blurred = blurred_pairs(*pairs, settings["smooth_blur"])
        begun = conformal_isomap(blurred, d, settings["smooth_neighbours"], random_state=0)
        out = [{"coordinates": "Isomap of the pairs", **scores(begun, data, rows)}]
    retriever = Retriever(method, data, test)
    found = retrieval_metrics(retriever, test, search_size=1000, n_sets=1)
    z, latents = retriever.encode(test)[0], retriever.encode(rows)[0]
    trained = {**scores(z, data, test), **with_labels(latents, z, data)}
    trained["recall_at_1"] = found["recall_at_1"].score
    trained |= marks(run, method, data)
    return [*out, {"coordinates": f"trained, init={start}", **trained}]


def cell_name(condition: str, start: str, seed: int, split: int) -> str:
    """The folder of a run, and the file of what was measured of it."""
    words = "".join(c if c.isalnum() else "-" for c in condition)
    return f"{words}-{start}-s{seed}-d{split}"


def trained_run(
    root: Path, name: str, condition: str, seed: int, split: int, settings: dict[str, Any]
) -> Run:
    """RIVAE with these ``settings`` on a condition: trained, resumed, or as it was."""
    config = make_config(
        "sprites-hard",
        name=name,
        seed=seed,
        dataset_settings={**CONDITIONS[condition], "split_seed": split},
        method_settings=settings,
    )
    return trained(root, config)


def contrastive_run(
    root: Path, name: str, dataset: str, dataset_settings: dict[str, Any], seed: int, steps: int
) -> Run:
    """InfoNCE with the width, temperature, rate and batches of RIVAE's contrastive start.

    RIVAE's own fits cannot be asked any more: the embedders learn the coordinates after them.
    """
    fit = make_config(dataset, name="start").method.settings["contrast"]
    n = len(load_dataset(dataset, **dataset_settings).splits["train"])
    same = ("temperature", "learning_rate", "batch_size")
    config = make_config(
        dataset,
        "info-nce",
        name=name,
        seed=seed,
        dataset_settings=dataset_settings,
        method_settings={
            "dim_v": fit["dim"],
            "epochs": max(1, round(steps / math.ceil(n / fit["batch_size"]))),
            **{key: fit[key] for key in same},
        },
    )
    return trained(root, config)


def embeddings_of(run: Run, split: str) -> tuple[Tensor, Tensor]:
    """The embeddings (n, D) of both sides of the pairs of a split, by a method without a latent."""
    data, model = run.load_dataset(), LatentModel(run.load_method())
    rows = data.splits[split]
    both = model.embed_queries(data.x1, rows), model.embed_targets(data.x2, rows)
    v1, v2 = (torch.from_numpy(v).float() for v in both)
    return v1, v2


def cell(root: Path, condition: str, start: str, seed: int, split: int) -> list[dict[str, Any]]:
    """Train and measure one run, or read what was measured."""
    name = cell_name(condition, start, seed, split)
    kept = root / f"{name}.json"
    if kept.exists():
        return list(json.loads(kept.read_text(encoding="utf-8")))
    started = time.process_time()
    # An axis for every shared factor.
    n_axes = 3 + ("n_shapes" in CONDITIONS[condition])
    settings = {"init": start, "n_components": n_axes, **NEEDS.get(start, {})}
    run = trained_run(root, name, condition, seed, split, settings)
    key = {"condition": condition, "seed": seed, "split": split}
    seconds = time.process_time() - started
    measured = [{**key, **row, "cpu_s": seconds} for row in measure(run, start)]
    kept.write_text(json.dumps(measured), encoding="utf-8")
    return measured


def table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. over seeds and splits of every condition and kind of coordinates."""
    columns = {
        "mcc": "MCC",
        **{f"mcc_{n}_labels": f"{n} labels" for n in N_LABELS},
        **dict(zip(SCORES[1:], ("R² scale", "R² X", "R² Y", "class", "private"), strict=True)),
        "recall_at_1": "R@1",
        "axes_found": "axes found",
        **{name: name for name in MARKS},
    }
    titles = ["condition", "coordinates", "n", *columns.values()]
    lines = [f"| {' | '.join(titles)} |", "|" + "---|" * len(titles)]
    for condition in CONDITIONS:
        here = rows[rows.condition == condition]
        for coordinates in here.coordinates.unique():
            group = here[here.coordinates == coordinates]
            cells = [condition, coordinates, str(len(group))]
            for name in columns:
                digits = 1 if name in MARKS else 3
                cells.append(mean_and_spread(group[name], digits) if name in group else "–")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing and write the table of everything that was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--conditions", default=",".join(CONDITIONS))
    parser.add_argument("--starts", default=",".join(STARTS))
    parser.add_argument("--seeds", type=numbers, default=[0])
    parser.add_argument("--splits", type=numbers, default=[0])
    chosen = parser.parse_args()
    chosen.runs.mkdir(parents=True, exist_ok=True)
    for seed in chosen.seeds:
        for split in chosen.splits:
            for condition in chosen.conditions.split(","):
                for start in chosen.starts.split(","):
                    for row in cell(chosen.runs, condition, start, seed, split):
                        print(row, flush=True)
    report(chosen.runs)


def report(root: Path) -> None:
    """Write the table of everything that was measured in the folder ``root``."""
    kept = [row for file in root.glob("*.json") for row in json.loads(file.read_text())]
    rows = with_stored(pd.DataFrame(kept), TABLE, ["condition", "coordinates", "seed", "split"])
    rows = rows.sort_values(["condition", "coordinates", "seed", "split"])
    rows.to_parquet(TABLE, index=False)
    text = (
        "# Axes under conditions that hurt (Sprites-hard)\n\n"
        f"`python benchmarks/hard_conditions.py`; mean ± s.d. over n seeds and splits.\n\n"
        f"{READING}\n{table(rows)}\n"
    )
    (RESULTS / "hard-conditions.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
