"""Let the property tests draw for as long as you like: ``python tests/fuzz.py --minutes 60``.

`make test` draws the same 50 examples per property every time. This draws new ones, round after
round, until the time is up: requests, archives, tables, JSON lines, labels, links, all that
strangers send. A failure ends it with the smallest example that was found and the command that
shows it again; ``--json FILE`` keeps the figures, as a table beside it, too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TEST = re.compile(r"^(\S+::\S+):$", re.MULTILINE)
DRAWN = re.compile(r"(\d+) passing, (\d+) failing, and (\d+) invalid")


def drawn(report: str) -> Counter[str]:
    """Examples tried per property, read from Hypothesis' statistics in pytest's report."""
    parts = TEST.split(report)
    found: Counter[str] = Counter()
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        found[name] += sum(sum(map(int, match)) for match in DRAWN.findall(text))
    return found


def one_round(
    tests: Sequence[str], only: str, examples: int, seed: int, seconds: float
) -> tuple[int, str]:
    """pytest's exit status and report for one round of all properties; 124 when time ran out."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "hypothesis",
        f"--hypothesis-seed={seed}",
        "--hypothesis-show-statistics",
        *tests,
    ]
    if only:
        command += ["-k", only]
    env = {**os.environ, "RIVAE_FUZZ_EXAMPLES": str(examples)}
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return 124, ""
    return done.returncode, done.stdout + done.stderr


def table(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    examples: dict[str, int] = figures["examples"]
    ended = "a property failed" if figures["failed"] else "no property failed"
    rows = [f"| `{name.removeprefix('tests/')}` | {n:,} |" for name, n in examples.items()]
    return "\n".join(
        [
            "# Fuzzing",
            "",
            f"`python tests/fuzz.py --minutes {figures['asked']:g}`: {sum(examples.values()):,} "
            f"examples of {len(examples)} properties in {figures['rounds']} rounds, "
            f"{figures['minutes']} min, {ended}, "
            f"peak memory of a process {figures['peak_memory_mb']} MB.",
            "",
            "| property | examples |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Draw until the time is up; 1 when a property failed, 2 when there is none to try."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tests", nargs="*", help="files or folders of tests (all)")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--examples", type=int, default=200, help="per property and round")
    parser.add_argument("-k", dest="only", default="", help="an expression, as pytest takes it")
    parser.add_argument("--seed", type=int, default=None, help="of the first round")
    parser.add_argument("--json", type=Path, default=None, help="where to keep the figures")
    options = parser.parse_args(argv)
    start, seed = time.monotonic(), options.seed
    if seed is None:
        seed = random.SystemRandom().randrange(2**31)
    tried: Counter[str] = Counter()
    rounds, status = 0, 0
    while status == 0 and (left := 60 * options.minutes - (time.monotonic() - start)) > 0:
        # A round that has begun may end, so that the first one is never cut to nothing.
        longest = max(left, 3600.0)
        status, report = one_round(options.tests, options.only, options.examples, seed, longest)
        tried += drawn(report)
        if status == 0:
            rounds, seed = rounds + 1, seed + 1
            print(f"round {rounds}: {sum(tried.values()):,} examples so far", flush=True)
    if status == 124:
        print("a property did not end within its round: run it alone with -k to find out why")
    elif status == 5:
        print("no property tests were found there")
    elif status != 0:
        print(report)
        print(f"again: python tests/fuzz.py {' '.join(options.tests)} --minutes 0.01 --seed {seed}")
    figures = {
        "asked": options.minutes,
        "minutes": round((time.monotonic() - start) / 60, 1),
        "rounds": rounds,
        "examples": dict(sorted(tried.items())),
        "failed": status not in (0, 5),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
    }
    for name, n in sorted(tried.items()):
        print(f"{n:>9,}  {name}")
    print(
        f"{sum(tried.values()):,} examples of {len(tried)} properties in {figures['minutes']} min, "
        f"peak memory {figures['peak_memory_mb']} MB"
    )
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
        options.json.with_suffix(".md").write_text(table(figures))
    return {0: 0, 5: 2}.get(status, 1)


if __name__ == "__main__":
    sys.exit(main())
