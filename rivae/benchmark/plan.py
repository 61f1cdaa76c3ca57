"""The runs behind the tables: their data sets, lines, settings and sizes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError
from rivae.benchmark.lines import TABLE_LINES, Changes
from rivae.benchmark.rows import Row
from rivae.data import dataset_names
from rivae.data.names import DATASETS
from rivae.jobs.launch import make_config
from rivae.models.presets import preset_names, trains_as_batch
from rivae.models.registry import METHODS, method_config

FEW_QUERIES = 20
OF_THE_PLACE = {"device", "precision"}  # settings of training that depend on the machine


@dataclass(frozen=True)
class Size:
    """The size of a benchmark; only "full" gives results.

    Attributes:
        epochs: share of the preset's epochs, at least one of each stage.
        seeds, draws: how many, unless the command line says otherwise.
        tables: those made, unless the command line says otherwise.
        data: data set -> settings that make it smaller.
        n_queries: traversed queries of an evaluation; None for the number that results have.
    """

    name: str
    epochs: float
    seeds: int
    draws: int
    tables: tuple[str, ...]
    data: dict[str, dict[str, Any]] = field(default_factory=dict)
    n_queries: int | None = None


SIZES = {
    size.name: size
    for size in (
        # The table of imported pairs is only made on request.
        Size("full", 1.0, 5, 4, tuple(t for t in TABLE_LINES if t != "pairs")),
        # Split digits replace Split-MNIST, whose files have to be downloaded first.
        Size(
            "quick",
            0.1,
            2,
            2,
            ("synth", "synth-modulated", "sprites", "split-digits", "ablation"),
            {
                "synth-modulated": {"n_pairs": 3000},
                "sprites": {"fractions": [0.2, 0.05, 0.75]},
                "split-mnist": {"n_validation": 56_000},
            },
            FEW_QUERIES,
        ),
        # A smoke test from training to report.
        Size(
            "tiny",
            0.0,
            2,
            1,
            ("synth",),
            {
                "synth": {"n_pairs": 150},
                "synth-modulated": {"n_pairs": 500},
                "sprites": {"fractions": [0.02, 0.02, 0.96]},
                "split-digits": {"fractions": [0.85, 0.1, 0.05]},
                "split-mnist": {"n_validation": 59_500},
            },
            FEW_QUERIES,
        ),
    )
}


LONG_NAME = 30  # characters of changed settings in the name of a run; longer ones are hashed
DATA = "dataset."  # prefix of settings of the data set among changed settings


def draw_settings(dataset: str, draw: int, seed: int = 0) -> dict[str, Any]:
    """The settings of a data set for a draw and a seed; fixed data sets have only draw 0."""
    by_draw, by_seed = (DATASETS.said(dataset, each, ()) for each in ("drawn_by", "seeded_by"))
    return dict.fromkeys(by_draw, draw) | dict.fromkeys(by_seed, seed)


@dataclass(frozen=True)
class Cell:
    """One line of the tables: a data set, a method and a preset, over several seeds.

    ``draws`` are draws of the data set itself (Synth's G and factors); a data set that is fixed
    has one. ``settings`` change the method, or the data set if a key begins with "dataset."; a key
    like "embedder.hidden" changes one part of a setting.
    ``place`` are settings of ``OF_THE_PLACE`` for new runs; the rest is that of the preset.
    """

    dataset: str
    method: str
    preset: str
    seeds: tuple[int, ...]
    draws: tuple[int, ...] = (0,)
    settings: Changes = ()
    size: str = "full"
    place: Changes = ()

    @property
    def label(self) -> str:
        """Name of the run folders."""
        extra = "".join(f"-{key}-{value}" for key, value in self.settings).lower()
        if len(extra) > LONG_NAME:  # a run's name has 80 letters at most
            extra = "-" + hashlib.sha256(extra.encode()).hexdigest()[:8]
        size = "" if self.size == "full" else f"-{self.size}"
        name = f"bench-{self.dataset}-{self.method}-{self.preset}{extra}{size}"
        return "".join(c if c.isalnum() or c in "._-" else "-" for c in name)

    @property
    def title(self) -> str:
        """The label, and the run where it is a single one."""
        if len(self.draws) == len(self.seeds) == 1:
            return f"{self.label}-d{self.draws[0]}-s{self.seeds[0]}"
        return f"{self.label} ({len(self.draws) * len(self.seeds)} runs)"

    @property
    def settings_text(self) -> str:
        """The changed settings as a result row names them."""
        return ", ".join(f"{key}={value}" for key, value in self.settings)

    @property
    def line_key(self) -> tuple[str, str, str, str, str]:
        """The key that the line has among result rows (``rows.line_key``)."""
        return self.dataset, self.method, self.preset, self.settings_text, self.size

    @property
    def settings_json(self) -> str:
        """All settings of its runs but seed and draw, as result rows keep them.

        Raises:
            ConfigError: for an unknown name or setting.
        """
        return settings_json(self.config(self.draws[0], self.seeds[0]))

    def configs(self) -> list[RunConfig]:
        """One configuration per draw and seed.

        Raises:
            ConfigError: for an unknown name or setting.
        """
        return [self.config(draw, seed) for draw in self.draws for seed in self.seeds]

    @property
    def data_settings(self) -> dict[str, Any]:
        """The changes of ``settings`` to the data set."""
        changes = dict(self.settings)
        return {k.removeprefix(DATA): v for k, v in changes.items() if k.startswith(DATA)}

    def config(self, draw: int, seed: int) -> RunConfig:
        """The configuration of one run."""
        size = SIZES[self.size]
        method_changes = {k: v for k, v in self.settings if not k.startswith(DATA)}
        make = partial(
            make_config,
            *(self.dataset, self.method, self.preset),
            name=f"{self.label}-d{draw}-s{seed}",
            seed=seed,
            training=dict(self.place),
        )
        draw_values = draw_settings(self.dataset, draw, seed)
        data = {**size.data.get(self.dataset, {}), **draw_values, **self.data_settings}
        default = make(dataset_settings=data)
        settings = default.method.settings
        changes = {**_shortened(settings, size.epochs), **method_changes}
        return make(dataset_settings=default.dataset.settings, method_settings=changes)

    def parts(self) -> list[Cell]:
        """The cells that train as one batch: all runs of a small model, one run of a large one."""
        if trains_as_batch(self.config(self.draws[0], self.seeds[0]).method.settings):
            return [self]
        return [
            replace(self, draws=(draw,), seeds=(seed,))
            for draw in self.draws
            for seed in self.seeds
        ]


def _shortened(settings: dict[str, Any], share: float) -> dict[str, Any]:
    """The settings that count epochs or steps, at this share of their values."""
    if share == 1.0:
        return {}
    short: dict[str, Any] = {
        key: min(value, max(1, round(value * share)))
        for key, value in settings.items()
        if key == "epochs" or key.endswith("_epochs")
    }
    if settings.get("init") == "contrast":  # counted in steps
        contrast = settings["contrast"]
        steps = {k: max(1, round(v * share)) for k, v in contrast.items() if k.endswith("steps")}
        short["contrast"] = {**contrast, **steps}
    if settings.get("milestones"):
        short["milestones"] = [
            [round(epoch * share), factor] for epoch, factor in settings["milestones"]
        ]
    return short


def settings_json(config: RunConfig) -> str:
    """The settings shared by all runs of a line, as JSON: without seed, draw and processor."""
    by_draw = draw_settings(config.dataset.name, 0)
    return json.dumps(
        {
            "dataset": {k: v for k, v in config.dataset.settings.items() if k not in by_draw},
            "method": config.method.settings,
            "training": config.training.model_dump(mode="json", exclude=OF_THE_PLACE),
        },
        sort_keys=True,
    )


def completed(config: RunConfig) -> RunConfig:
    """The configuration with the defaults of settings that are newer than the run."""
    settings = _with_defaults(config.method.name, config.method.settings)
    return config.model_copy(
        update={"method": config.method.model_copy(update={"settings": settings})}
    )


def completed_row(row: Row) -> Row:
    """The row with the defaults of settings that are newer than it, so that ``merge`` keeps it."""
    return {**row, "config": _completed_json(row["dataset"], row["method"], row["config"])}


@cache
def _completed_json(dataset: str, method: str, config: str) -> str:
    if not config or method not in METHODS:
        return config
    try:
        settings = json.loads(config)
        settings["method"] = _with_defaults(method, settings["method"])
        for key in OF_THE_PLACE:
            settings["training"].pop(key, None)
        for key_of_draw in draw_settings(dataset, 0):
            settings["dataset"].pop(key_of_draw, None)
    except (ValueError, KeyError, TypeError, ConfigError):
        return config
    return json.dumps(settings, sort_keys=True)


def _with_defaults(method: str, settings: dict[str, Any]) -> dict[str, Any]:
    return method_config(method, settings).model_dump(mode="json")


def plan(
    size: str = "full",
    tables: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    presets: Sequence[str] = ("default",),
    seeds: Sequence[int] | None = None,
    draws: Sequence[int] | None = None,
    settings: Mapping[str, Any] | None = None,
    place: Mapping[str, str] | None = None,
) -> list[Cell]:
    """The cells of some tables, each once, in the order of the tables.

    Args:
        size: "full", "quick" or "tiny", with default seeds, draws and tables.
        tables: names from ``TABLE_LINES``, or "all".
        settings: changes to every cell; changed cells are separate lines.
        datasets, methods: only these; with only ``datasets`` given, of all tables.
        place: of ``OF_THE_PLACE`` for new runs; those of the preset by default.

    Raises:
        ConfigError: for an unknown name, or when nothing is left to run.
    """
    scale = SIZES[size]
    if tables is None:
        tables = scale.tables if datasets is None else tuple(TABLE_LINES)
    if "all" in tables:
        tables = tuple(TABLE_LINES)
    _known("table", tables, (*TABLE_LINES, "all"))
    _known("data set", datasets or (), dataset_names())
    _known("method", methods or (), tuple(METHODS))
    _known("preset", presets, preset_names())
    seeds = tuple(range(scale.seeds) if seeds is None else seeds)
    draws = tuple(range(scale.draws) if draws is None else draws)
    changes = tuple((key, _hashable(value)) for key, value in (settings or {}).items())
    cells: list[Cell] = []
    for table in tables:
        for dataset, lines in TABLE_LINES[table].items():
            if size != "full" and table == "ablation" and dataset == "split-mnist":
                dataset = "split-digits"
            if datasets is not None and dataset not in datasets:
                continue
            cells += [
                Cell(
                    dataset,
                    method,
                    preset,
                    seeds,
                    draws if DATASETS.said(dataset, "drawn_by", ()) else (0,),
                    line_changes + changes,
                    size,
                    tuple((place or {}).items()),
                )
                for method, only_preset, line_changes in lines
                if methods is None or method in methods
                for preset in ((only_preset,) if only_preset else presets)
            ]
    if not cells:
        raise ConfigError(
            f"no table among {', '.join(tables)} has these data sets and methods: leave out "
            "--datasets or --methods"
        )
    return list(dict.fromkeys(cells))


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _known(kind: str, names: Sequence[str], choices: Sequence[str]) -> None:
    for name in names:
        if name not in choices:
            raise ConfigError(f"there is no {kind} '{name}': choose from {', '.join(choices)}")
