"""Where should training start? Ways to read coordinates off contrastive embeddings, and starts.

    python benchmarks/starts.py RUNS [--part coordinates,trained] [--data synth,...] [--seeds 0-4]

*coordinates*: a contrastive start's embeddings of the training pairs, read off by RIVAE's unfolding
and by what is known for such sheets. *trained*: RIVAE after its whole training from the contrastive
start, and from the start that the data set had before it. Runs go into the folder RUNS, a measured
cell is kept; writes ``benchmarks/results/starts.md`` and ``.parquet`` of all measured cells.

UMAP needs ``pip install umap-learn`` and is left out without it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import eigsh
from sklearn.decomposition import PCA, FastICA
from sklearn.manifold import LocallyLinearEmbedding, trustworthiness
from sklearn.neighbors import kneighbors_graph

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks.cells import mean_and_spread, numbers, trained, with_stored
from benchmarks.hard_conditions import CONDITIONS, contrastive_run, embeddings_of
from rivae.benchmark.plan import draw_settings
from rivae.data.base import PairedDataset
from rivae.jobs.launch import make_config
from rivae.metrics.measures.mcc import mcc
from rivae.metrics.measures.r2 import r2
from rivae.metrics.measures.retrieval import retrieval_metrics
from rivae.retrieval.retriever import Retriever
from rivae.training import unfolding

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "starts.parquet"
Array = NDArray[np.float64]
Rows = NDArray[np.float32]
N_ROWS, STEPS = 3000, 600
LOOKED = 8  # neighbours that are compared
LOCAL = 15  # neighbours of UMAP (its default) and of the tangent methods (more than d (d + 3) / 2)

# Data of both tables: data set, its settings.
HARD = ("plain", "private background", "correlation .9")
DATA: dict[str, tuple[str, dict[str, Any]]] = {
    "synth": ("synth", {}),
    "synth-modulated": ("synth-modulated", {}),
    "sprites": ("sprites", {}),
    **{f"sprites-hard: {name}": ("sprites-hard", CONDITIONS[name]) for name in HARD},
    "kitchen-drawn": ("kitchen-drawn", {}),
}

ANCHORED = {"anchor": [1.0, 1.0], "lambda_lb": 0.1, "prior_pull": 0.1}  # as in Synth's preset
# What *trained* compares, as changes of the preset.
AS_SPRITES_HARD = {
    "init": "contrast",
    "joint_epochs": 30,
    "joint_batch_size": 256,
    "joint_learning_rate": 1.2e-3,
}
STARTS: dict[str, dict[str, dict[str, Any]]] = {
    "synth": {
        "Cos-Sim-LVM, heads unfolded": {
            "init": "cos-sim-lvm",
            "anchor": None,
            "init_epochs": 200,
            "unfold_epochs": 100,
        },
        "contrast": {},
    },
    "synth-modulated": {
        "Cos-Sim-LVM, heads unfolded": {},
        "contrast": {"init": "contrast", "unfold_epochs": 0, **ANCHORED},
    },
    "sprites": {
        "Isomap of the pairs": {},
        "contrast": AS_SPRITES_HARD,
    },
    "kitchen-drawn": {
        "Cos-Sim-LVM": {},
        "contrast": {"init": "contrast"},
    },
    # The rows of the preset (Cos-Sim-LVM) are those of results.md.
    "split-mnist": {"contrast": {"init": "contrast"}},
}
READING = """\
## Coordinates read off the same embeddings

One contrastive fit of 600 steps, both views side by side, for 3,000 training pairs (all where there
are fewer). No way sees a label. All but RIVAE's are followed by the same independent components, so
that only what they make of the sheet differs; *then RIVAE's steps* takes 15 components of the way,
and of these RIVAE's new directions, bent straight. R² is linear and held out, mean over the shared
factors, at least 0; MCC counts them as well. Two columns need no labels: *trustworthy* says that
neighbours in the coordinates are neighbours in the embeddings, *untorn* the reverse (8 neighbours,
2,000 rows; 1 is best).
"""
TRAINED = """\
## RIVAE trained from either start

A start without changes is the preset's. Scores are of the test pairs; R@1 and MedR among 1,000 of
them (all where there are fewer). MCC says nothing on Synth, where any rotation is as good. Rows
without CPU seconds are those of [results.md](results.md), same draws and seeds.
"""


# coordinates


def diffusion_map(rows: Rows, n_components: int, random_state: int) -> Array:
    """Diffusion map (Coifman and Lafon, 2006), density divided out, steps of all lengths together;
    (n, n_components).
    """
    graph = kneighbors_graph(rows, 3 * LOOKED, mode="distance").tocsr()
    kernel = graph.copy()
    kernel.data = np.exp(-(graph.data**2) / np.median(graph.data**2))
    kernel = kernel.maximum(kernel.T) + diags(np.ones(len(rows)))
    density = diags(1 / np.asarray(kernel.sum(axis=1)).ravel())
    even = density @ kernel @ density
    root = 1 / np.sqrt(np.asarray(even.sum(axis=1)).ravel())
    walk = csr_matrix(diags(root) @ even @ diags(root))
    begin = np.random.default_rng(random_state).uniform(size=len(rows))
    values, vectors = eigsh(walk, n_components + 1, which="LA", v0=begin)
    order = np.argsort(values)[::-1][1:]  # the first is constant
    return np.asarray(vectors[:, order] * root[:, None] * values[order] / (1 - values[order]))


def tangents(method: str, rows: Rows, n_components: int, random_state: int) -> Array:
    """Local tangent spaces, aligned."""
    embedding = LocallyLinearEmbedding(
        n_neighbors=LOCAL,
        n_components=n_components,
        method=method,
        eigen_solver="dense",  # the sparse one stops where a sheet is nearly in pieces
        random_state=random_state,
    )
    return np.asarray(embedding.fit_transform(PCA(30).fit_transform(rows).astype(np.float64)))


def umap(rows: Rows, n_components: int, random_state: int) -> Array:
    """UMAP with a fixed seed.

    Raises:
        ImportError: it is not installed.
    """
    from umap import UMAP

    return np.asarray(
        UMAP(n_components=n_components, n_neighbors=LOCAL, random_state=random_state)
        .fit_transform(rows)
        .astype(np.float64)
    )


Way = Callable[[Rows, int, int], Array]
MAPS: dict[str, Way] = {
    "PCA and ICA": lambda rows, d, seed: PCA(d, random_state=seed).fit_transform(rows),
    "Isomap": lambda rows, d, seed: unfolding.sheet_components(
        rows, d, np.random.default_rng(seed)
    )[0],
    "diffusion map": diffusion_map,
    "LTSA": partial(tangents, "ltsa"),
    "Hessian LLE": partial(tangents, "hessian"),
    "UMAP": umap,
}


def independent(way: Way, rows: Rows, d: int, seed: int) -> Array:
    """Independent components of what ``way`` finds."""
    ica = FastICA(d, whiten="unit-variance", max_iter=500, random_state=seed)
    return np.asarray(ica.fit_transform(way(rows, d, seed)))


def then_ours(way: Way, rows: Rows, d: int, seed: int) -> Array:
    """RIVAE's new directions among more components of ``way``, bent straight."""
    axes, shares = unfolding.new_directions(way(rows, 15, seed), d)
    return unfolding.straight_components(axes, rows, unfolding.count_axes(shares), seed)


WAYS: dict[str, Way] = {
    "RIVAE": lambda rows, d, seed: unfolding.unfold(rows, d, seed).axes,
    "diffusion map, then RIVAE's steps": partial(then_ours, diffusion_map),
    **{name: partial(independent, way) for name, way in MAPS.items()},
}


def shared_scores(coordinates: Array, data: PairedDataset, rows: NDArray[Any]) -> dict[str, float]:
    """MCC and mean linear R² of the shared factors that are numbers."""
    assert data.factors is not None
    specs = data.factor_specs
    numeric = [i for i, s in enumerate(specs) if s.kind != "categorical"]
    shared = [i for i in numeric if specs[i].role == "shared"]
    if not shared:
        return {"mcc": np.nan, "r2": np.nan}
    each = r2(coordinates, data.factors[rows], specs).parts["per_factor"]
    return {
        "mcc": mcc(coordinates, data.factors[rows][:, shared]).score,
        "r2": max(0.0, float(np.mean([each[specs[i].name] for i in shared]))),
    }


def embeddings(root: Path, name: str, seed: int) -> tuple[Rows, PairedDataset, int]:
    """Both views' contrastive embeddings of the training pairs side by side, their data, and how
    many coordinates are asked for.
    """
    dataset, settings = DATA[name]
    run = contrastive_run(root, f"{folder(name)}-info-nce-s{seed}", dataset, settings, seed, STEPS)
    both = torch.cat(embeddings_of(run, "train"), -1).numpy()
    n_components = make_config(dataset, name="start").method.settings["n_components"]
    return both, run.load_dataset(), n_components


def coordinate_rows(root: Path, name: str, seed: int) -> Iterator[dict[str, Any]]:
    """A row for every way."""
    embedded, data, d = embeddings(root, name, seed)
    rng = np.random.default_rng(seed)
    some = np.sort(rng.choice(len(embedded), min(N_ROWS, len(embedded)), replace=False))
    rows, where = embedded[some], data.splits["train"][some]
    looked = rng.choice(len(rows), min(2000, len(rows)), replace=False)
    for way, read in WAYS.items():
        started = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of an ICA that does not converge, and of UMAP
                found = read(rows, d, seed)
        except (ImportError, ValueError) as error:  # not installed, or too many axes for it
            print(f"{way} left out: {error}", flush=True)
            continue
        seconds = time.process_time() - started
        pair = rows[looked], found[looked]
        yield {
            "way": way,
            **shared_scores(found, data, where),
            "cpu_s": seconds,
            "trustworthy": float(trustworthiness(*pair, n_neighbors=LOOKED)),
            "untorn": float(trustworthiness(*pair[::-1], n_neighbors=LOOKED)),
        }


# trained


def folder(name: str) -> str:
    """A name as part of a folder's or file's."""
    return "".join(c if c.isalnum() else "-" for c in name.lower())


def start_rows(root: Path, name: str, seed: int) -> Iterator[dict[str, Any]]:
    """A row for every start of a data set."""
    for start, settings in STARTS[name].items():
        config = make_config(
            name,
            name=f"{folder(name)}-{folder(start)}-s{seed}",
            seed=seed,
            dataset_settings=draw_settings(name, seed, seed),
            method_settings=settings,
        )
        started = time.process_time()
        run = trained(root, config)
        seconds = time.process_time() - started
        data, test = run.load_dataset(), run.load_dataset().splits["test"]
        retriever = Retriever(run.load_method(), data, test)
        found = retrieval_metrics(retriever, test, search_size=min(1000, len(test)), n_sets=1)
        yield {
            "way": start,
            **shared_scores(retriever.latents(test), data, test),
            "recall_at_1": found["recall_at_1"].score,
            "median_rank": found["median_rank"].score,
            "cpu_s": seconds,
        }


# tables

COLUMNS = {
    "coordinates": {"trustworthy": "trustworthy", "untorn": "untorn"},
    "trained": {"recall_at_1": "R@1", "median_rank": "MedR"},
}


def cell(root: Path, part: str, name: str, seed: int) -> list[dict[str, Any]]:
    """Measure the ways or starts of a data set, or read what was measured."""
    kept = root / f"{folder(name)}-{part}-s{seed}.json"
    if not kept.exists():
        measure = coordinate_rows if part == "coordinates" else start_rows
        rows = [{"part": part, "data": name, "seed": seed, **r} for r in measure(root, name, seed)]
        kept.write_text(json.dumps(rows), encoding="utf-8")
    return list(json.loads(kept.read_text(encoding="utf-8")))


def table(rows: pd.DataFrame, part: str) -> str:
    """Mean ± s.d. over seeds of every data set and way."""
    columns = {"mcc": "MCC", "r2": "linear R²", **COLUMNS[part], "cpu_s": "CPU s"}
    lines = [
        f"| data | {'start' if part == 'trained' else 'read off by'} | n | "
        f"{' | '.join(columns.values())} |",
        "|" + "---|" * (3 + len(columns)),
    ]
    here = rows[rows.part == part]
    for (name, way), group in here.groupby(["data", "way"], sort=False):
        cells = [mean_and_spread(group[key], 1 if key == "cpu_s" else 3) for key in columns]
        lines.append(f"| {name} | {way} | {len(group)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing and write the tables of everything that was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--part", default="coordinates,trained")
    parser.add_argument("--data", default=",".join({**DATA, **STARTS}))
    parser.add_argument("--seeds", type=numbers, default=[0])
    chosen = parser.parse_args()
    chosen.runs.mkdir(parents=True, exist_ok=True)
    for part in chosen.part.split(","):
        for name in chosen.data.split(","):
            if name in (DATA if part == "coordinates" else STARTS):
                for seed in chosen.seeds:
                    for row in cell(chosen.runs, part, name, seed):
                        print(row, flush=True)
    kept = [row for file in chosen.runs.glob("*.json") for row in json.loads(file.read_text())]
    rows = with_stored(pd.DataFrame(kept), TABLE, ["part", "data", "way", "seed"])
    rows = rows.sort_values("seed", kind="stable")
    order = {name: i for i, name in enumerate({**DATA, **STARTS})}
    rows = rows.sort_values("data", key=lambda names: names.map(order), kind="stable")
    rows.to_parquet(TABLE, index=False)
    text = (
        "# Where training starts\n\n"
        "`python benchmarks/starts.py`; mean ± s.d. over n seeds (of Synth: draws as well).\n\n"
        f"{READING}\n{table(rows, 'coordinates')}\n\n{TRAINED}\n{table(rows, 'trained')}\n"
    )
    (RESULTS / "starts.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
