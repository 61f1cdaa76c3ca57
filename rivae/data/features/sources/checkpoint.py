"""Features of pictures, texts or both by a pretrained Hugging Face checkpoint.

CLIP and SigLIP give both sides, ResNet, DINOv2 and other picture models the pictures, sentence
encoders the texts. The checkpoint is a local folder or a name on the hub; only safetensors are read
and no code of a checkpoint runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from torch import Tensor

from rivae.base.errors import DataError
from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.features.hub import checkpoint_folder, weights_hash
from rivae.data.features.pretrained import inference_format
from rivae.data.features.text_model import (
    EXTRA,
    TextModel,
    first_line,
    positions,
    read_tokenizer,
    tokenized,
    transformers_library,
)
from rivae.data.store.features import SIDES


class Checkpoint(Encoder):
    """A loaded checkpoint, which turns pictures, texts or both into features.

    Args:
        name: a folder, or a name on the hub such as "openai/clip-vit-base-patch32".
        device: where it runs.

    Raises:
        ConfigError: when the extra is not installed.
        DataError: when the checkpoint cannot be loaded, in one sentence.
    """

    def __init__(self, name: str, device: str = "cpu") -> None:
        folder, transformers = checkpoint_folder(name), transformers_library()
        local = Path(name).expanduser().is_dir()
        self.name, self.origin = name, str(folder) if local else name
        self.device = torch.device(device)
        self.precision = inference_format(self.device)
        try:
            self.model, loading_report = transformers.AutoModel.from_pretrained(
                folder,
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
            self.weights = weights_hash(folder)
        except Exception as error:  # the library raises many kinds of errors
            raise _unloadable(name, "safetensors", error) from error
        self.model.to(self.device).eval()
        # A pooling layer that the file lacks is drawn at random.
        self._pools = not any("pooler" in key for key in loading_report["missing_keys"])
        both = hasattr(self.model, "get_text_features")
        words = self.model.main_input_name == "input_ids"
        self.pictures: Any = None
        if both or not words or hasattr(self.model, "get_image_features"):
            try:
                self.pictures = transformers.AutoImageProcessor.from_pretrained(
                    folder, local_files_only=True
                )
            except Exception as error:
                raise _unloadable(name, "a picture processor", error) from error
        self.tokens: Any = None
        if both:
            self.tokens = read_tokenizer(folder)
            self._tokenized([""])
        self._texts = TextModel(folder, self.model, self.device) if self.pictures is None else None
        has = (self.pictures is not None, both or self._texts is not None)
        self.sides = tuple(side for side, own in zip(SIDES, has, strict=True) if own)

    @torch.inference_mode()
    def encode_pictures(self, batch: Sequence[Image.Image]) -> Tensor:
        """See ``Encoder.encode_pictures``."""
        if self.pictures is None:
            return super().encode_pictures(batch)
        inputs = self.pictures(images=list(batch), return_tensors="pt").to(self.device)
        embed = getattr(self.model, "get_image_features", self.model)
        return self._embedded(embed, inputs)

    @torch.inference_mode()
    def encode_texts(self, batch: Sequence[str]) -> Tensor:
        """See ``Encoder.encode_texts``; each is cut to what the checkpoint reads."""
        if self._texts is not None:
            return self._texts(batch)
        if self.tokens is None:
            return super().encode_texts(batch)
        return self._embedded(self.model.get_text_features, self._tokenized(batch).to(self.device))

    def _tokenized(self, texts: Sequence[str]) -> Any:
        longest = min(int(self.tokens.model_max_length), positions(self.model))
        return tokenized(self.tokens, texts, "max_length", longest)

    def _embedded(self, embed: Any, inputs: Any) -> Tensor:
        """(B, D) of what a model returns: the vectors themselves, or its pooled output."""
        low = self.precision == "bf16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=low):
            output = embed(**inputs)
        if isinstance(output, Tensor):
            return output.flatten(1).float()
        features = getattr(output, "pooler_output", None)
        if features is None or not self._pools:
            features = output.last_hidden_state[:, 0]
        flat: Tensor = features.flatten(1).float()
        return flat


def _unloadable(name: str, packages: str, error: Exception) -> DataError:
    return DataError(
        f"{name} cannot be loaded as a Hugging Face checkpoint with {packages} "
        f"({first_line(error)}): give a local folder, or check the name"
    )


CHECKPOINT = FeatureSource(
    "checkpoint",
    "Pretrained checkpoint",
    "what a pretrained model sees in the pictures, and in the texts where it reads them",
    lambda store, name, device: Checkpoint(name, device),
    sides=SIDES,
    needs_name="a local folder or a name on the hub",
    extra=EXTRA,
    require=transformers_library,
)
