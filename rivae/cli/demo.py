"""Train the demo runs in ``assets/demo`` again.

``python -m rivae.demo [--only NAME] [--out DIR]``. One seed each (0, not chosen), default preset,
no downloads, CPU only; half an hour on one core. The folders keep what the app needs, without
checkpoints, and what would take seconds when they are opened for the first time: ``--only
computed`` computes that of all of them again. ``--only kitchen-data`` draws and writes the dishes
in ``assets/kitchen`` again; with ``--pictures FOLDER``, where ``tools/kitchen3d`` has rendered
them, those in ``assets/kitchen-rendered``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from rivae.base.errors import ConfigError
from rivae.base.files import write_atomic, write_atomic_with
from rivae.base.installed import CACHE, COMPUTED, cache_folder
from rivae.base.output import with_output
from rivae.base.scratch import scratch_folder
from rivae.cli.common import Steps, path_argument
from rivae.cli.train import ProgressLine
from rivae.data.importing import ImportSettings, Recipe1MImport, run_import
from rivae.data.kitchen import write_kitchen
from rivae.data.kitchen.layout import N_DISHES
from rivae.data.kitchens import DRAWN, RENDERED
from rivae.data.store import own_store
from rivae.evaluation.evidence import evidence_of
from rivae.evaluation.of_run import evaluate
from rivae.exploring.explorer import Explorer
from rivae.exploring.words.axis_names import axis_names, change_names
from rivae.exploring.words.naming import MIN_FACTOR
from rivae.jobs.launch import make_config, train
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.axis_names import AXIS_NAMES
from rivae.runs.data_record import DATA, VOCABULARY
from rivae.runs.folders import is_run_folder

# Name -> data set and method; two of one data set, so that there is something to compare.
DEMOS = {
    "demo-sprites": ("sprites", "rivae"),
    "demo-digits": ("split-digits", "rivae"),
    "demo-synth": ("synth", "rivae"),
    "demo-sprites-cos-sim-lvm": ("sprites", "cos-sim-lvm"),
    "demo-kitchen": ("kitchen", "rivae"),
    "demo-kitchen-cos-sim-lvm": ("kitchen", "cos-sim-lvm"),
}
KITCHEN_DATA = "kitchen-data"
KEPT = (
    "config.json",
    "status.json",
    DATA,
    VOCABULARY,
    "metrics.jsonl",
    "model.safetensors",
    "alignment.json",
    "evaluation.json",
    AXIS_NAMES,
)


def make_demo(name: str, out: Path = DEMO_ROOT) -> Path:
    """Train, evaluate and install one demo run; returns its folder.

    Raises:
        ConfigError: its folder holds something other than a run.
    """
    target = out / name
    if os.path.lexists(target) and not is_run_folder(target):
        raise ConfigError(f"{target} is not a run: choose another folder with --out")
    config = make_config(*DEMOS[name], name=name)
    with scratch_folder("rivae-demo-") as scratch:
        with Steps(name) as steps:
            line = ProgressLine(steps, name)
            (run,) = train([config], scratch, line, watch=line.watch)
            data = run.load_dataset()
            run.write_evaluation(evaluate(run.load_method(data), data, progress=steps))
        accept_names(run, run.config.method.settings["n_components"])
        with _replacing(target) as new_folder:
            new_folder.mkdir(parents=True)
            for file in KEPT:
                if (run.path / file).exists():
                    shutil.copyfile(run.path / file, new_folder / file)
            compute(new_folder)
    return target


def compute(folder: Path) -> Path:
    """Compute what is needed when the run in ``folder`` is opened for the first time: z of the
    queries that tell where the data lie, and of the items; and the evidence for its evaluation.

    Returns:
        The folder below ``folder`` that holds it, as it would stand in the run's cache.
    """
    computed = folder / COMPUTED
    shutil.rmtree(computed, ignore_errors=True)
    with scratch_folder("rivae-demo-") as scratch:
        # A copy, so that whatever the run's own cache holds is computed as well.
        run = Run(Path(shutil.copytree(folder, scratch / folder.name, ignore=_CACHE)))
        explorer = Explorer.open(run)
        explorer.prepare()
        _ = explorer.positions
        if (report := run.evaluation_of("first")) is not None:
            evidence_of(run, report)
        computed.mkdir()
        for path in sorted(cache_folder(run.path).iterdir()):
            if path.name.startswith(OPENING):
                _store(path, computed / path.name)
    return computed


_CACHE = shutil.ignore_patterns(CACHE)
OPENING = ("latents-", "effects-", "positions-", "evidence-")  # files of a cache


def _store(path: Path, target: Path) -> None:
    """A copy of a file; packed where NumPy reads that as well."""
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            write_atomic_with(target, lambda stream: np.savez_compressed(stream, **arrays))
    else:
        write_atomic(target, path.read_bytes())


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """The place of a new folder, which takes that of ``target`` when all of it is there."""
    new_folder = target.with_name(f".{target.name}.new")
    shutil.rmtree(new_folder, ignore_errors=True)
    try:
        yield new_folder
        shutil.rmtree(target, ignore_errors=True)
        new_folder.rename(target)
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)


def accept_names(run: Run, n_components: int) -> None:
    """Accept the proposed names that hold on test items as well."""
    names = {
        j: replace(name, proposed=False)
        for j, name in axis_names(run, n_components).items()
        if name.held_out is not None and name.held_out.score >= MIN_FACTOR
    }
    change_names(run, n_components, names)


def make_kitchen(out: Path | None = None, n: int = N_DISHES, pictures: Path | None = None) -> Path:
    """Write ``n`` dishes in Recipe1M's layout and import them as a user would; returns ``out``.

    Args:
        out: the folder, by default that of the bundled dishes of this kind.
        pictures: a folder of rendered dishes; without it they are drawn.

    Raises:
        DataError: ``out`` holds something other than an import.
    """
    out = out or (RENDERED if pictures else DRAWN)
    if os.path.lexists(out):
        own_store(out.name, out.parent)
    with scratch_folder("rivae-demo-") as scratch:
        source, root = scratch / "written", scratch / "data"
        write_kitchen(source, n, webp=True, pictures=pictures)
        side = 192 if pictures else 128
        settings = ImportSettings("kitchen", title="Kitchen", side=side, root=root)
        run_import(Recipe1MImport(source), settings)
        with _replacing(out) as new_folder:
            shutil.copytree(settings.folder, new_folder)
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """The command line of ``python -m rivae.cli.demo``."""
    parser = argparse.ArgumentParser(prog="python -m rivae.cli.demo", description=__doc__)
    names = sorted([*DEMOS, COMPUTED, KITCHEN_DATA])
    parser.add_argument("--only", choices=names, action="append", help="one of them")
    parser.add_argument(
        "--out", type=path_argument, default=DEMO_ROOT, help="folder of the demo runs"
    )
    parser.add_argument("--pictures", type=path_argument, help="rendered dishes, for kitchen-data")
    args = parser.parse_args(argv)
    return with_output(
        lambda: _make(args.only or list(DEMOS), args.out, args.pictures), parser.prog
    )


def _make(names: Sequence[str], out: Path, pictures: Path | None = None) -> int:
    for name in names:
        if name == COMPUTED:
            for run in DEMOS:
                print(f"{run}: {compute(out / run)}")
        else:
            is_data = name == KITCHEN_DATA
            made = make_kitchen(pictures=pictures) if is_data else make_demo(name, out)
            print(f"{name}: {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
