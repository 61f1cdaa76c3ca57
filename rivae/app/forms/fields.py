"""Every setting of a run, read from the schema: its name, type, bounds, choices and meaning.

The settings are the fields of the configuration classes of the method, the data set and the
trainer, so a form made of them shows a new method, data set or setting without more code. A
configuration inside another one ("embedder") is split into its settings ("embedder.hidden").
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from rivae.base.config import TrainingConfig
from rivae.base.parts import NameIn
from rivae.data import settings_class
from rivae.models.registry import METHODS
from rivae.runs.named_files import PATHS

Kind = Literal["whole", "number", "switch", "choice", "text", "numbers", "pairs", "part", "json"]
Group = Literal["Stage lengths", "Loss weights", "Networks", "Other", "Data set", "Training"]
GROUPS: tuple[Group, ...] = get_args(Group)

APART = {"training.device"}  # chosen with the slots of the machine


@dataclass(frozen=True)
class SettingField:
    """One setting.

    Attributes:
        path: its place in the configuration: section and names, "method.embedder.hidden".
        group: the part of a form it belongs to.
        kind: the kind of its value: a whole or real number, yes or no, one of ``choices``, a text,
            several numbers, pairs of numbers, or a "part" that is there or not (the settings
            inside it follow); "json" for anything else.
        default: without a preset.
        choices: of the kind "choice".
        optional: whether it may be left empty (None).
        length: how many numbers the kind "numbers" takes; None for any.
        whole: whether those are whole numbers.
        inside: of a part, its values when it is added.
        bounds: as text, e.g. "from 1 to 512", or "".
        title: its name for a reader.
        above: titles of the parts that it is a setting of, "Embedder" of "embedder.hidden".
        help: its meaning, or "".
    """

    path: str
    group: Group
    kind: Kind
    default: Any = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    length: int | None = None
    whole: bool = False
    inside: Mapping[str, Any] = field(default_factory=dict)
    bounds: str = ""
    title: str = ""
    above: str = ""
    help: str = ""

    @property
    def section(self) -> str:
        return self.path.partition(".")[0]

    @property
    def label(self) -> str:
        """Its name within its section."""
        return self.path.partition(".")[2]

    @property
    def is_path(self) -> bool:
        """Whether its value names a file or folder of this machine."""
        return self.path.rpartition(".")[2] in PATHS


@cache
def method_fields(method: str) -> tuple[SettingField, ...]:
    """The settings of a method; ConfigError when there is no such method."""
    return tuple(_of_model("method", METHODS[method].config_class))


@cache
def training_fields() -> tuple[SettingField, ...]:
    """The settings of the trainer, without the device."""
    fields = _of_model("training", TrainingConfig)
    return tuple(field for field in fields if field.path not in APART)


@cache
def dataset_fields(dataset: str) -> tuple[SettingField, ...]:
    """The settings of a data set; ConfigError when there is no such data set."""
    return tuple(_of_model("dataset", settings_class(dataset)))


def stage_lengths(method: str) -> tuple[str, ...]:
    """The names of a method's settings that are lengths of stages, in epochs."""
    return METHODS[method].config_class.lengths()


def all_fields(dataset: str, method: str) -> tuple[SettingField, ...]:
    """Every setting of a run, in the order of the groups."""
    fields = (*method_fields(method), *dataset_fields(dataset), *training_fields())
    return tuple(sorted(fields, key=lambda known: (GROUPS.index(known.group), _is_late(known))))


def _is_late(form_field: SettingField) -> bool:
    """The joint stage comes last, but the classes that the methods share begin with it."""
    return form_field.group == "Stage lengths" and form_field.label.startswith("joint")


def _of_model(
    prefix: str, model: type[BaseModel], above: str = "", group: Group = "Other"
) -> Iterator[SettingField]:
    """The settings of ``model``; those that name no group are of that of their part."""
    for name, info in model.model_fields.items():
        default = info.get_default(call_default_factory=True, validated_data={})
        path, inner = f"{prefix}.{name}", _model_in(info.annotation)
        title, own_group = info.title or title_of(name), _group(path, info, group)
        if inner is None or _may_be_none(info.annotation):
            new_field = replace(
                _field(path, info.annotation, info.metadata, default),
                group=own_group,
                title=title,
                above=above,
                help=info.description or "",
            )
            yield new_field if inner is None else replace(new_field, inside=_defaults(inner))
        if inner is not None:
            yield from _of_model(path, inner, title, own_group)


def title_of(name: str) -> str:
    """What a setting without a title is called.

    >>> title_of("warm_up_epochs")
    'Warm up epochs'
    """
    return name.replace("_", " ").strip().capitalize()


def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    """The default values of a configuration; None where one is required."""
    return {
        name: None
        if info.is_required()
        else to_jsonable_python(info.get_default(call_default_factory=True, validated_data={}))
        for name, info in model.model_fields.items()
    }


def _field(path: str, hint: Any, bounds: Any, default: Any) -> SettingField:
    bare, inner_bounds = _unwrapped(hint)
    bounds = [*bounds, *inner_bounds]
    args = get_args(bare)
    parts = next((mark.parts for mark in bounds if isinstance(mark, NameIn)), None)
    kind = _kind(bare)
    choices: tuple[str, ...] = ()
    length: int | None = None
    whole = False
    if parts is not None:
        kind, choices = "choice", tuple(parts)
    elif kind == "choice":
        choices = args
    elif kind == "numbers":
        length = None if args[-1] is Ellipsis else len(args)
        element, bounds = _unwrapped(args[0])
        whole = element is int
    words = "" if kind in ("part", "pairs") else _bounds(bounds)
    return SettingField(
        path,
        "Other",
        kind,
        default=None if default is PydanticUndefined else to_jsonable_python(default),
        choices=choices,
        optional=_may_be_none(hint) and kind != "part",
        length=length,
        whole=whole,
        bounds=words,
    )


def _kind(bare: Any) -> Kind:
    simple: dict[Any, Kind] = {bool: "switch", int: "whole", float: "number", str: "text"}
    if bare in simple:
        return simple[bare]
    if inspect.isclass(bare) and issubclass(bare, BaseModel):
        return "part"
    args = get_args(bare)
    if get_origin(bare) is Literal and all(isinstance(option, str) for option in args):
        return "choice"
    if get_origin(bare) is tuple and args:
        first = _unwrapped(args[0])[0]
        if first in (int, float):
            return "numbers"
        if get_origin(first) is tuple and len(get_args(first)) == 2:
            return "pairs"
    return "json"


def _group(path: str, info: FieldInfo, part: Group) -> Group:
    """The group that a field names, or else that which its name suggests, or that of its part."""
    section, *names = path.split(".")
    if section != "method":
        return "Data set" if section == "dataset" else "Training"
    extra = info.json_schema_extra
    group = extra.get("group") if isinstance(extra, dict) else None
    if group in GROUPS:
        return group
    last = names[-1]
    if last.endswith("epochs") and len(names) == 1:
        return "Stage lengths"
    if last.endswith("hidden"):
        return "Networks"
    return "Loss weights" if last.startswith("lambda_") else part


def _unwrapped(hint: Any) -> tuple[Any, list[Any]]:
    """The type without None and Annotated, and the bounds that it was annotated with."""
    all_marks: list[Any] = []
    while True:
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            for mark in marks:
                all_marks += mark.metadata if isinstance(mark, FieldInfo) else [mark]
        elif _may_be_none(hint) and len(get_args(hint)) == 2:
            hint = next(arg for arg in get_args(hint) if arg is not type(None))
        else:
            return hint, all_marks


def _may_be_none(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)


def _model_in(hint: Any) -> type[BaseModel] | None:
    bare = _unwrapped(hint)[0]
    return bare if inspect.isclass(bare) and issubclass(bare, BaseModel) else None


def _bounds(marks: list[Any]) -> str:
    """The bounds of a number as text."""
    names = ("ge", "gt", "le", "lt")
    limits = [(name, getattr(mark, name, None)) for mark in marks for name in names]
    bounds: dict[str, Any] = {name: limit for name, limit in limits if limit is not None}
    if "ge" in bounds and "le" in bounds:
        return f"from {_number(bounds['ge'])} to {_number(bounds['le'])}"
    words = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}
    return " and ".join(f"{words[name]} {_number(value)}" for name, value in bounds.items())


def _number(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f"{bound:g}"
