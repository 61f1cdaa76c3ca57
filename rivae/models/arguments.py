"""The settings of a method from a few arguments, a preset, and settings by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rivae.base.arrays import require_count
from rivae.base.errors import ConfigError
from rivae.models.registry import METHODS, method_config

EPOCHS, RATE = "epochs", "learning_rate"  # how settings of stages end


def settings_of(
    method: str,
    preset: Mapping[str, Any],
    *,
    n_components: int,
    batch_size: int,
    learning_rate: float | None = None,
    epochs: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The complete settings: the preset's, changed by the arguments, then by ``settings``.

    Args:
        n_components: axes of z; without a latent of the embedding.
        learning_rate: of every stage; None for those of the preset.
        epochs: of all stages together, shared among them as in the preset, at least one each.

    Raises:
        ConfigError: a setting is unknown, out of range, or says otherwise than an argument.
    """
    method_class = METHODS[method]
    fields = method_class.config_class.model_fields
    if not isinstance(settings or {}, Mapping):
        raise ConfigError(
            f"settings are names with values, as in {{'lambda_reg': 0}}: {settings!r:.60}"
        )
    require_count(ConfigError, n_components=n_components, batch_size=batch_size)
    if epochs is not None:
        require_count(ConfigError, epochs=epochs)
    if isinstance(learning_rate, bool):  # else the number 1
        raise ConfigError(f"learning_rate must be a number above 0, got {learning_rate}")
    by_argument: dict[str, dict[str, Any]] = {
        "n_components": {"n_components" if method_class.has_latent else "dim_v": n_components},
        # A method may know no other batches than those of its stages.
        "batch_size": {"batch_size": batch_size} if "batch_size" in fields else {},
    }
    if learning_rate is not None:
        rates = (name for name in fields if name.endswith(RATE))
        by_argument["learning_rate"] = dict.fromkeys(rates, learning_rate)
    values = dict(preset)
    for stated_values in by_argument.values():
        values |= stated_values
    if epochs is not None:
        usual = method_config(method, values).model_dump()
        lengths = {name: usual[name] for name in fields if name.endswith(EPOCHS)}
        share = epochs / sum(lengths.values())
        by_argument["epochs"] = {
            name: max(1, round(share * length)) if length else 0 for name, length in lengths.items()
        }
        values |= by_argument["epochs"]
    config = method_config(method, values | dict(settings or {}))
    for argument, stated_values in by_argument.items():
        for name in settings or {}:
            if name in stated_values and getattr(config, name) != stated_values[name]:
                raise ConfigError(
                    f"settings say {name}={getattr(config, name)}, but the argument {argument} "
                    f"makes it {stated_values[name]}: give one of the two"
                )
    return config.model_dump(mode="json")
