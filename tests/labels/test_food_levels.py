"""The model-made levels that come with the project: what is in the file, and how it is read."""

from types import SimpleNamespace

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.food_factors import FACTOR_LABELS, FACTOR_NAMES
from rivae.labels.agreement import krippendorff_alpha
from rivae.labels.food_levels import (
    FOOD_LEVELS,
    MODEL_MADE,
    level_matrix,
    model_levels,
    read_levels,
)

HEAD = ",".join(["id", "pass", *FACTOR_NAMES])


def data_of(*ids):
    return SimpleNamespace(name="mine", item_ids=lambda: list(ids))


def test_the_file_holds_two_passes_of_ids_and_numbers_only():
    found = read_levels()
    assert list(found.columns) == ["id", "pass", *FACTOR_NAMES]
    assert found.groupby("pass").size().tolist() == [2284, 2284]
    assert found["id"].str.fullmatch(r"ar_\d+").all() and found["pass"].str.len().max() < 10


def test_its_guideline_states_the_agreement_of_the_passes():
    guideline = FOOD_LEVELS.with_suffix(".md").read_text(encoding="utf-8")
    assert MODEL_MADE in guideline
    table = read_levels().pivot(index="pass", columns="id", values=list(FACTOR_NAMES))
    for factor in FACTOR_NAMES:
        alpha = krippendorff_alpha(table[factor].to_numpy())
        assert f"| {FACTOR_LABELS[factor]} | {alpha:.3f} |" in guideline


def test_every_text_that_uses_them_says_so(repo_root):
    tables = sorted((repo_root / "benchmarks" / "results").glob("food-*.md"))
    texts = [*tables, repo_root / "README.md", repo_root / "docs" / "results.md"]
    assert len(tables) >= 2
    assert not [path.name for path in texts if MODEL_MADE not in path.read_text(encoding="utf-8")]


def test_levels_find_their_dishes(tmp_path):
    lines = [HEAD, "b,1" + ",1" * 8, "b,2" + ",3" * 8, "a,1,0" + ",5" * 7, "z,1" + ",2" * 8]
    path = tmp_path / "levels.csv"
    path.write_text("\n".join(lines))
    labels = model_levels(data_of("a", "b", "c"), path)
    assert set(labels["item"]) == {0, 1} and set(labels["annotator"]) == {"1", "2"}
    found = level_matrix(labels, 3)
    assert found.shape == (3, 8) and np.isnan(found[2]).all()
    assert np.isnan(found[0, 0]) and (found[0, 1:] == 5).all() and (found[1] == 2).all()
    assert (level_matrix(labels, np.array([1]), ("2",)) == 3).all()


@pytest.mark.parametrize(
    "text", ["", "id,pass\na,1", HEAD + "\na,1" + ",6" * 8, HEAD + "\na,1" + ",x" * 8]
)
def test_a_file_that_is_no_table_of_levels_says_so(tmp_path, text):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=r"mine\.csv"):
        read_levels(path)
    with pytest.raises(DataError, match=r"gone\.csv"):
        read_levels(tmp_path / "gone.csv")


def test_a_data_set_without_these_dishes_says_so():
    with pytest.raises(DataError, match=MODEL_MADE):
        model_levels(data_of("x"))
