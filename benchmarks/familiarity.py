"""Are pictures of another world told from those that a model was trained on?

    python benchmarks/familiarity.py [--photos ZIP]

Each demo run is shown its own test pictures, as uploads, those of the other demos, noise, and real
photographs of food from a zip where one is given. Two distances to the fifth nearest training
picture are compared, in units of what 99 % of validation pictures stay below: of the run's
embedding, whitened, and of statistics of the pictures (``rivae.exploring.familiarity``). Writes
``benchmarks/results/familiarity.md``.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))  # runs from a clone, installed or not

from rivae.exploring.explorer import Explorer
from rivae.exploring.familiarity import NEIGHBOURS, Familiarity
from rivae.retrieval.indexes.brute_force import NumpyIndex
from rivae.retrieval.model import LatentModel
from rivae.runs import DEMO_ROOT, Run

RUNS = ("demo-kitchen", "demo-sprites", "demo-digits")
N, N_TRAIN = 200, 3_000
OUT = Path(__file__).parent / "results" / "familiarity.md"
Floats = NDArray[np.float64]


def in_embedding(explorer: Explorer) -> Callable[[torch.Tensor], Floats]:
    """The distance in the run's embedding v1, whitened."""
    model, splits = LatentModel(explorer.method), explorer.data.splits
    rows = (splits["train"][:N_TRAIN], splits["validation"])
    train, held_out = (model.embed_queries(explorer.data.x1, part) for part in rows)
    mean, spread = train.mean(0), np.cov(train.T)
    values, vectors = np.linalg.eigh(spread)
    white = vectors / np.sqrt(np.maximum(values, 1e-3 * values[-1]))
    index = NumpyIndex((train - mean) @ white)

    def far(v: Floats) -> Floats:
        return np.asarray(np.sqrt(index.search((v - mean) @ white, NEIGHBOURS)[1][:, -1]))

    limit = float(np.quantile(far(held_out), 0.99))

    def measure(x1: torch.Tensor) -> Floats:
        with torch.no_grad():
            return far(explorer.method.embed_query(x1).double().numpy()) / limit

    return measure


def photographs(path: Path | None) -> list[Image.Image]:
    """The first pictures of a zip."""
    if path is None:
        return []
    with zipfile.ZipFile(path) as archive:
        names = [n for n in archive.namelist() if n.lower().endswith((".jpg", ".png", ".webp"))]
        return [Image.open(io.BytesIO(archive.read(n))).convert("RGB") for n in names[:N]]


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, help="a zip with photographs of food")
    photos = photographs(parser.parse_args().photos)
    rng = np.random.default_rng(0)
    noise = [Image.fromarray(rng.integers(0, 255, (64, 64, 3), dtype=np.uint8)) for _ in range(50)]
    opened = {name: Explorer.open(Run(DEMO_ROOT / name)) for name in RUNS}
    shown = {
        name: [e.data.picture(int(i), 0 if e.shows_whole else 1) for i in e.data.splits["test"][:N]]
        for name, e in opened.items()
    }
    lines = [
        "# Pictures of another world",
        "",
        "`python benchmarks/familiarity.py`; share of pictures beyond the limit, which 99 % of",
        "validation pictures stay below, and the median in units of it. The app warns by the",
        "statistics of pictures.",
        "",
        "| model | pictures | n | by embedding | median | by statistics | median |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, explorer in opened.items():
        measures = in_embedding(explorer), Familiarity(explorer.data).strangeness
        for kind, pictures in {**shown, "photographs of food": photos, "noise": noise}.items():
            if not pictures:
                continue
            x1 = torch.cat([explorer.data.from_upload(picture) for picture in pictures])
            cells = []
            for measure in measures:
                found = measure(x1)
                cells += [f"{(found > 1).mean():.0%}", f"{np.median(found):.1f}"]
            said = "its own" if kind == name else kind
            lines.append(f"| {name} | {said} | {len(pictures)} | {' | '.join(cells)} |")
    OUT.write_text("\n".join(lines) + "\n")
    print(OUT.read_text())


if __name__ == "__main__":
    main()
