"""The view in Python: what it takes, what it says, what it refuses."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rivae
from rivae.base.errors import ConfigError
from rivae.base.installed import how_to_install
from rivae.notebook.pairs import ArrayPairs
from rivae.notebook.view import View, script

pytestmark = pytest.mark.xdist_group("notebook view")  # its runs are trained once

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(40, 4)), RNG.normal(size=(40, 6))


@pytest.fixture(scope="module")
def run() -> Any:
    return rivae.load_run("demo-digits")


@pytest.fixture
def view(run: Any) -> View:
    return rivae.explore(run, progress=False)


@pytest.fixture(scope="module")
def model() -> Any:
    return rivae.fit(A, B, n_components=2, epochs=4, random_state=0)


def test_it_finds_what_the_run_finds(view: View, run: Any) -> None:
    first = int(run.items[0])
    assert view.query == first and view.source is run
    np.testing.assert_allclose(view.z, run.encode(first), atol=1e-4)
    view.z = run.mean + run.axes[0].std
    assert view.ids.tolist() == run.topk(view.z, 10).ids.tolist()
    view.k = 3
    assert view.ids.tolist() == run.topk(view.z, 3).ids.tolist()


def test_z_changes_as_a_whole_and_says_so(view: View) -> None:
    seen: list[Any] = []
    view.observe(lambda change: seen.append((change["new"].copy(), view.ids)), "z")
    view.z = [0.0] * 10
    assert (seen[0][0] == 0).all() and seen[0][1] is view.ids
    with pytest.raises(ValueError, match="read-only"):
        view.z[0] = 1
    hidden = np.ma.masked_equal(np.arange(10.0), 3)
    wrongs = (([1.0], "10 numbers"), ([float("nan")] * 10, "finite"), (hidden, "masked"))
    for wrong, said in (*wrongs, ([1e13] * 10, "1e"), ([1e300] * 10, "1e")):
        with pytest.raises(ConfigError, match=said):
            view.z = wrong
    assert (view.z == 0).all()


def test_a_row_of_the_table_is_a_z(view: View, run: Any) -> None:
    row = view.items.loc[run.items[3], "z1":"z10"]
    view.z = row
    np.testing.assert_allclose(view.z, run.encode(int(run.items[3])), atol=1e-4)
    with pytest.raises(ConfigError, match="z10"):
        view.z = row[::-1]


def test_a_query_takes_z_along(view: View, run: Any) -> None:
    row = int(run.items[7])
    view.query = row
    np.testing.assert_allclose(view.z, run.encode(row), atol=1e-4)
    view.query = None
    np.testing.assert_array_equal(view.z, run.mean)
    with pytest.raises(ConfigError, match="row 0 is not in this view"):
        view.query = 0  # a training row
    for wrong in (True, 1.0, "4"):
        with pytest.raises(ConfigError, match=repr(wrong)):
            view.query = wrong
    assert view.query is None


def test_a_selection_is_searched_alone(view: View, run: Any) -> None:
    assert len(view.selection) == len(view.items) == len(run.items)
    digit = view.items["digit"] == "4"
    view.selection = view.items[digit]
    assert view.selection.index.tolist() == view.items.index[digit].tolist()
    assert set(view.ids) <= set(view.selection.index) and len(view.ids) == 10
    view.selection = view.ids[:3]
    assert sorted(view.ids) == view.selection.index.tolist() and len(view.ids) == 3
    for wrong, said in (([0], "row 0"), ([], "empty"), ([0.5], "whole numbers")):
        with pytest.raises(ConfigError, match=said):
            view.selection = wrong
    with pytest.raises(ConfigError, match=r"view\.items"):
        view.selection = pd.DataFrame(index=[-1])
    assert len(view.selection) == 3
    view.selection = None
    assert len(view.ids) == 10


def test_what_the_browser_says_counts(view: View, run: Any) -> None:
    chosen = run.items[5:9].tolist()
    view.set_state({"z": [0.5] * 10, "k": 2, "_query": None, "_chosen": chosen})
    assert (view.z == 0.5).all() and view.query is None and len(view.ids) == 2
    assert view.selection.index.tolist() == chosen and set(view.ids) <= set(chosen)
    view.set_state({"_chosen": []})  # words that no item has
    assert len(view.ids) == len(view.selection) == 0


def test_an_item_is_a_row_of_a_table(view: View, run: Any) -> None:
    row = view.items.loc[run.items[3]]
    assert row["title"] == run.data.title(int(run.items[3])) and row["digit"] in "0123456789"
    np.testing.assert_allclose(row["z1":"z10"].astype(float), run.encode(int(run.items[3])), 1e-4)


def test_the_content_is_that_of_an_exported_page(view: View) -> None:
    told = json.loads(view._content)
    assert told["items"]["ids"] == view.items.index.tolist() and len(told["dims"]) == 10
    assert "https://" not in view._content.decode() and "import(" not in script().replace(
        "await import(new URL(map.library", ""
    )


@pytest.mark.slow
def test_arrays_are_trained_and_a_model_is_taken_as_it_is(model: Any) -> None:
    table = pd.DataFrame({"name": [f"n{i}" for i in range(40)], "z1": 7}, index=range(100, 140))
    told = rivae.explore(
        embeddings=(A, B), items=table, progress=False, n_components=2, epochs=4, random_state=0
    )
    same = rivae.explore(model, embeddings=(A, B), items=table, progress=False)
    assert told.source is not model and same.source is model
    np.testing.assert_array_equal(told.ids, same.ids)
    np.testing.assert_allclose(told.z, model.transform(A[:1])[0], atol=1e-3)
    assert told.ids.tolist() == model.topk(told.z, 10).ids.tolist()
    # The table's own column stays, and its labels become one.
    columns = ["label", "name", "z1", "z2"]
    assert told.items.columns.tolist() == columns and (told.items["z1"] == 7).all()
    told.selection = told.items[told.items["label"].between(110, 112)]
    assert sorted(told.ids) == [10, 11, 12] and told.selection["label"].tolist() == [110, 111, 112]
    new = rivae.explore(model, embeddings=(A[:20] + 1, B[:20]), progress=False)
    assert len(new.items) == 20 and new.items["z1"].notna().all()


def test_most_rows_lie_among_the_data_where_nothing_was_held_out(model: Any) -> None:
    view = rivae.explore(model, embeddings=(A, B), progress=False)
    explorer = view._explorer
    assert explorer.far(explorer.mean).limit > 0
    assert explorer.far(explorer.encode(3)).where == "inside"
    assert explorer.far(explorer.mean + 50 * explorer.std).where == "far"


def test_a_table_says_what_rows_are_called_and_what_their_factors_are() -> None:
    table = pd.DataFrame(
        {
            "size": np.arange(8.0),
            "gap": [np.nan, *range(7)],
            "kind": ["a", "b"] * 4,
            "Title": [f"t{i}" for i in range(8)],
            "sure": [True, False] * 4,
        }
    )
    data = ArrayPairs(*(drawn(8) for _ in "AB"), table)
    assert [spec.name for spec in data.factor_specs] == ["size", "kind", "sure"]
    assert data.factor_specs[1].levels == ("a", "b") and data.factor_text(1, 2) == "False"
    assert data.title(3) == "t3" and "kind: b" in data.text(3)
    named = ArrayPairs(*(drawn(8) for _ in "AB"), table.drop(columns="Title"))
    assert named.title(3) == "b"
    bare = ArrayPairs(*(drawn(8) for _ in "AB"))
    assert bare.title(3) == "item 3" and bare.picture(3, 1).size == (160, 96)


@pytest.mark.parametrize("items", [{"title": list("abcdefgh")}, list("abcdefgh")])
def test_columns_by_name_or_a_list_of_titles_are_a_table(items: Any) -> None:
    assert ArrayPairs(drawn(8), drawn(8), items).title(2) == "c"


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ({"a": [1, 2], "b": [1]}, "no table"),
        (7, "no table"),
        (["a"], f"1 rows .* {len(A)}"),
        (pd.DataFrame([[1, 2]] * len(A), columns=["a", "a"]), "columns 'a'"),
    ],
)
def test_a_wrong_table_is_told_before_the_training(
    items: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rivae.notebook.opening.fit", lambda *a, **k: pytest.fail("trained"))
    with pytest.raises(ConfigError, match=said):
        rivae.explore(embeddings=(A, B), items=items, progress=False)


def test_too_many_items_are_told_before_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rivae.notebook.opening.fit", lambda *a, **k: pytest.fail("trained"))
    with pytest.raises(ConfigError, match="50,001"):
        rivae.explore(embeddings=(np.zeros((50_001, 2)), np.zeros((50_001, 2))), progress=False)


@pytest.mark.slow
def test_the_length_of_a_stage_may_be_set(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    given: list[Any] = []
    monkeypatch.setattr(
        "rivae.notebook.opening.fit", lambda *a, **k: given.append(k.get("epochs")) or model
    )
    for params in ({}, {"settings": {"init_epochs": 2}}, {"epochs": 7}):
        rivae.explore(embeddings=(A, B), progress=False, **params)
    assert given == [190, None, 7]


def test_masked_arrays_are_refused(model: Any) -> None:
    for pair in ((np.ma.asarray(A), B), (A, np.ma.masked_greater(B, 1))):
        for asked in (model, None):
            with pytest.raises(ValueError, match="masked"):
                rivae.explore(asked, embeddings=pair, progress=False)


def drawn(n: int) -> Any:
    import torch

    return torch.randn(n, 3)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "say what to explore"),
        ({"run": "demo-digits", "k": 0}, "between 1 and 30"),
        ({"run": "demo-digits", "k": 2.5}, "between 1 and 30"),
        ({"run": "demo-digits", "k": True}, "between 1 and 30"),
        ({"embeddings": (A, B), "epochs": 0}, "epochs must"),
        ({"embeddings": (A, B), "epochs": 2.5}, "epochs must"),
        (
            {"embeddings": (A, B), "n_components": 2, "settings": {"n_components": 3}},
            "n_components=3",
        ),
        ({"embeddings": pd.DataFrame(A[:, :2])}, "two arrays"),
        ({"run": "demo-digits", "epochs": 3}, "epochs goes with embeddings"),
        ({"run": "demo-digits", "items": pd.DataFrame()}, "items goes with embeddings"),
        ({"run": "demo-digits", "embeddings": (A, B)}, "not both"),
        ({"embeddings": (A, B), "rows": "all"}, "go with a run"),
        ({"embeddings": A}, "two arrays"),
        ({"embeddings": (pd.DataFrame(A).assign(id=range(len(A))), B)}, "A has .* id, which"),
        ({"embeddings": (A, pd.DataFrame(B).reset_index())}, "B has .* index, which"),
        ({"embeddings": (A, B), "wrong": 1}, "no setting 'wrong'"),
    ],
)
def test_what_does_not_go_together_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        rivae.explore(**asked, progress=False)


def test_a_model_needs_its_rows_and_no_settings(model: Any, run: Any) -> None:
    with pytest.raises(ConfigError, match="embeddings"):
        rivae.explore(model)
    with pytest.raises(ConfigError, match="epochs"):
        rivae.explore(model, embeddings=(A, B), epochs=3)
    with pytest.raises(ConfigError, match="load_run"):
        rivae.explore(run, rows="all")
    with pytest.raises(ConfigError, match="3 rows"):
        rivae.explore(model, embeddings=(A, B), items=pd.DataFrame({"a": [1, 2, 3]}))
    with pytest.raises(ConfigError, match="'shot'"):
        rivae.explore(model, embeddings=(A, B), images="shot")


def test_one_sentence_where_anywidget_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "rivae.notebook.view", raising=False)
    with pytest.raises(ConfigError, match=re.escape(how_to_install("notebook"))):
        rivae.explore("demo-digits")


@pytest.mark.slow
def test_axes_that_are_added_are_sliders_of_the_view(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))
    view = rivae.explore("demo-kitchen", progress=False)
    told = json.loads(view._content)
    assert told["asksPython"] and told["adds"] and view._added == told["addedAxes"] == []
    axis = view.source.add_axis(factor="fruit")
    assert [one["id"] for one in view._added] == [axis.id]
    answers = []
    monkeypatch.setattr(view, "send", answers.append)
    view._heard(view, {"remove": axis.id}, [])
    view._heard(view, {"add": {"high": "soup, broth", "low": "xyzzy"}}, [])
    view._heard(view, {"add": {"high": "soup, broth", "low": "cake"}}, [])
    assert answers[0] == answers[2] == {} and "xyzzy" in answers[1]["error"]
    assert [one["left"] for one in view._added] == ["cake"]
