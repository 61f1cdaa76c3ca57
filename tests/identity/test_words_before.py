"""A run reads texts by the rules and the words that it was trained with, whatever came later.

``scripts_before.zip`` holds what the version of 2026-11-27 (commit 4b0d8b0) wrote: an import of
texts in seven scripts, and a trained run. The numbers below are its answers.
"""

import json
import shutil
import unicodedata
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from rivae.base.errors import DataError
from rivae.data import load_dataset, segmenting
from rivae.data.registry import open_dataset
from rivae.data.store import data_root
from rivae.data.tokenizer import FIRST, NEWEST
from rivae.data.vocabulary import UNKEPT
from rivae.data.words_view import recipe_text
from rivae.exploring.explorer import Explorer
from rivae.jobs.archive_import import import_run
from rivae.jobs.launch import make_config, resume, train
from rivae.labels.derive import derive_run
from rivae.runs import find_run
from rivae.runs.archive import export_run
from rivae.runs.data_record import VOCABULARY, kept_vocabulary
from tests.identity.test_replaced import TINY

ARCHIVE = Path(__file__).parent / "scripts_before.zip"
IDS = [42, 24, 30, 36, 12, 48, 0, 6]  # the eight items nearest to the mean of the queries
# It took letters apart and lost marks; Korean was left in its parts.
_LATIN = "banh bo brulee cream creme cup day jalapeno mi of pho rau red sauce serve stir sugar the"
_OTHER = "with आल वल हलद กง ขาว 김치 돼지고기 두부 물 찌개 こま油 しゃかいも ハター ハン粉"
WORDS = tuple(unicodedata.normalize("NFD", f"{_LATIN} {_OTHER}").split())
TYPED = {"bo": 3.16341, "creme": 3.60357, "आल": 3.16341}  # of "Crème आलू bò water"
NUMBERS = [25, 27, 5, 6, 4, 26, 33, 34, 18, 19, 3, 17, 16, 2]  # of item 5, with text=tokens
SETTINGS = {"store": "scripts", "image_size": 16, "max_words": 60}


@pytest.fixture
def before(tmp_path, monkeypatch):
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    return tmp_path


@pytest.fixture
def run(before):
    """A run of this version."""
    config = make_config("pairs", name="new", dataset_settings=SETTINGS, method_settings=TINY)
    (run,) = train([config], before / "runs")
    return run


def forget(store="scripts"):
    """Remove what was kept of the texts, as a copy to another machine does."""
    shutil.rmtree(data_root() / store / "cache", ignore_errors=True)


def by_word(words, row):
    return {w: round(float(x), 5) for w, x in zip(words, row, strict=True) if x}


def test_a_run_of_before_reads_and_answers_as_before(before):
    run = find_run("old-words")
    explorer = Explorer.open(run, "all")
    data = explorer.data
    assert data.x2.vocabulary == WORDS
    assert explorer.topk(explorer.mean, 8).ids.tolist() == IDS
    assert by_word(WORDS, data.from_text("Crème आलू bò water")[0]) == TYPED
    assert data.fingerprint == "fedbb5ae0788ae25", "what was kept by this name goes on"
    assert not (run.path / VOCABULARY).exists(), "looking at a run does not change it"


def test_word_numbers_of_before_are_the_same(before):
    path = find_run("old-words").path
    shutil.copytree(path, path.with_name("old-tokens"))
    document = json.loads((path / "config.json").read_text())
    document["name"] = "old-tokens"
    document["dataset"]["settings"] |= {"text": "tokens", "word_vectors": "none"}
    (path.with_name("old-tokens") / "config.json").write_text(json.dumps(document))
    data = find_run("old-tokens").load_dataset()
    assert sorted(data.x2.vocabulary) == sorted(WORDS)
    assert data.x2.numbers[5][data.x2.numbers[5] > 0].tolist() == NUMBERS


def test_runs_made_from_one_of_before_keep_its_words(before):
    derived = derive_run(
        find_run("old-words"), np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros(2), "turned"
    )
    assert kept_vocabulary(derived.path).tokenizer == FIRST
    assert kept_vocabulary(derived.path).words == WORDS
    forget()
    explorer = Explorer.open(derived, "all")
    assert explorer.topk(explorer.mean, 8).ids.tolist() == IDS


def test_new_data_are_read_by_the_new_rules(before, run):
    words = run.load_dataset().x2.vocabulary
    assert {"bò", "crème", "आलू", "김치", "バター"} <= set(words)
    assert kept_vocabulary(run.path).tokenizer == NEWEST
    assert (
        kept_vocabulary(run.path).words == words == load_dataset("pairs", **SETTINGS).x2.vocabulary
    )


def test_a_text_that_is_typed_weighs_as_in_the_data(before, run):
    data = run.load_dataset()
    for i in range(12):
        text = recipe_text(data.recipe(i))
        for typed in (text, text.upper(), unicodedata.normalize("NFD", text)):
            torch.testing.assert_close(data.from_text(typed), data.x2.batch([i]), rtol=0, atol=0)


def test_a_run_keeps_its_words_when_other_texts_are_there(before, run):
    data = run.load_dataset()
    known, row = kept_vocabulary(run.path), data.x2.batch([3])
    kept = json.loads((run.path / VOCABULARY).read_text())
    # As if the texts had been others: fewer words, and rarer ones.
    kept["words"], kept["documents"] = kept["words"][:9], [1] * 9
    (run.path / VOCABULARY).write_text(json.dumps(kept))
    for _ in range(2):  # counted, and then from what was kept
        other = run.load_dataset()
        assert other.x2.vocabulary == known.words[:9] and other.x2.shape == (9,)
        assert other.vocabulary.documents == (1,) * 9
        assert other.fingerprint != data.fingerprint
    (run.path / VOCABULARY).write_text(json.dumps(known.model_dump()))
    torch.testing.assert_close(run.load_dataset().x2.batch([3]), row, rtol=0, atol=0)


def test_words_that_cannot_be_found_here_are_not_found_otherwise(before, run, monkeypatch):
    known = kept_vocabulary(run.path)
    if known.segmenter == segmenting.CHARACTERS:
        pytest.skip("without icu4py")
    explorer = Explorer.open(run, "all")
    ids = explorer.topk(explorer.mean, 8).ids.tolist()
    monkeypatch.setattr(segmenting, "installed", lambda: segmenting.CHARACTERS)
    explorer = Explorer.open(run, "all")
    assert explorer.topk(explorer.mean, 8).ids.tolist() == ids, "the texts were read before"
    assert explorer.data.from_text("crème आलू").any(), "these words need no dictionary"
    with pytest.raises(DataError, match="icu4py"):
        explorer.data.from_text("バター")
    forget()
    with pytest.raises(DataError, match=known.segmenter):
        run.load_dataset()
    by_characters = load_dataset("pairs", **SETTINGS)
    assert "バ" in by_characters.x2.vocabulary and by_characters.vocabulary != known


def test_an_archive_brings_the_words_along(before, run, tmp_path):
    archive = tmp_path / "new.zip"
    export_run(run, archive)
    done = import_run(archive, before / "runs", name="arrived")
    assert kept_vocabulary(done.run.path) == kept_vocabulary(run.path)


@pytest.mark.parametrize("version", [FIRST, NEWEST])
def test_what_resumes_reads_on_as_it_began(before, run, version):
    if version == FIRST:
        run = find_run("old-words")
    path = run.path / "config.json"
    document = json.loads(path.read_text())
    document["method"]["settings"]["joint_epochs"] += 1
    path.write_text(json.dumps(document))
    run.set_status(state="interrupted")
    shutil.rmtree(run.path / "checkpoints")
    (run.path / "checkpoints").mkdir()
    (done,) = resume([find_run(run.id)])
    assert done.ready and kept_vocabulary(done.path).tokenizer == version


@pytest.mark.parametrize(
    "damage",
    [
        "not JSON",
        '{"tokenizer": 2, "segmenter": "characters", "words": ["a", "a"]}',
        '{"tokenizer": 2, "segmenter": "characters", "words": ["a"], "documents": [1, 2]}',
        '{"tokenizer": 99, "segmenter": "characters", "words": ["a"]}',
    ],
)
def test_a_damaged_vocabulary_is_refused(before, run, damage):
    (run.path / VOCABULARY).write_text(damage)
    with pytest.raises(DataError, match="new"):
        run.load_dataset()


def test_unkept_words_are_counted_by_the_first_rules(before):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert open_dataset("pairs", SETTINGS, UNKEPT).x2.vocabulary == WORDS
