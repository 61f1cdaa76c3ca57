"""``vocabulary.json`` in a run's folder: which words its model knows, and by which rules.

Written when training begins, so that neither other rules in a later version nor other texts give
the numbers of the model another meaning. A run of a version before 2026-11-28 has no such file: its
words are counted in the texts by the rules of then. Nor has one whose data are no texts.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from rivae.base.errors import DataError, RunError
from rivae.base.files import why_not, write_json
from rivae.base.reading.contents import Written, written
from rivae.base.reading.documents import read_own_form
from rivae.runs.data_record import DAMAGED

if TYPE_CHECKING:
    from rivae.data.base import PairedDataset
    from rivae.data.vocabulary import Vocabulary

VOCABULARY = "vocabulary.json"
MAX_BYTES = 16 * 2**20
NEWER = "run {} reads words by rules of a newer version: update rivae to open it"


def record_vocabulary(folder: Path, data: PairedDataset) -> None:
    """Write down by which words the run in ``folder`` reads ``data``, once and atomically.

    Raises:
        RunError: the folder cannot be written.
    """
    path = folder / VOCABULARY
    if data.vocabulary is None or path.exists():
        return
    try:
        write_json(path, data.vocabulary.model_dump(mode="json"))
    except OSError as error:
        raise RunError(f"cannot write {folder}: {why_not(error)}") from None


def kept_vocabulary(folder: Path) -> Vocabulary:
    """By which words the run in ``folder`` reads texts.

    Raises:
        DataError: the file is damaged, or was written by a newer version.
    """
    from rivae.data.vocabulary import UNKEPT  # brings PyTorch

    path = folder / VOCABULARY
    try:
        return _read(path, written(path))
    except OSError:
        return UNKEPT


@lru_cache(maxsize=32)  # pages ask many times
def _read(path: Path, when: Written) -> Vocabulary:
    from rivae.data.tokenizer import NEWEST
    from rivae.data.vocabulary import Vocabulary

    damage = DAMAGED.format(VOCABULARY, path.parent.name)
    vocabulary = read_own_form(Vocabulary, path, MAX_BYTES, damage)
    if vocabulary.tokenizer > NEWEST:
        raise DataError(NEWER.format(path.parent.name))
    return vocabulary
