"""The words that a model knows, and the rules by which texts are read for it."""

from __future__ import annotations

import hashlib
import json
from difflib import get_close_matches
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from rivae.data import segmenting
from rivae.data.tokenizer import FIRST, Tokenizer, cut

MAX_WORDS = 50_000
N_NEAR = 4  # words offered for an unknown one
USUAL = 0.01, 0.25  # the share of texts with a word that is offered where none is spelled alike
_Word = Annotated[str, Field(min_length=1, max_length=200_000)]
_Count = Annotated[int, Field(ge=0)]


class Vocabulary(BaseModel):
    """The words of a model, counted once in the texts that it was trained on.

    Attributes:
        tokenizer, segmenter: see ``rivae.data.tokenizer.Tokenizer``.
        words: in the order of the model's numbers; () where a run did not keep them, so that they
            are counted again in the texts.
        documents: in how many training texts each word occurs; () where nothing depends on it.
        n_texts: how many training texts there were.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Literal[1] = 1
    tokenizer: Annotated[int, Field(ge=FIRST)]
    segmenter: Annotated[str, Field(min_length=1, max_length=60)]
    words: Annotated[tuple[_Word, ...], Field(max_length=MAX_WORDS)] = ()
    documents: Annotated[tuple[_Count, ...], Field(max_length=MAX_WORDS)] = ()
    n_texts: _Count = 0

    @model_validator(mode="after")
    def _fits(self) -> Vocabulary:
        if len(set(self.words)) < len(self.words):
            raise ValueError("a word stands in it twice")
        if self.documents and len(self.documents) != len(self.words):
            raise ValueError("it needs one count for each word")
        if any(count > self.n_texts for count in self.documents):
            raise ValueError("a word occurs in more texts than there are")
        return self

    @property
    def rules(self) -> Tokenizer:
        """What finds the words of a text."""
        return Tokenizer(self.tokenizer, self.segmenter)

    @cached_property
    def key(self) -> str:
        """16 hex digits for all of it."""
        document = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.blake2b(document.encode(), digest_size=8).hexdigest()

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def unknown(self, text: str) -> list[str]:
        """The words of a text that this has not, each once, in order."""
        words = dict.fromkeys(self.rules.words(text))
        return [word for word in words if word not in self.number_of]

    def near(self, word: str) -> list[str]:
        """At most ``N_NEAR`` words that are spelled like ``word``, the likest first."""
        return get_close_matches(word[:40].lower(), self.words, N_NEAR, 0.6)

    @cached_property
    def usual(self) -> list[str]:
        """Some words that tell texts apart: the commonest of those that few texts have; [] where
        the words were not counted.
        """
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        low, high = (share * self.n_texts for share in USUAL)
        fit = [
            (-count, word)
            for word, count in zip(self.words, self.documents, strict=False)
            if low <= count <= high and len(word) > 3 and word not in ENGLISH_STOP_WORDS
        ]
        return [word for _, word in sorted(fit)[:N_NEAR]]

    def instead_of(self, word: str) -> str:
        """What to type instead of a word that this has not: "try chocolate, chocolates"."""
        if near := self.near(word):
            return f"try {', '.join(near)}"
        such_as = f", such as {', '.join(self.usual)}" if self.usual else ""
        return f"choose words of the items' texts{such_as}"

    def remark(self, *texts: str) -> str:
        """Which words of texts this has not, and the nearest: "no text has gateau; near it:
        gather"; "" where it has all of them.
        """
        unknown = [word for text in texts for word in self.unknown(text)]
        if not unknown:
            return ""
        near = [word for one in unknown[:3] for word in self.near(one)[:2]]
        instead = f"; near it: {', '.join(dict.fromkeys(near))}" if near else ""
        return f"no text has {', '.join(cut(word, 40) for word in unknown[:5])}{instead}"


def counted(
    rules: Tokenizer, words: tuple[str, ...], documents: tuple[int, ...] = (), n_texts: int = 0
) -> Vocabulary:
    """The vocabulary that was counted by ``rules``.

    Where words are only counted and none is of a script without spaces, what finds such words makes
    no difference, and the vocabulary does not depend on it.
    """
    needs_segmenter = not documents or any(map(segmenting.is_unspaced, words))
    return Vocabulary(
        tokenizer=rules.version,
        segmenter=rules.segmenter if needs_segmenter else segmenting.CHARACTERS,
        words=words,
        documents=documents,
        n_texts=n_texts,
    )


# Of every run that was trained before 2026-11-28 and says nothing.
UNKEPT = counted(Tokenizer(FIRST), ())
