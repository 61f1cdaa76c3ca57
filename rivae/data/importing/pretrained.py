"""Computes picture and text features of a store with a pretrained Hugging Face checkpoint.

CLIP and SigLIP give both sides, ResNet and other picture models the pictures only. The checkpoint
is a local folder or a name on the hub; only safetensors are read and no code of a checkpoint runs.
Needs ``pip install rivae-explorer[features]``. A killed run resumes where it stopped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rivae.base.arrays import in_reach
from rivae.base.errors import ConfigError, DataError
from rivae.base.files import reserve, write_json
from rivae.base.installed import how_to_install
from rivae.base.reading.documents import read_json
from rivae.data.base import Recipe
from rivae.data.store import PairStore
from rivae.data.store.features import FOLDER, SIDES, feature_names
from rivae.data.store.manifest import checked_name
from rivae.data.store.pixels import picture

PARTIAL = "partial.json"
Progress = Callable[[str, float], None]


class FeatureSource:
    """What turns the pictures of a store, or their texts as well, into features."""

    name: str

    @property
    def sides(self) -> tuple[str, ...]:
        """ "pictures", and "texts" where it reads texts."""
        return SIDES[:1]

    def of_pictures(self, store: PairStore, rows: range) -> Tensor:
        """Features (len(rows), D1) of the stored pictures."""
        raise NotImplementedError

    def of_texts(self, store: PairStore, rows: range) -> Tensor:
        """Features (len(rows), D2) of the texts."""
        raise NotImplementedError


class Checkpoint(FeatureSource):
    """A loaded checkpoint, which turns pictures and texts into features.

    Args:
        name: a folder, or a name on the hub such as "openai/clip-vit-base-patch32".
        device: where it runs.

    Raises:
        ConfigError: when the extra is not installed.
        DataError: when the checkpoint cannot be loaded, in one sentence.
    """

    def __init__(self, name: str, device: str = "cpu") -> None:
        try:
            import transformers as library
        except ImportError as error:
            raise ConfigError(
                f"features need Hugging Face's transformers: {how_to_install('features')}"
            ) from error
        transformers: Any = library  # its functions carry no types
        transformers.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self.name, self.device = name, torch.device(device)
        try:
            self.model: Any = transformers.AutoModel.from_pretrained(
                name, use_safetensors=True, trust_remote_code=False, dtype=torch.float32
            )
            self.pictures: Any = transformers.AutoImageProcessor.from_pretrained(name)
        except (
            Exception
        ) as error:  # the library raises many kinds of errors, also without a network
            raise DataError(
                f"{name} cannot be loaded as a Hugging Face checkpoint with safetensors and a "
                f"picture processor ({_first_line(error)}): give a local folder, or check the name"
            ) from error
        self.model.to(self.device).eval()
        self.tokens: Any = None
        if hasattr(self.model, "get_text_features"):
            try:
                self.tokens = transformers.AutoTokenizer.from_pretrained(name)
            except Exception as error:
                raise DataError(
                    f"{name} has no tokenizer that can be loaded ({_first_line(error)})"
                ) from error

    @property
    def sides(self) -> tuple[str, ...]:
        return SIDES if self.tokens is not None else SIDES[:1]

    @torch.inference_mode()
    def of_pictures(self, store: PairStore, rows: range) -> Tensor:
        """Features (len(rows), D1) of the stored pictures."""
        images = [picture(store, i) for i in rows]
        inputs = self.pictures(images=images, return_tensors="pt").to(self.device)
        embed = getattr(self.model, "get_image_features", self.model)
        return _pooled(embed(**inputs))

    @torch.inference_mode()
    def of_texts(self, store: PairStore, rows: range) -> Tensor:
        """Features (len(rows), D2) of the texts, each cut to what the checkpoint reads."""
        longest = min(int(self.tokens.model_max_length), _text_length(self.model))
        inputs = self.tokens(
            [short_text(store.recipe(i)) for i in rows],
            padding="max_length",
            truncation=True,
            max_length=longest,
            return_tensors="pt",
        ).to(self.device)
        known = {k: v for k, v in inputs.items() if k in ("input_ids", "attention_mask")}
        return _pooled(self.model.get_text_features(**known))


def short_text(recipe: Recipe) -> str:
    """Title, ingredients, then steps: informative words first, since models cut long texts."""
    return ". ".join(
        filter(None, (recipe.title, ", ".join(recipe.ingredients), " ".join(recipe.instructions)))
    )


def make_features(
    folder: Path,
    checkpoint: FeatureSource,
    name: str,
    batch_size: int = 32,
    progress: Progress | None = None,
) -> None:
    """Compute the features ``name`` of the store in ``folder``, in float16.

    Raises:
        ConfigError: for a batch size below 1.
        DataError: when they exist, another checkpoint left unfinished ones there, or writing fails.
    """
    if batch_size < 1:
        raise ConfigError(f"batch_size must be at least 1, got {batch_size}")
    if checked_name(name) in feature_names(folder):
        raise DataError(f"{folder.name} already has features '{name}': choose another name")
    store, place = PairStore(folder), folder / FOLDER / name
    about = {"checkpoint": Path(checkpoint.name).name, "n_items": len(store)}
    done = _begun(place, about)
    resumed = any(done.values())
    try:
        place.mkdir(parents=True, exist_ok=True)
        for side in checkpoint.sides:
            _one_side(store, checkpoint, side, place, done, batch_size, about, progress)
        write_json(place / "features.json", about)
        (place / PARTIAL).unlink()
    except OSError as error:
        raise DataError(
            f"{place} cannot be written: {error.strerror or error}; make room and run the same "
            "command again, it resumes where it stopped"
        ) from error
    except DataError:
        if not resumed:  # the name is free for another checkpoint
            shutil.rmtree(place, ignore_errors=True)
        raise


def _begun(place: Path, about: dict[str, Any]) -> dict[str, int]:
    """Side -> items that an earlier call has finished."""
    try:
        stored = read_json(place / PARTIAL)
        counts = {side: int(stored["done"][side]) for side in stored["done"]}
        begun_for = stored["about"]
    except (DataError, KeyError, TypeError, ValueError):
        return {}
    if begun_for != about:
        raise DataError(
            f"{place} holds unfinished features of another checkpoint: delete that folder, or "
            "choose another name"
        )
    return counts


def _one_side(
    store: PairStore,
    checkpoint: FeatureSource,
    side: str,
    place: Path,
    done: dict[str, int],
    batch_size: int,
    about: dict[str, Any],
    progress: Progress | None,
) -> None:
    compute = checkpoint.of_pictures if side == "pictures" else checkpoint.of_texts
    path, n = place / f"{side}.npy", len(store)
    out: Any = None
    if done.get(side, 0) and path.is_file():
        with suppress(OSError, ValueError):  # damaged: made again
            out = np.lib.format.open_memmap(path, mode="r+")
    if out is None or len(out) != n:
        out, done[side] = None, 0
    for start in range(done[side], n, batch_size):
        rows = range(start, min(start + batch_size, n))
        found = compute(store, rows).float().cpu().numpy()
        if not np.isfinite(found).all():
            raise DataError(f"{checkpoint.name} gives values that are not finite for {side}")
        if out is None:
            out = np.lib.format.open_memmap(
                path, mode="w+", dtype=np.float16, shape=(n, found.shape[1])
            )
            reserve(path, path.stat().st_size)
        # Of unit length, so that float16 holds whatever scale the checkpoint has.
        found = in_reach(found)
        length = np.linalg.norm(found, axis=1, keepdims=True)
        out[rows.start : rows.stop] = found / np.where(length > 0, length, 1)
        done[side] = rows.stop
        if (start // batch_size) % 20 == 19 or rows.stop == n:
            out.flush()
            write_json(place / PARTIAL, {"about": about, "done": done})
            if progress is not None:
                progress(side, rows.stop / n)


def _pooled(output: Any) -> Tensor:
    """(B, D) of what a model returns: the vectors themselves, or its pooled output."""
    if isinstance(output, Tensor):
        return output.flatten(1)
    pooled = getattr(output, "pooler_output", None)
    if pooled is None:
        pooled = output.last_hidden_state[:, 0]
    flat: Tensor = pooled.flatten(1)
    return flat


def _text_length(model: Any) -> int:
    config = getattr(model.config, "text_config", model.config)
    return int(getattr(config, "max_position_embeddings", 512))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
