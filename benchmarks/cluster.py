"""What the way to a Dask cluster and back costs, with all of it on this machine.

    python benchmarks/cluster.py [--pictures 1000] [--pairs 1000000] [--rounds 3]

Pictures of 256 pixels with a table are imported and described by EfficientNet-Lite0; on pairs of
embeddings a ridge CCA is solved, and all items are prepared for the search. Each by this
process (in threads, but for the closed form), by as many workers as there are cores, of one thread
each, and by these while one is killed in the middle; in turn, in one call. The results have to be
the same files. On a machine alone a cluster can only cost; what more machines save is not measured
here. Writes ``benchmarks/results/cluster.md``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # runs from a clone, installed or not

from rivae.base.cluster import on_cluster  # noqa: E402
from rivae.base.cores import n_cores  # noqa: E402
from rivae.cli.main import main as rivae  # noqa: E402
from rivae.data.views import Views  # noqa: E402
from rivae.models.ridge_cca import fit_ridge_cca  # noqa: E402
from rivae.runs import Run  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
WAYS = ("this process", "workers", "workers, one killed")
NAME, SOURCE, VECTORS, RUN = "noise", "efficientnet-lite0", "vectors", "linear"
NO_ROWS = np.arange(0)
STEPS = ("import", SOURCE, "closed form", "preparing")
N_NUMBERS = 256  # of an embedding
KILLED_AFTER_S = 1.5


def make_pairs(folder: Path, n: int) -> None:
    """A table and ``n`` JPEGs of coloured noise at four scales."""
    rng = np.random.default_rng(0)
    (folder / "photos").mkdir()
    for i in range(n):
        small = rng.integers(0, 255, (4 + i % 60, 4 + i % 60, 3), dtype=np.uint8)
        picture = Image.fromarray(small).resize((320, 256), Image.Resampling.BICUBIC)
        picture.save(folder / "photos" / f"{i}.jpg")
    lines = [f"{i},Dish {i},{i}.jpg" for i in range(n)]
    (folder / "table.csv").write_text("\n".join(["id,title,picture", *lines]))


def import_vectors(folder: Path, n: int) -> None:
    """``n`` pairs of embeddings that share 16 directions, as an import, and a run on them."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(n, 16)).astype(np.float32)
    paths = [folder / f"{side}.npy" for side in ("pictures", "texts")]
    for path in paths:
        noise = rng.normal(size=(n, N_NUMBERS)).astype(np.float32)
        np.save(path, shared @ rng.normal(size=(16, N_NUMBERS)).astype(np.float32) + noise)
    table = folder / "vectors.csv"
    table.write_text("\n".join(["id,title", *(f"{i},Dish {i}" for i in range(n))]))
    os.environ["RIVAE_DATA"] = str(folder)
    os.environ["RIVAE_RUNS"] = str(folder / "runs")
    call("import", str(table), "--name", VECTORS, "--embeddings", *map(str, paths))
    of_data = (f"dataset.store={folder / VECTORS}", "dataset.features=own")
    settings = (*of_data, "init=ridge-cca", "joint_epochs=0")
    call("train", "pairs", "--name", RUN, *(part for one in settings for part in ("--set", one)))


def call(*command: str) -> None:
    """Run a command of rivae, which has to succeed."""
    with contextlib.redirect_stdout(io.StringIO()):
        if rivae([*command]):
            raise SystemExit(f"{command[0]} failed")


@contextlib.contextmanager
def workers() -> Iterator[Any]:
    """A Dask cluster of a worker for each core."""
    import dask
    from distributed import Client, LocalCluster

    # Dask would give up a worker that is not back within 15 s for good.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "400 s"})
    with LocalCluster(
        n_workers=n_cores(), threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with Client(cluster) as client:  # what a worker imports is not timed
            client.run(__import__, "torch")
        yield cluster


def seconds(folder: Path, way: str) -> tuple[list[float], dict[str, bytes]]:
    """Of each of ``STEPS``, and the files that came of them."""
    os.environ |= {"RIVAE_DATA": str(folder / way), "RIVAE_RUNS": str(folder / way / "runs")}
    shutil.copytree(folder / "runs" / RUN, folder / way / "runs" / RUN)
    shutil.rmtree(folder / way / "runs" / RUN / "cache", ignore_errors=True)
    data = Run(folder / way / "runs" / RUN).load_dataset()
    fits = []

    def fit(on: str) -> None:
        with on_cluster(on):
            fits.append(fit_ridge_cca(Views(data), data.splits["train"], NO_ROWS, 64))

    table, photos = str(folder / "table.csv"), str(folder / "photos")
    steps = (
        lambda on: call("import", table, "--images", photos, "--name", NAME, "--on", on),
        lambda on: call("features", NAME, SOURCE, "--on", on),
        fit,
        lambda on: call("prepare", RUN, "--on", on),
    )
    times = []
    with contextlib.ExitStack() as stack:
        cluster = None if way == WAYS[0] else stack.enter_context(workers())
        for step in steps:
            if way == WAYS[2]:
                threading.Timer(KILLED_AFTER_S, kill_one, [cluster]).start()
            begun = time.perf_counter()
            step(cluster.scheduler_address if cluster else "")
            times.append(time.perf_counter() - begun)
            if way == WAYS[2]:  # killed after all, where the step was faster
                time.sleep(KILLED_AFTER_S)
                cluster.wait_for_workers(n_cores())
    runs = folder / way / "runs"
    kept = [*(folder / way / NAME).rglob("*.*"), *runs.rglob("index-*"), *runs.rglob("positions-*")]
    files = {path.name: path.read_bytes() for path in kept if path.suffix in (".npy", ".bin")}
    (fitted,) = fits
    return times, files | {"fit": b"".join(w.tobytes() for w in fitted.weights)}


def kill_one(cluster: Any) -> None:
    """End a worker; its nanny starts another."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    taken: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    same: dict[str, bool] = dict.fromkeys(WAYS, True)
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make_pairs(folder, args.pictures)
            import_vectors(folder, args.pairs)
            expected: dict[str, bytes] = {}
            for way in WAYS:
                times, files = seconds(folder, way)
                taken[way].append(times)
                expected = expected or files
                same[way] &= files == expected and bool(files)
                print(way, [round(s, 1) for s in times], "same files:", same[way], flush=True)
    lines = []
    for way in WAYS:
        medians = [f"{statistics.median(times):.1f}" for times in zip(*taken[way], strict=True)]
        lines.append(f"| {way} | {' | '.join(medians)} | {'yes' if same[way] else '**no**'} |")
    text = (
        "# A cluster on one machine\n\n"
        f"`python benchmarks/cluster.py`; {platform.machine()}, {n_cores()} cores, "
        f"{args.pictures:,} pictures, {args.pairs:,} pairs of {N_NUMBERS} numbers, seconds, median "
        f"of {args.rounds} rounds in turn; of each step one worker is killed after "
        f"{KILLED_AFTER_S:g} s.\n\n"
        f"| by | {' | '.join(STEPS)} | the same files |\n|---|{'---|' * len(STEPS)}---|\n"
        + "\n".join(lines)
        + "\n"
    )
    (RESULTS / "cluster.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
