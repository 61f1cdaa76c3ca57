"""The runs that a draft asks for: each value of the swept setting with each seed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from rivae.app.forms.draft import Draft, check
from rivae.app.forms.field_text import text_of, values_of
from rivae.base.config import RunConfig, free_name
from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.jobs.launch import make_config

MAX_SEEDS = 1000


def parse_seeds(text: str) -> list[int]:
    """ "0-3,7" as [0, 1, 2, 3, 7]; ConfigError for anything else."""
    seeds: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,10})(?:-(\d{1,10}))?\s*", part)
        if match is None:
            raise ConfigError(f"'{text}' names no seeds: write 3, 0-9 or 0,2,5")
        low, high = int(match[1]), int(match[2] or match[1])
        seeds += range(low, min(high, low + MAX_SEEDS) + 1)
    if not seeds or len(set(seeds)) != len(seeds) or len(seeds) > MAX_SEEDS:
        raise ConfigError(f"'{text}' must name 1 to {MAX_SEEDS} different seeds")
    return seeds


MAX_RUNS = 200
MAX_OPENED = 10  # data sets that are opened before runs are queued


def runs_of(draft: Draft, is_taken: Callable[[str], bool] = lambda name: False) -> list[RunConfig]:
    """The configurations of all runs, complete and valid, in the order they are queued.

    Args:
        is_taken: whether a run of this name exists; a draft without a name gets a free one.

    Raises:
        ConfigError: one sentence about the first thing that is wrong.
    """
    seeds, given = parse_seeds(draft.seeds), draft.name.strip()
    drafts = variants(draft)
    n = len(seeds) * len(drafts)
    if n > MAX_RUNS:
        raise ConfigError(
            f"{n:,} runs are more than the {MAX_RUNS} that are queued at once: take fewer seeds "
            "or values"
        )
    ends = [""] if given and len(seeds) == 1 else [f"-s{seed}" for seed in seeds]
    names = [f"{part}{end}" for part, _ in drafts for end in ends]
    base = given or free_base(f"{draft.data}-{draft.method}", names, is_taken)
    taken_name = next((base + name for name in names if is_taken(base + name)), None)
    if taken_name:
        raise ConfigError(f"a run named {taken_name} already exists: choose another name")
    configs = [_make(variant) for _, variant in drafts]
    return [
        make(f"{base}{part}{end}", seed)
        for (part, _), make in zip(drafts, configs, strict=True)
        for end, seed in zip(ends, seeds, strict=True)
    ]


def variants(draft: Draft) -> list[tuple[str, Draft]]:
    """A draft without a sweep for each value of the swept setting; one draft if none is swept.

    The text is the part that the value adds to the run's name, e.g. "-lambda_reg-0.1".

    Raises:
        ConfigError: a value is wrong, or these choices have no such setting.
    """
    if not draft.sweep:
        return [("", draft)]
    field = check(draft.take_back(draft.sweep)).field(draft.sweep)
    drafts: dict[str, Draft] = {}
    for value in values_of(field, draft.values):
        text = text_of(value)
        part = f"-{slug(field.label)}-{slug(text)}"
        if part in drafts:
            part = f"{part}-{len(drafts) + 1}"
        drafts[part] = replace(draft.enter(draft.sweep, text), sweep="", values="")
    return list(drafts.items())


def open_datasets(configs: Sequence[RunConfig]) -> None:
    """Open the data sets of some runs, to find what no schema can: a missing file, a bound.

    Raises:
        ConfigError, DataError: for the first that cannot be opened.
    """
    datasets_by_key = {config.dataset.model_dump_json(): config.dataset for config in configs}
    for dataset in list(datasets_by_key.values())[:MAX_OPENED]:
        load_dataset(dataset.name, **dataset.settings)


def free_base(base: str, names: list[str], is_taken: Callable[[str], bool]) -> str:
    """``base``, or with -2, -3 … the first with which no name is taken."""
    return free_name(base, lambda tried: any(is_taken(tried + name) for name in names))


def _make(draft: Draft) -> Callable[[str, int], RunConfig]:
    """Makes the configuration of this name and seed; ConfigError where a setting is wrong."""
    changes = check(draft).changes()

    def make(name: str, seed: int) -> RunConfig:
        return make_config(
            draft.dataset,
            draft.method,
            draft.preset,
            name=name,
            seed=seed,
            dataset_settings=changes["dataset"],
            method_settings=changes["method"],
            training={**changes["training"], "device": draft.device},
        )

    return make


def slug(text: str) -> str:
    """``text`` as a part of a run's name: small letters, digits, ".", "_" and "-"."""
    return re.sub(r"[^a-z0-9._-]+", "_", text.lower()).strip("_.-") or "none"
