"""Renders the dishes of an order file into a folder and resumes from what is saved there.

    ENV/bin/python tools/kitchen3d/batch.py orders.jsonl OUT [--part 0 --of 2]

Each picture is written whole or not at all; start it again after any stop. Two processes with
``--part 0 --of 2`` and ``--part 1 --of 2`` share the work. A dish's pixels depend only on its
line in the order file, size, samples and this tool.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import time
from pathlib import Path

import dish
import studio
from PIL import Image

SIZE, SAMPLES, QUALITY = 192, 10, 74
NOT_PICTURES = ("batch", "orders", "probe", "sheets")


def _keep_to_one_make(out: Path, size: int, samples: int) -> None:
    """Stop where the folder holds pictures that another version of this tool rendered."""
    sources = Path(__file__).parent.glob("*.py")
    digest = hashlib.sha256()
    for source in sorted(s for s in sources if s.stem not in NOT_PICTURES):
        digest.update(source.read_bytes())
    make = {"size": size, "samples": samples, "quality": QUALITY, "tool": digest.hexdigest()}
    commit = subprocess.run(  # for readers; the digest decides
        ["git", "describe", "--always", "--dirty", "--abbrev=12"],
        cwd=Path(__file__).parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    file = out / "make.json"
    if not file.exists():
        half = out / f".make-{os.getpid()}"  # two processes may begin at once
        half.write_text(json.dumps(make | {"commit": commit.stdout.strip()}))
        os.replace(half, file)  # noqa: PTH105 - atomic
    elif {**json.loads(file.read_text()), **make} != json.loads(file.read_text()):
        raise SystemExit(
            f"{out} has pictures of another size, quality or version of this tool (make.json): "
            "render into an empty folder, or go back to that version"
        )


def main() -> None:
    """Render what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("orders", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--of", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    _keep_to_one_make(args.out, args.size, args.samples)
    studio.open_studio(args.size, args.samples)
    raw = args.out / f".raw-{args.part}.png"
    times: list[float] = []
    lines = args.orders.read_text().splitlines()
    for line in lines[args.part :: args.of]:
        order = json.loads(line)
        done = args.out / f"{order['name']}.webp"
        if done.exists():
            continue
        start = time.process_time()
        dish.lay(order)
        built = time.process_time() - start
        studio.shoot(raw, order["seed"] * 10007 + order["index"])
        half = args.out / f".half-{args.part}.webp"
        Image.open(raw).convert("RGB").save(half, "WEBP", quality=QUALITY, method=6)
        os.replace(half, done)  # noqa: PTH105 - atomic
        times.append(time.process_time() - start)
        if len(times) % 25 == 1:
            mean = sum(times) / len(times)
            left = sum(1 for _ in lines[args.part :: args.of]) - len(times)
            print(
                f"{order['name']}: built in {built:.2f}, {mean:.2f} CPU s a dish, "
                f"at most {left} left",
                flush=True,
            )
    raw.unlink(missing_ok=True)
    if times:
        print(f"{len(times)} dishes, {sum(times) / len(times):.2f} CPU s each", flush=True)


if __name__ == "__main__":
    main()
