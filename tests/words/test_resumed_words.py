"""Reading the words of items resumes where it was stopped or killed, with the bytes of one go."""

import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rivae.base.files import locked
from rivae.base.scratch import LOCK, TO_RESUME
from rivae.data.base import Recipe
from rivae.data.item_sets import ItemSets
from rivae.data.sets.pairs import Settings, load
from rivae.data.store import PairStore, StoreItem, StoreWriter
from rivae.exploring.words.item_words import item_words

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs flock")
N_ITEMS, PER_CHUNK = 60, 5
READ = """
import sys, time
from pathlib import Path
from rivae.data.item_sets import ItemSets
from rivae.data.sets.pairs import Settings, load
from rivae.data.store import PairStore
from rivae.exploring.words.item_words import item_words
recipes = PairStore.recipes
def read(store, chunks=None):
    if chunks == [4]:
        print("here", flush=True)
        time.sleep(600)
    return recipes(store, chunks)
PairStore.recipes = read
item_words(load(Settings(store=sys.argv[1], image_size=16)))
"""


class StoppedError(Exception):
    """Somebody stops it."""


@pytest.fixture(params=["ingredients", "words"])
def store(tmp_path, request):
    """Items of twelve chunks, with ingredients or without any; no word is read yet."""
    rng = np.random.default_rng(1)
    stream = io.BytesIO()
    Image.fromarray(rng.integers(0, 255, (32, 32, 3)).astype(np.uint8)).save(stream, "JPEG")
    writer = StoreWriter(tmp_path / "store", {"kind": "test"}, (), chunk_items=PER_CHUNK)
    names = [f"{a}{b}" for a in ("rice", "egg", "leek", "plum") for b in ("", "s", " jam", " oil")]
    for i in range(N_ITEMS):
        some = [str(name) for name in rng.permutation(names)[: rng.integers(0, 5)]]
        lines = tuple(f"{n + 1} cups {name}" for n, name in enumerate(some))
        steps = (f"Stir {' and '.join(some)} for {i} minutes.",)
        texts = (lines, steps) if request.param == "ingredients" else ((), (*lines, *steps))
        writer.add(StoreItem(Recipe(f"r{i}", f"Dish {i}", *texts), stream.getvalue()), i + 1)
    manifest = {"name": "s", "title": "S", "created": "2026-01-01T00:00:00+00:00"}
    folder = writer.finish({**manifest, "picture_side": 32, "factors": ()}, N_ITEMS)
    assert len(PairStore(folder).manifest.chunks) == N_ITEMS // PER_CHUNK
    return folder


@pytest.fixture
def read(monkeypatch):
    """The chunks that were read; raises StoppedError after ``read.most`` of them."""

    class Read(list):
        most = 10**9

    chunks_read, recipes = Read(), PairStore.recipes

    def counted(self, chunks=None):
        if chunks is None:  # for the vocabulary
            return recipes(self)
        if len(chunks_read) >= chunks_read.most:
            raise StoppedError
        chunks_read.extend(chunks)
        return recipes(self, chunks)

    monkeypatch.setattr(PairStore, "recipes", counted)
    return chunks_read


def words_of(folder):
    return item_words(load(Settings(store=str(folder), image_size=16)))


def kept(folder):
    (words,) = (folder / "cache").glob("item-words-*")
    assert not any((folder / "cache").glob(f"{TO_RESUME}*"))
    return words.read_bytes()


def copy_of(store, name):
    return shutil.copytree(store, store.parent / name)


def test_stopped_anywhere_it_has_the_bytes_of_one_go(store, read):
    whole = copy_of(store, "whole")
    words_of(whole)
    in_one_go, rng = list(read), np.random.default_rng(0)
    told = []
    for _ in range(40):
        read.clear()
        read.most = int(rng.integers(1, 5))
        try:
            words_of(store)
        except StoppedError:
            told += read
            assert [*(store / "cache").glob(f"{TO_RESUME}*")]
        else:
            break
    assert told + read == in_one_go, "each part is read once"
    assert len(told) > 5 and kept(store) == kept(whole)


def test_killed_it_resumes(store, read):
    whole = copy_of(store, "whole")
    words_of(whole)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    line = [sys.executable, "-c", READ, str(store)]
    with subprocess.Popen(line, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGKILL)
    read.clear()
    words_of(store)
    assert read[0] == 4 and kept(store) == kept(whole)


@pytest.mark.parametrize("how", ["cut short", "of fewer items", "another process has it"])
def test_a_part_that_cannot_be_used_is_read_again(store, read, how):
    whole = copy_of(store, "whole")
    words_of(whole)
    in_one_go = list(read)
    read.clear()
    read.most = 4
    with pytest.raises(StoppedError):
        words_of(store)
    read.clear()
    read.most = 10**9
    (left,) = (store / "cache").glob(f"{TO_RESUME}*")
    parts = sorted(path for path in left.iterdir() if path.name != LOCK)
    assert len(parts) == 4
    if how == "cut short":
        parts[1].write_bytes(parts[1].read_bytes()[:-20])
    elif how == "of fewer items":
        of_part, kind = ItemSets.mapped(parts[1])
        fewer = ItemSets.of(list(of_part)[1:])
        parts[1].unlink()  # it is mapped
        with parts[1].open("wb") as stream:
            fewer.write(stream, kind)
    if how == "another process has it":
        with locked(left / LOCK):
            words_of(store)
        assert read == in_one_go and left.exists()
    else:
        words_of(store)
        assert read[0] == 1 and kept(store) == kept(whole)
