"""A training that is about to be started: the typed settings, each checked.

A draft keeps text, so that a wrong value is not lost. Settings it does not name have the preset's
value. Several seeds and several values of one setting make several runs.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from rivae.app.forms.field_text import expected, text_of, value_of
from rivae.app.forms.fields import SettingField, all_fields, dataset_fields
from rivae.base.config import RunConfig, TrainingConfig
from rivae.base.errors import ConfigError
from rivae.data import IMPORTED, describe_dataset, import_names, named_dataset, settings_class
from rivae.data.store import find_store
from rivae.data.store.features import usual_features
from rivae.jobs.records import RESTARTS
from rivae.models.base import MethodConfig
from rivae.models.presets import find_preset
from rivae.models.registry import METHODS, method_config

Values = dict[str, dict[str, Any]]


def holder(values: Values, path: str) -> dict[str, Any] | None:
    """The dictionary that holds the setting; None where its part is not there."""
    at: Any = values
    for name in path.split(".")[:-1]:
        at = at.get(name) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else None


def put(values: Values, form_field: SettingField, value: Any) -> None:
    """Set a value in place; a part is removed, or added with its defaults."""
    parent, name = holder(values, form_field.path), form_field.path.rpartition(".")[2]
    assert parent is not None, f"no part holds {form_field.path}"
    if form_field.kind != "part":
        parent[name] = value
    elif not value:
        parent[name] = None
    elif parent.get(name) is None:
        parent[name] = dict(form_field.inside)


def text_at(values: Values, form_field: SettingField) -> str:
    """The text of a value; of a part, whether it is there."""
    parent = holder(values, form_field.path)
    if parent is None:
        return ""
    value = parent.get(form_field.path.rpartition(".")[2])
    return text_of(value is not None if form_field.kind == "part" else value)


def usual(base: Values, form_field: SettingField) -> str:
    """The text of the preset's value; of a part that the preset does not have, the default."""
    inside = holder(base, form_field.path) is not None
    return text_at(base, form_field) if inside else text_of(form_field.default)


def differs(base: Values, values: Values, form_field: SettingField) -> bool:
    """Whether a value is not the preset's."""
    return usual(base, form_field) != text_at(values, form_field)


def as_json(value: Any) -> Any:
    """Tuples as lists, as in a file."""
    if isinstance(value, tuple | list):
        return [as_json(part) for part in value]
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    return value


@dataclass(frozen=True)
class Draft:
    """The choices and the typed text.

    Attributes:
        dataset, method, preset: names.
        name: of the run, or the first part of the names of several; "" for a free name.
        seeds: e.g. "0-4", see ``parse_seeds``.
        device: "cpu" or "cuda".
        entries: text by the path of a setting; other settings have the preset's value, and those
            of another method or data set are kept but have no effect.
        sweep: the path of the setting that takes several values, or "".
        values: these values, see ``values_of``.
        processes: how many graphics cards one run takes.
        priority, restarts: see ``rivae.jobs.records.Job``.
    """

    dataset: str = "synth"
    method: str = "rivae"
    preset: str = "default"
    name: str = ""
    seeds: str = "0"
    device: str = "cpu"
    entries: Mapping[str, str] = field(default_factory=dict)
    sweep: str = ""
    values: str = ""
    processes: int = 1
    priority: int = 5
    restarts: int = RESTARTS

    @property
    def data(self) -> str:
        """The data set as a person names it: an import by its name."""
        store = self.entries.get("dataset.store", "")
        return store if self.dataset == IMPORTED and store in import_names() else self.dataset

    def on(self, data: str) -> Draft:
        """With this data set or import, and the features that an import has; ConfigError when there
        is none of that name.
        """
        dataset, place = named_dataset(data)
        entries = {**self.entries, **{f"dataset.{name}": value for name, value in place.items()}}
        if data != self.data and "store" in place:  # as the runs on it that it is compared with
            entries["dataset.features"] = usual_features(find_store(place["store"]))
        return replace(self, dataset=dataset, entries=entries)

    def enter(self, path: str, text: str) -> Draft:
        """With the text of one setting."""
        return replace(self, entries={**self.entries, path: text})

    def take_back(self, *paths: str) -> Draft:
        """With the preset's values of these settings."""
        entries = {path: text for path, text in self.entries.items() if path not in paths}
        return replace(self, entries=entries)


@dataclass(frozen=True)
class CheckedDraft:
    """A draft checked against the schema.

    Attributes:
        fields: the settings of these choices, in the order of their groups.
        base: the preset's value of each as text, by path.
        texts: the text of each: as typed, else the preset's value.
        changed: the paths of those that differ from the preset, in the order of ``fields``.
        troubles: a sentence for each wrong setting, by path; "" for one about several settings.
        values: the valid ones by section.
    """

    fields: tuple[SettingField, ...]
    base: Mapping[str, str]
    texts: Mapping[str, str]
    changed: tuple[str, ...]
    troubles: Mapping[str, str]
    values: Values

    def field(self, path: str) -> SettingField:
        """The setting at ``path``; ConfigError when these choices have none."""
        for one in self.fields:
            if one.path == path:
                return one
        raise ConfigError(f"there is no setting '{path.partition('.')[2]}' with these choices")

    def changes(self) -> Values:
        """The settings that differ from the preset, by section, for ``make_config``.

        Raises:
            ConfigError: with the first trouble.
        """
        for trouble in self.troubles.values():
            raise ConfigError(trouble)
        names = {tuple(path.split(".")[:2]) for path in self.changed}
        values: Values = {"dataset": {}, "method": {}, "training": {}}
        for section, name in names:
            values[section][name] = self.values[section][name]
        return values


def check(draft: Draft) -> CheckedDraft:
    """Check every setting of a draft.

    Raises:
        ConfigError: the data set, method or preset is unknown, or they do not go together.
    """
    everything = all_fields(draft.dataset, draft.method)
    base = preset_values(draft)
    values = copy.deepcopy(base)
    troubles: dict[str, str] = {}
    # Outer settings first: a part that is added brings its defaults.
    for form_field in sorted(everything, key=lambda f: f.path.count(".")):
        if form_field.path in draft.entries and holder(values, form_field.path) is not None:
            try:
                put(values, form_field, value_of(form_field, draft.entries[form_field.path]))
            except ConfigError as error:
                troubles[form_field.path] = str(error)
    fields = tuple(f for f in everything if holder(values, f.path) is not None)
    troubles = {**_schema_troubles(draft, values, fields), **troubles}
    texts = {f.path: draft.entries.get(f.path, text_at(values, f)) for f in fields}
    changes = tuple(f.path for f in fields if f.path in troubles or differs(base, values, f))
    order = [path for path in texts if path in troubles] + [""] * ("" in troubles)
    return CheckedDraft(
        fields,
        {f.path: usual(base, f) for f in fields},
        texts,
        changes,
        {path: troubles[path] for path in order},
        values,
    )


def preset_values(draft: Draft) -> Values:
    """Every value of a draft's preset by section, of JSON's types.

    Raises:
        ConfigError: there is no such preset.
    """
    entries = {}  # the preset may depend on how large pictures are, or whether they are vectors
    for form_field in dataset_fields(draft.dataset):
        if form_field.path in draft.entries:
            with suppress(ConfigError):  # ``check`` reports it at the setting
                entries[form_field.label] = value_of(form_field, draft.entries[form_field.path])
    return _preset_values(draft, entries)


def _preset_values(draft: Draft, data: Mapping[str, Any]) -> Values:
    start = find_preset(draft.dataset, draft.method, draft.preset, data)
    method = method_config(draft.method, start.method)
    training = TrainingConfig(**start.training)
    dataset = {**describe_dataset(draft.dataset)[1], **start.dataset}
    return {
        "dataset": {name: as_json(value) for name, value in dataset.items()},
        "method": method.model_dump(mode="json"),
        "training": training.model_dump(mode="json"),
    }


def draft_of(config: RunConfig) -> Draft:
    """The draft of a run like this one: settings that differ from today's preset are entries.

    Raises:
        ConfigError: its data set, method or preset is not known here.
    """
    draft = Draft(
        dataset=config.dataset.name,
        method=config.method.name,
        preset=config.method.preset,
        name=config.name,
        seeds=str(config.seed),
        device="cpu" if config.training.device == "cpu" else "cuda",
    )
    base = _preset_values(draft, config.dataset.settings)
    settings = config.method.settings
    with suppress(ConfigError):  # a run of an older version lacks what came later
        settings = method_config(draft.method, settings).model_dump(mode="json")
    values: Values = {
        "dataset": {**base["dataset"], **as_json(dict(config.dataset.settings))},
        "method": {**base["method"], **settings},
        "training": config.training.model_dump(mode="json"),
    }
    for form_field in all_fields(draft.dataset, draft.method):
        if holder(values, form_field.path) is not None and differs(base, values, form_field):
            draft = draft.enter(form_field.path, text_at(values, form_field))
    return draft


def _schema_troubles(
    draft: Draft, values: Values, fields: Sequence[SettingField]
) -> dict[str, str]:
    """The errors of the configuration classes by path; those of several settings under ""."""
    fields_by_path = {field.path: field for field in fields}
    troubles: dict[str, str] = {}
    for section, owner, model in (
        ("dataset", draft.dataset, settings_class(draft.dataset)),
        ("method", draft.method, METHODS[draft.method].config_class),
        ("training", "training", TrainingConfig),
    ):
        try:
            settings = model.model_validate(values[section])
            if isinstance(settings, MethodConfig) and (said := settings.untrained()):
                troubles.setdefault("", f"{owner}: {said}")
        except ValidationError as error:
            for wrong in error.errors():
                names = [section, *(part for part in wrong["loc"] if isinstance(part, str))]
                while names and ".".join(names) not in fields_by_path:
                    names.pop()
                path = ".".join(names)
                said = wrong["msg"].removeprefix("Value error, ").replace("Input should", "must")
                label = fields_by_path[path].label if path else owner
                sentence = f"{label}: {said[:1].lower()}{said[1:]}"
                if path and fields_by_path[path].bounds:
                    text = text_at(values, fields_by_path[path])
                    sentence = (
                        f"{label} must be {expected(fields_by_path[path])}, not '{text[:40]}'"
                    )
                troubles.setdefault(path, sentence)
    return troubles
