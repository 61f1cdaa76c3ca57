"""What differs between the settings of several runs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rivae.app.forms.field_text import text_of
from rivae.app.forms.fields import SettingField, all_fields
from rivae.base.config import RunConfig
from rivae.base.errors import ConfigError

ABSENT = "–"  # a run of another method or data set has no such setting
_CHOICES = (  # what a run is, before how it was trained
    ("Data set", "dataset.name"),
    ("Method", "method.name"),
    ("Preset", "method.preset"),
    ("Seed", "seed"),
    ("Device", "training.device"),
)


def differing_settings(configs: Sequence[RunConfig]) -> list[tuple[str, list[str]]]:
    """The settings that are not the same in all of the runs.

    Args:
        configs: at least two, for anything to differ.

    Returns:
        Per differing setting its title and its value in each of ``configs``, as text: data set,
        method, preset, seed and device first, then in the order of the form. ``ABSENT`` where a run
        has no such setting. The names of the runs are left out.

    Example:
        >>> from rivae.base.config import DatasetConfig
        >>> first = RunConfig(name="a", dataset=DatasetConfig(name="synth"))
        >>> differing_settings([first, first.model_copy(update={"name": "b", "seed": 7})])
        [('Seed', ['0', '7'])]
    """
    values = [_flat(_sections(config)) for config in configs]
    titles = {path: title for title, path in _CHOICES} | _titles(configs)
    for path in sorted({path for each in values for path in each}):
        titles.setdefault(path, path)  # of a method that is not installed here
    rows = [(title, [each.get(path, ABSENT) for each in values]) for path, title in titles.items()]
    return [(title, texts) for title, texts in rows if len(set(texts)) > 1]


def _sections(config: RunConfig) -> dict[str, Any]:
    """The settings under the paths of the form: "method.n_components", "dataset.image_size"."""
    dataset, method = config.dataset, config.method
    return {
        "dataset": {**dataset.settings, "name": dataset.name},
        "method": {**method.settings, "name": method.name, "preset": method.preset},
        "training": config.training.model_dump(mode="json"),
        "seed": config.seed,
    }


def _flat(values: Mapping[str, Any], above: str = "") -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, value in values.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping):
            texts |= _flat(value, f"{path}.")
        else:
            texts[path] = text_of(value) or "none"
    return texts


def _titles(configs: Sequence[RunConfig]) -> dict[str, str]:
    titles: dict[str, str] = {}
    for config in configs:
        with suppress(ConfigError):  # its data set or method is not installed here
            fields = all_fields(config.dataset.name, config.method.name)
            titles |= {field.path: _title(field) for field in fields if field.path not in titles}
    return titles


def _title(field: SettingField) -> str:
    return f"{field.above}: {field.title}" if field.above else field.title
