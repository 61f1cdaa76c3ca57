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
    chosen = METHODS[method]
    known = chosen.config_class.model_fields
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
        "n_components": {"n_components" if chosen.has_latent else "dim_v": n_components},
        # A method may know no other batches than those of its stages.
        "batch_size": {"batch_size": batch_size} if "batch_size" in known else {},
    }
    if learning_rate is not None:
        rates = (name for name in known if name.endswith(RATE))
        by_argument["learning_rate"] = dict.fromkeys(rates, learning_rate)
    made = dict(preset)
    for said in by_argument.values():
        made |= said
    if epochs is not None:
        usual = method_config(method, made).model_dump()
        lengths = {name: usual[name] for name in known if name.endswith(EPOCHS)}
        share = epochs / sum(lengths.values())
        by_argument["epochs"] = {
            name: max(1, round(share * length)) if length else 0 for name, length in lengths.items()
        }
        made |= by_argument["epochs"]
    used = method_config(method, made | dict(settings or {}))
    for argument, said in by_argument.items():
        for name in settings or {}:
            if name in said and getattr(used, name) != said[name]:
                raise ConfigError(
                    f"settings say {name}={getattr(used, name)}, but the argument {argument} makes "
                    f"it {said[name]}: give one of the two"
                )
    return used.model_dump(mode="json")
