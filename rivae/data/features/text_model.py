"""Texts as vectors by a text encoder in Hugging Face's form: its tokens, averaged as it says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import how_to_install
from rivae.base.reading.documents import read_json
from rivae.data.features.pretrained import inference_format

EXTRA = "features"
# Sentence Transformers' files: how to pool, and how many tokens to read.
POOLING, LENGTH = "1_Pooling/config.json", "sentence_bert_config.json"
_FLAGS = "pooling_mode_"
_NAMES = {
    "cls_token": "cls",
    "mean_tokens": "mean",
    "max_tokens": "max",
    "mean_sqrt_len_tokens": "mean_sqrt_len",
    "lasttoken": "last",
}
AT_ONCE = 8  # texts of like length, so that little is computed for padding


def transformers_library() -> Any:
    """Hugging Face's transformers, silent; its functions carry no types.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import transformers as library
    except ImportError as error:
        raise ConfigError(
            f"these features need Hugging Face's transformers: {how_to_install(EXTRA)}"
        ) from error
    transformers: Any = library
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


class TextModel:
    """A text encoder in a folder: ``1_Pooling/config.json`` says how to pool, or else the mean.

    Layers behind the pooling are left out.

    Args:
        folder: with a tokenizer.
        model: what the tokens pass through; the encoder where there is a decoder as well.
        device: where it runs.

    Raises:
        DataError: the tokenizer or the pooling cannot be read.
    """

    def __init__(self, folder: Path, model: Any, device: torch.device) -> None:
        self.tokens = read_tokenizer(folder)
        if self.tokens.pad_token is None:
            self.tokens.pad_token = self.tokens.eos_token
        self.tokens.model_input_names = ["input_ids", "attention_mask"]
        self.model = model.get_encoder() if model.config.is_encoder_decoder else model
        self.device, self.precision = device, inference_format(device)
        self.modes = pooling_modes(folder)
        self.longest = min(
            int(self.tokens.model_max_length), positions(self.model), _length(folder)
        )
        tokenized(self.tokens, [""], True, self.longest)

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> Tensor:
        """Vectors (len(texts), D) on the CPU; of a long text the beginning counts."""
        rows: list[Tensor] = [torch.empty(0)] * len(texts)
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        for start in range(0, len(order), AT_ONCE):
            part = order[start : start + AT_ONCE]
            for i, row in zip(part, self._vectors([texts[i] for i in part]), strict=True):
                rows[i] = row
        return torch.stack(rows)

    def _vectors(self, texts: list[str]) -> Tensor:
        tokens = tokenized(self.tokens, texts, True, self.longest).to(self.device)
        mask = tokens["attention_mask"]
        low = self.precision == "bf16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=low):
            hidden = self.model(**tokens).last_hidden_state
        return pooled(hidden.float(), mask, self.modes).cpu()


def tokenized(tokens: Any, texts: Sequence[str], padding: bool | str, longest: int) -> Any:
    """``input_ids`` of texts, and ``attention_mask`` where the tokenizer gives one, as that of
    SigLIP does not: it learned to read the padding. An empty text is read as a full stop.

    Call it once before threads do: the first call sets padding and length, which fails while
    another thread reads a text.
    """
    return tokens(
        [text if text.strip() else "." for text in texts],
        padding=padding,
        truncation=True,
        max_length=longest,
        return_token_type_ids=False,
        return_tensors="pt",
    )


def pooled(hidden: Tensor, mask: Tensor, modes: Sequence[str]) -> Tensor:
    """Vectors of tokens (B, T, D) whose ``mask`` (B, T) is 1, one after the other for each mode."""
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    count = weights.sum(1).clamp(min=1)
    places = torch.arange(mask.shape[1], device=mask.device)
    ends = {"cls": mask.argmax(1), "last": (mask * places).argmax(1)}  # padding may be on the left
    parts = []
    for mode in modes:
        if mode == "max":
            parts.append(hidden.masked_fill(weights == 0, -torch.inf).amax(1))
        elif mode in ends:
            parts.append(hidden[torch.arange(len(hidden), device=mask.device), ends[mode]])
        else:
            divisor = count if mode == "mean" else count.sqrt()
            parts.append((hidden * weights).sum(1) / divisor)
    return torch.cat(parts, -1)


def pooling_modes(folder: Path) -> tuple[str, ...]:
    """ "mean", "cls", "max", "mean_sqrt_len" or "last", one or several, of ``1_Pooling``.

    Raises:
        DataError: it asks for another one, or is damaged.
    """
    path = folder / POOLING
    if not path.is_file():
        return ("mean",)
    settings = read_json(path)
    if not isinstance(settings, dict):
        raise DataError(f"{path} is damaged: copy it again")
    mode = settings.get("pooling_mode")  # of newer versions; before, a switch for each
    names = mode if isinstance(mode, list) else [mode] if mode else []
    names += [k.removeprefix(_FLAGS) for k, on in settings.items() if k.startswith(_FLAGS) and on]
    modes = tuple(dict.fromkeys(_NAMES.get(str(name), str(name)) for name in names)) or ("mean",)
    if unknown := set(modes) - set(_NAMES.values()):
        raise DataError(
            f"{path} asks for the pooling '{min(unknown)[:40]}', which is not known here: "
            f"choose one of {', '.join(_NAMES.values())}"
        )
    return modes


def read_tokenizer(folder: Path) -> Any:
    """The tokenizer of a checkpoint.

    Raises:
        DataError: it has none that can be loaded.
    """
    try:
        return transformers_library().AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # the library raises many kinds of errors
        raise DataError(
            f"{folder.name} has no tokenizer that can be loaded ({first_line(error)}): give a "
            "folder with tokenizer.json"
        ) from error


def first_line(error: Exception) -> str:
    """What went wrong, for a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]


def positions(model: Any) -> int:
    """How many tokens the model can tell apart."""
    config = getattr(model.config, "text_config", model.config)
    positions = int(getattr(config, "max_position_embeddings", None) or 512)
    # RoBERTa counts positions from behind the padding's own.
    if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert", "mpnet"):
        return positions - int(config.pad_token_id or 0) - 1
    return positions


def _length(folder: Path) -> int:
    path = folder / LENGTH
    length = read_json(path).get("max_seq_length") if path.is_file() else None
    return int(length or 512)
