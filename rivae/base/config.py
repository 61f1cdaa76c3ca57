"""The validated settings of a run; ``config.json`` of a run folder holds exactly this."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from rivae.base.errors import ConfigError, DataError, some_of
from rivae.base.reading.documents import parse_json, printable
from rivae.base.reading.regular import read_at_most

SCHEMA_VERSION = 1
MAX_NAME = 80  # characters of the name of a run or of a labelling plan
RUN_NAME = rf"^[a-z0-9][a-z0-9._-]{{0,{MAX_NAME - 1}}}$"
MAX_CONFIG_BYTES = 2**20

# Bounds far beyond any sensible run, so that a mistyped or hostile file cannot exhaust the machine.
Width = Annotated[int, Field(ge=1, le=8192)]
Widths = Annotated[tuple[Width, ...], Field(max_length=16)]
Epochs = Annotated[int, Field(ge=0, le=100_000)]
BatchSize = Annotated[int, Field(ge=2, le=65_536)]
LEAST, MOST = 1e-12, 1e12

# Here, so that the command line reads them without loading torch.
Asks = Literal["first", "second", "both"]  # which view of an item is the query
Rows = Literal["test", "all"]  # which items are searched
ROWS: tuple[Rows, ...] = ("test", "all")


def sane(value: Any) -> Any:
    """``value`` when every number in it is 0 or of a size that arithmetic can handle.

    Raises:
        ValueError: with the first that is not, e.g. 1e-320, whose inverse is infinite.
    """
    if isinstance(value, float) and value and not LEAST <= abs(value) <= MOST:
        size = "close to 0" if abs(value) < 1 else "large"
        raise ValueError(f"{value:g} is too {size}: choose a number of {LEAST:g} to {MOST:g}")
    if isinstance(value, list | tuple):
        for each in value:
            sane(each)
    return value


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), AfterValidator(sane)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False), AfterValidator(sane)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DatasetConfig(_Strict):
    """A registered data set and the settings it is built with."""

    name: str
    settings: dict[str, Any] = {}

    def same_items(self, other: DatasetConfig) -> bool:
        """Whether both are the same items with the same split, however they become numbers; of
        opened data ``PairedDataset.items_key`` says it for certain.
        """
        return self.name == other.name and _items(self.settings) == _items(other.settings)


# Settings that say how pictures and texts become numbers, and not which items there are.
READING = frozenset({"features", "image_size", "max_words", "text", "word_vectors"})


def _items(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in READING}


class MethodChoice(_Strict):
    """A registered method; ``settings`` are complete, ``preset`` only says where they came from."""

    name: str = "rivae"
    preset: str = "default"
    settings: dict[str, Any] = {}


class TrainingConfig(_Strict):
    """How the trainer runs, whatever the method."""

    device: str = "cpu"
    precision: Literal["float32", "bf16", "auto"] = Field(
        default="float32",
        title="Precision",
        description="of the embedders; losses are float32; auto: bf16 where that is faster",
    )
    clip_norm: Positive | None = Field(
        default=1.0, title="Gradient bound", description="gradient norm bound, per model"
    )
    validate_every: int = Field(
        default=5, ge=1, title="Validate every", description="epochs between validations"
    )
    patience: int | None = Field(
        default=None,
        ge=1,
        title="Patience",
        description="stop after so many validations without a better score",
    )
    select: Literal["last", "best"] = Field(
        default="last", title="Weights kept", description="weights that are kept"
    )
    checkpoint_seconds: NotNegative = Field(
        default=1.0,
        title="Checkpoint seconds",
        description="work repeated after a kill at most; 20 checkpoints' worth where they are slow",
    )

    @field_validator("device")
    @classmethod
    def _known_device(cls, value: str) -> str:
        if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", value):
            raise ValueError(f"'{value[:40]}' is not a device: choose cpu, cuda or cuda:1")
        return value


class RunConfig(_Strict):
    """Everything a run needs to be repeated to the same numbers."""

    schema_version: int = SCHEMA_VERSION
    name: str = Field(pattern=RUN_NAME)
    dataset: DatasetConfig
    method: MethodChoice = MethodChoice()
    training: TrainingConfig = TrainingConfig()
    seed: int = Field(default=0, ge=0, lt=2**31)
    # A derived run was not trained from this file: it is the model of that run in other axes.
    parent: str | None = Field(default=None, pattern=RUN_NAME)
    # It trains on from the start of that run: offered in its place once it is better.
    refines: str | None = Field(default=None, pattern=RUN_NAME, exclude_if=lambda value: not value)
    # It came in an archive: the files that its settings name were not chosen on this machine.
    imported: bool = Field(default=False, exclude_if=lambda value: not value)


def explain(error: ValidationError, owner: str, model: type[BaseModel]) -> str:
    """One sentence about the first wrong setting of ``owner``."""
    first = error.errors()[0]
    where = printable(".".join(str(part)[:60] for part in first["loc"])[:120])
    if first["type"] == "extra_forbidden":
        fields = some_of(model.model_fields, where)
        options = f": choose from {fields}" if "." not in where else ""
        return f"{owner} has no setting '{where}'{options}"
    text = printable(first["msg"].removeprefix("Value error, "))
    text = text[:1].lower() + text[1:]
    return f"setting '{where}' of {owner}: {text}" if where else f"settings of {owner}: {text}"


def training_config(options: dict[str, Any]) -> TrainingConfig:
    """Validated trainer options; ConfigError names the first wrong one."""
    try:
        return TrainingConfig.model_validate(options)
    except ValidationError as error:
        raise ConfigError(explain(error, "training", TrainingConfig)) from None


def run_config(**parts: Any) -> RunConfig:
    """A validated configuration; ConfigError names the first wrong part."""
    try:
        return RunConfig(**parts)
    except ValidationError as error:
        if error.errors()[0]["loc"] == ("name",):
            name = str(parts["name"])[:100]
            raise ConfigError(
                f"'{name}' cannot name a run: use at most 80 of a-z, 0-9, '.', '_' and "
                "'-', beginning with a letter or digit"
            ) from None
        raise ConfigError(explain(error, "the run", RunConfig)) from None


def parse_config(text: str | bytes, origin: str) -> RunConfig:
    """Read a configuration written by this or an older version.

    Raises:
        ConfigError: one sentence naming ``origin`` and the first wrong setting.
    """
    try:
        raw = parse_json(text)
    except DataError:
        raise ConfigError(f"{origin} is not valid JSON: restore it or delete the run") from None
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise ConfigError(f"{origin} was written by a newer version: update rivae to open it")
    try:
        return RunConfig.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(explain(error, origin, RunConfig)) from None


def free_name(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """``wanted``, or with -2, -3 … at its end, the first name of at most ``MAX_NAME`` characters
    that is not taken: of runs, labelling plans and imports.
    """
    name, n = wanted[:MAX_NAME], 1
    while is_taken(name):
        n += 1
        end = f"-{n}"
        name = wanted[: MAX_NAME - len(end)] + end
    return name


def read_config(path: Path) -> RunConfig:
    """``parse_config`` of a file."""
    try:
        text = read_at_most(path, MAX_CONFIG_BYTES)
    except OSError as error:
        why = f" ({error.strerror})" if error.strerror else ""
        raise ConfigError(
            f"{path.name} cannot be read{why}: restore it or delete the run"
        ) from None
    if text is None:
        raise ConfigError(
            f"{path.name} is too large to be a configuration: restore it or delete the run"
        )
    return parse_config(text, path.name)
