"""Features of pictures and texts by a pretrained Hugging Face checkpoint.

CLIP and SigLIP give both sides, ResNet and other picture models the pictures only. The checkpoint
is a local folder or a name on the hub; only safetensors are read and no code of a checkpoint runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import how_to_install
from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.store.features import SIDES

EXTRA = "features"


class Checkpoint(Encoder):
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
                f"features need Hugging Face's transformers: {how_to_install(EXTRA)}"
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
        self.sides = SIDES if self.tokens is not None else SIDES[:1]

    @torch.inference_mode()
    def encode_pictures(self, batch: Sequence[Image.Image]) -> Tensor:
        """See ``Encoder.encode_pictures``."""
        inputs = self.pictures(images=list(batch), return_tensors="pt").to(self.device)
        embed = getattr(self.model, "get_image_features", self.model)
        return _pooled(embed(**inputs))

    @torch.inference_mode()
    def encode_texts(self, batch: Sequence[str]) -> Tensor:
        """See ``Encoder.encode_texts``; each is cut to what the checkpoint reads."""
        if self.tokens is None:
            return super().encode_texts(batch)
        longest = min(int(self.tokens.model_max_length), _text_length(self.model))
        inputs = self.tokens(
            list(batch),
            padding="max_length",
            truncation=True,
            max_length=longest,
            return_tensors="pt",
        ).to(self.device)
        text_inputs = {k: v for k, v in inputs.items() if k in ("input_ids", "attention_mask")}
        return _pooled(self.model.get_text_features(**text_inputs))


def _pooled(output: Any) -> Tensor:
    """(B, D) of what a model returns: the vectors themselves, or its pooled output."""
    if isinstance(output, Tensor):
        return output.flatten(1)
    features = getattr(output, "pooler_output", None)
    if features is None:
        features = output.last_hidden_state[:, 0]
    flat: Tensor = features.flatten(1)
    return flat


def _text_length(model: Any) -> int:
    config = getattr(model.config, "text_config", model.config)
    return int(getattr(config, "max_position_embeddings", 512))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]


CHECKPOINT = FeatureSource(
    "checkpoint",
    "Pretrained checkpoint",
    "what a pretrained model sees in the pictures, and in the texts where it reads them",
    lambda store, name, device: Checkpoint(name, device),
    sides=SIDES,
    needs_name="a local folder or a name on the hub",
    extra=EXTRA,
)
