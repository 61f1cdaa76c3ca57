"""Pairs in tars of an object store against the same tars in a folder.

    pip install 'rivae-explorer[remote,cluster]' 'moto[server]'
    python benchmarks/object_store.py [--pictures 3000] [--rounds 3]

Moto speaks the protocol of S3 on this machine: it stands for a store, not for the network to one.
Tars of pairs (a JPEG of 256 pixels and a text each, ten tars) are imported from a folder and from
the store, by this process and by a Dask cluster of a worker per core; in turn, in one call. The
results have to be the same files. Writes ``benchmarks/results/object_store.md``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # runs from a clone, installed or not

from cluster import call, workers  # noqa: E402

from rivae.base.cores import n_cores  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
PORT, BUCKET, NAME, N_TARS = 5055, "pairs", "noise", 10
KEYS = {
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{PORT}",
}


def make_tars(folder: Path, n: int) -> None:
    """``N_TARS`` tars of ``n`` pairs together."""
    rng = np.random.default_rng(0)
    for shard, numbers in enumerate(np.array_split(np.arange(n), N_TARS)):
        with tarfile.open(folder / f"{shard}.tar", "w") as tar:
            for number in numbers:
                side = 4 + int(number) % 60
                small = rng.integers(0, 255, (side, side, 3), dtype=np.uint8)
                picture = Image.fromarray(small).resize((320, 256), Image.Resampling.BICUBIC)
                encoded = io.BytesIO()
                picture.save(encoded, "JPEG")
                text = f"Dish {number}".encode()
                for ending, content in (("jpg", encoded.getvalue()), ("txt", text)):
                    header = tarfile.TarInfo(f"{number:06d}.{ending}")
                    header.size = len(content)
                    tar.addfile(header, io.BytesIO(content))


@contextlib.contextmanager
def store(folder: Path) -> Iterator[str]:
    """The address of the tars in a store that runs meanwhile."""
    import fsspec

    os.environ |= KEYS
    command = [sys.executable, "-m", "moto.server", "-p", str(PORT)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        fs = fsspec.filesystem("s3")
        for _ in range(100):
            with contextlib.suppress(Exception):  # not there yet
                fs.mkdir(BUCKET)
                break
            time.sleep(0.2)
        fs.put(str(folder), f"{BUCKET}/tars", recursive=True)
        yield f"s3://{BUCKET}/tars"
    finally:
        server.kill()


def seconds(table: str, root: Path, on: str) -> tuple[float, dict[str, bytes]]:
    """Of an import, and the files that came of it."""
    os.environ["RIVAE_DATA"] = str(root)
    begun = time.perf_counter()
    call("import", table, "--name", NAME, "--on", on)
    taken = time.perf_counter() - begun
    files = [path for path in (root / NAME).iterdir() if path.suffix in (".bin", ".parquet")]
    return taken, {path.name: path.read_bytes() for path in files}


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pictures", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    times: dict[tuple[str, str], list[float]] = {}
    expected: dict[str, bytes] = {}
    same = True
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "tars").mkdir()
        make_tars(folder / "tars", args.pictures)
        megabytes = sum(path.stat().st_size for path in (folder / "tars").iterdir()) / 2**20
        address = stack.enter_context(store(folder / "tars"))
        cluster = stack.enter_context(workers())
        tables = {"a folder": str(folder / "tars"), "S3 (moto)": address}
        for _ in range(args.rounds):
            for place, table in tables.items():
                for by, on in (("this process", ""), ("workers", cluster.scheduler_address)):
                    taken, files = seconds(table, folder / "data", on)
                    shutil.rmtree(folder / "data")
                    times.setdefault((place, by), []).append(taken)
                    expected = expected or files
                    same &= files == expected and bool(files)
                    print(place, by, round(taken, 1), "same files:", same, flush=True)
    rows = "\n".join(
        f"| {place} | {statistics.median(times[place, 'this process']):.1f} | "
        f"{statistics.median(times[place, 'workers']):.1f} |"
        for place in tables
    )
    text = (
        "# Tars in an object store\n\n"
        f"`python benchmarks/object_store.py`; {platform.machine()}, {n_cores()} cores, "
        f"{args.pictures:,} pairs in {N_TARS} tars of {megabytes:.0f} MB together; seconds of an "
        f"import, median of {args.rounds} rounds in turn. The store runs on the same cores. "
        f"The same files in all: {'yes' if same else '**no**'}.\n\n"
        f"| tars in | this process | {n_cores()} workers |\n|---|---|---|\n{rows}\n"
    )
    (RESULTS / "object_store.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
