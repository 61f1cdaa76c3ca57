"""RIVAE's axes against those that people read off the same embeddings without it.

    python benchmarks/what_people_use.py RUNS [--conditions plain,hole] [--seeds 0-4] [--splits 0-1]

RUNS is the folder of ``hard_conditions.py``, whose contrastive RIVAE runs are one column; where it
lacks one, the stored row stays. For the others InfoNCE with the same embedders is trained into
RUNS, with as many steps as the three fits of RIVAE's start; PCA, ICA and two sparse auto-encoders
read axes off its embedding of the query. Writes ``benchmarks/results/what-people-use.md`` and
``.parquet`` of all measured cells, which are kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.decomposition import PCA, FastICA
from sklearn.linear_model import RidgeCV
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from benchmarks import hard_conditions
from benchmarks.cells import mean_and_spread, numbers, with_stored
from benchmarks.hard_conditions import CONDITIONS, cell_name, contrastive_run, embeddings_of
from rivae.data.base import PairedDataset
from rivae.metrics.measures.retrieval import retrieval_metrics, search_sets
from rivae.retrieval.retriever import Retriever
from rivae.runs import Run

RESULTS = Path(__file__).parent / "results"
TABLE = RESULTS / "what-people-use.parquet"
Array = NDArray[np.float64]
DICTIONARY, ACTIVE, PREFIXES = 256, 8, (4, 16, 64, 256)  # of the sparse auto-encoders
SAE_STEPS = 3000
STEPS = 600  # of InfoNCE, as many as the three fits of RIVAE's start
SEARCHED = 1000
WAYS = ("PCA", "ICA", "TopK SAE", "Matryoshka SAE", "ridge on labels", "RIVAE", "embedding")
READING = """\
All columns but the last read the same vectors: the query's contrastive embedding (64 dimensions,
600 steps of InfoNCE). *PCA* and *ICA* keep as many components as there are continuous shared
factors. The *sparse auto-encoders* have 256 latents of which 8 are active (TopK), *Matryoshka*
reconstructs from the first 4, 16, 64 and all of them at once. MCC matches every factor with one
latent on one half of the test pairs and is scored on the other half, so a large dictionary has 256
latents to choose from. R² is linear, from all latents, held out. *Ridge on labels* is regression
with the true factors of all training pairs, the ceiling of a linear reading. *RIVAE* is z of
the query after the whole training from the contrastive start, without labels. R@1, of 1,000 test
pairs (all of them where there are fewer), says how well pairs can be told apart: by those 64
dimensions as they are (*embedding*), and through RIVAE's three axes.
"""


class SparseAutoencoder(nn.Module):
    """TopK sparse auto-encoder (Gao et al., 2024); with ``prefixes`` its Matryoshka form (Bussmann
    et al., 2025), which also reconstructs from the first latents alone.
    """

    def __init__(self, n_in: int, prefixes: tuple[int, ...], rng: torch.Generator) -> None:
        super().__init__()
        directions = torch.randn(DICTIONARY, n_in, generator=rng)
        directions /= directions.norm(dim=1, keepdim=True)
        self.decoder = nn.Parameter(directions.clone())
        self.encoder = nn.Parameter(directions.T.clone())
        self.bias = nn.Parameter(torch.zeros(DICTIONARY))
        self.centre = nn.Parameter(torch.zeros(n_in))
        self.prefixes = prefixes

    def encode(self, v: Tensor) -> Tensor:
        """The latents (n, DICTIONARY), all but ACTIVE of them 0."""
        pre = torch.relu((v - self.centre) @ self.encoder + self.bias)
        top = pre.topk(ACTIVE, dim=-1)
        return torch.zeros_like(pre).scatter(-1, top.indices, top.values)

    def loss(self, v: Tensor) -> Tensor:
        """Mean squared error over the prefixes."""
        z = self.encode(v)
        errors = [
            ((z[:, :m] @ self.decoder[:m] + self.centre - v) ** 2).sum(-1).mean()
            for m in self.prefixes
        ]
        return torch.stack(errors).mean()

    @classmethod
    def fitted(cls, v: Tensor, prefixes: tuple[int, ...], seed: int) -> SparseAutoencoder:
        """Trained on the rows of ``v``, decoder rows of length 1."""
        rng = torch.Generator().manual_seed(seed)
        model = cls(v.shape[1], prefixes, rng)
        optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, SAE_STEPS)
        for _ in range(SAE_STEPS):
            batch = v[torch.randint(len(v), (512,), generator=rng)]
            optimiser.zero_grad()
            model.loss(batch).backward()
            optimiser.step()
            schedule.step()
            with torch.no_grad():
                model.decoder /= model.decoder.norm(dim=1, keepdim=True)
        return model


def readings(train: Tensor, test: Tensor, factors: Array, d: int, seed: int) -> dict[str, Array]:
    """The test rows' latents by each way to read axes off embeddings; (n, .)."""
    v, w = train.numpy().astype(np.float64), test.numpy().astype(np.float64)
    out: dict[str, Array] = {"PCA": PCA(d, random_state=seed).fit(v).transform(w)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ICA that does not converge
        ica = FastICA(d, whiten="unit-variance", max_iter=1000, random_state=seed).fit(v)
    out["ICA"] = ica.transform(w)
    scale = float(((train - train.mean(0)) ** 2).sum(-1).mean().sqrt())
    for name, prefixes in (("TopK SAE", (DICTIONARY,)), ("Matryoshka SAE", PREFIXES)):
        sae = SparseAutoencoder.fitted(train / scale, prefixes, seed)
        with torch.inference_mode():
            out[name] = sae.encode(test / scale).numpy().astype(np.float64)
    out["ridge on labels"] = RidgeCV(np.logspace(-6, 3, 19)).fit(v, factors).predict(w)
    return out


def scores(latents: Array, data: PairedDataset) -> dict[str, float]:
    """MCC and mean linear R² of the continuous shared factors."""
    found = hard_conditions.scores(latents, data, data.splits["test"])
    return {
        "mcc": found["mcc"],
        "r2": float(np.mean([found[name] for name in ("r2_scale", "r2_x", "r2_y")])),
    }


def cell(root: Path, condition: str, seed: int, split: int) -> list[dict[str, Any]]:
    """Measure every way, or read what was measured."""
    kept = root / f"{cell_name(condition, 'people', seed, split)}.people"
    if kept.exists():
        return list(json.loads(kept.read_text(encoding="utf-8")))
    run = contrastive_run(
        root,
        cell_name(condition, "info-nce", seed, split),
        "sprites-hard",
        {**CONDITIONS[condition], "split_seed": split},
        seed,
        STEPS,
    )
    train_v, (test_v, answers) = embeddings_of(run, "train")[0], embeddings_of(run, "test")
    data = run.load_dataset()
    n = min(SEARCHED, len(test_v))
    (some,) = search_sets(np.arange(len(test_v)), n, 1, 0)
    told_apart = (test_v[some] @ answers[some].T).argmax(dim=1) == torch.arange(n)
    apart = {"embedding": float(told_apart.double().mean())}
    assert data.factors is not None
    factors = data.factors[data.splits["train"], :3]
    found = readings(train_v, test_v, factors, factors.shape[1], seed)
    trained = Run(root / cell_name(condition, "contrast", seed, split))
    if trained.ready:
        retriever = Retriever(trained.load_method(), data, data.splits["test"])
        found["RIVAE"] = retriever.encode(data.splits["test"])[0]
        ranks = retrieval_metrics(retriever, data.splits["test"], search_size=n, n_sets=1)
        apart["RIVAE"] = ranks["recall_at_1"].score
    key = {"condition": condition, "seed": seed, "split": split}
    rows = [{**key, "way": way, **scores(z, data)} for way, z in found.items()]
    rows += [{**key, "way": way, "recall_at_1": share} for way, share in apart.items()]
    if "RIVAE" not in found:
        rows += stored_rivae(condition, seed, split)
    kept.write_text(json.dumps(rows), encoding="utf-8")
    return rows


def stored_rivae(condition: str, seed: int, split: int) -> list[dict[str, Any]]:
    """The rows of RIVAE of one cell in the table as it stands."""
    if not TABLE.exists():
        return []
    rows = pd.read_parquet(TABLE).query(
        "condition == @condition and seed == @seed and split == @split and way == 'RIVAE'"
    )
    return [
        {key: value for key, value in row.items() if pd.notna(value)}
        for row in rows.to_dict("records")
    ]


def table(rows: pd.DataFrame) -> str:
    """Mean ± s.d. of MCC and R², conditions in rows and ways in columns."""
    ways = [way for way in WAYS if way in set(rows.way)]
    lines = [f"| condition | score | n | {' | '.join(ways)} |", "|" + "---|" * (3 + len(ways))]
    for condition in [name for name in CONDITIONS if name in set(rows.condition)]:
        here = rows[rows.condition == condition]
        n = len(here[["seed", "split"]].drop_duplicates())
        for score, title in (("mcc", "MCC"), ("r2", "R²"), ("recall_at_1", "R@1")):
            cells = []
            for way in ways:
                cells.append(mean_and_spread(here[here.way == way][score]))
            lines.append(f"| {condition} | {title} | {n} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--conditions", default=",".join(CONDITIONS))
    parser.add_argument("--seeds", type=numbers, default=[0])
    parser.add_argument("--splits", type=numbers, default=[0])
    chosen = parser.parse_args()
    chosen.runs.mkdir(parents=True, exist_ok=True)
    for condition in chosen.conditions.split(","):
        for seed in chosen.seeds:
            for split in chosen.splits:
                cell(chosen.runs, condition, seed, split)
                print(condition, seed, split, flush=True)
    kept = [row for file in chosen.runs.glob("*.people") for row in json.loads(file.read_text())]
    measured = with_stored(pd.DataFrame(kept), TABLE, ["condition", "seed", "split"])
    order = {way: i for i, way in enumerate(WAYS)}
    measured = measured.sort_values("way", key=lambda ways: ways.map(order), kind="stable")
    measured = measured.sort_values(["condition", "seed", "split"], kind="stable")
    measured.to_parquet(TABLE, index=False)
    text = (
        "# What people would use instead (Sprites-hard)\n\n"
        "`python benchmarks/what_people_use.py`; mean ± s.d. over n seeds and splits.\n\n"
        f"{READING}\n{table(measured)}\n"
    )
    (RESULTS / "what-people-use.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
