"""How well the smooth start alone finds the factors of Sprites, before any network is trained.

``python benchmarks/smooth_start.py`` writes ``benchmarks/results/smooth-start.md``: MCC and linear
R² of conformal Isomap coordinates of the training pairs over its two settings, mean ± s.d. over
splits, beside principal components of the same blurred pairs. Labels are only used to score.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.data import load_dataset
from rivae.metrics.measures.mcc import mcc
from rivae.training.smooth_start import blurred_pairs, conformal_isomap

OUT = Path(__file__).parent / "results" / "smooth-start.md"
BLURS = (0.0, 1.0, 1.5, 2.0, 3.0)
NEIGHBOURS = (6, 8, 10)
SPLITS = range(3)


def scores(coordinates: np.ndarray, factors: np.ndarray) -> tuple[float, list[float]]:
    """MCC (held out), and linear R² of each factor (in sample)."""
    design = np.column_stack([coordinates, np.ones(len(coordinates))])
    fitted = design @ np.linalg.lstsq(design, factors, rcond=None)[0]
    left = ((factors - fitted) ** 2).sum(0) / ((factors - factors.mean(0)) ** 2).sum(0)
    return mcc(coordinates, factors).score, (1 - left).tolist()


def main() -> None:
    """Measure every setting and write the table."""
    table: dict[tuple[str, float, str], list[list[float]]] = {}
    for split in SPLITS:
        data = load_dataset("sprites", split_seed=split)
        rows = data.splits["train"]
        x1, x2 = data.x1.batch(rows).numpy(), data.x2.batch(rows).numpy()
        assert data.factors is not None
        factors = data.factors[rows]
        for blur in BLURS:
            pairs = blurred_pairs(x1, x2, blur)
            principal = PCA(3, random_state=split).fit_transform(pairs)
            table.setdefault(("principal components", blur, "–"), []).append(
                _flat(scores(principal, factors))
            )
            for k in NEIGHBOURS:
                found = conformal_isomap(pairs, 3, k, random_state=split)
                table.setdefault(("conformal Isomap", blur, str(k)), []).append(
                    _flat(scores(found, factors))
                )
                print(split, blur, k, table["conformal Isomap", blur, str(k)][-1], flush=True)
    lines = [
        "# The smooth start alone (Sprites, 4,301 training pairs, 3 components)",
        "",
        f"`python benchmarks/smooth_start.py`; mean ± s.d. over {len(SPLITS)} splits. No network, "
        "no labels; in sample.",
        "",
        "| coordinates | blur (px) | neighbours | MCC | R² scale | R² X | R² Y |",
        "|---|---|---|---|---|---|---|",
    ]
    for (name, blur, k), values in table.items():
        cells = [f"{np.mean(v):.3f} ± {np.std(v):.3f}" for v in np.array(values).T]
        lines.append(f"| {name} | {blur} | {k} | {' | '.join(cells)} |")
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(OUT)


def _flat(result: tuple[float, list[float]]) -> list[float]:
    return [result[0], *result[1]]


if __name__ == "__main__":
    main()
