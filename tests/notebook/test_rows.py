"""The table of a view, the rows that are found, and a selection fit each other for every index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rivae
from rivae.base.errors import ConfigError
from rivae.notebook.view import View

N = 40
RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(N, 4)), RNG.normal(size=(N, 6))
BASE = pd.DataFrame(
    {"title": [f"t{i}" for i in range(N)], "kind": ["a", "b"] * (N // 2), "size": A[:, 0]}
)
LONG = pd.concat([BASE, BASE, BASE], ignore_index=True)

TABLES: dict[str, pd.DataFrame] = {
    "plain": BASE,
    "shuffled": BASE.sample(frac=1, random_state=1),
    "turned round": BASE[::-1],
    "filtered": LONG[LONG.index % 3 == 1],
    "filtered and sorted": LONG[LONG.index % 3 == 1].sort_values("size"),
    "two tables": pd.concat([BASE[:20], BASE[20:].reset_index(drop=True)]),
    "one label": BASE.set_axis([7] * N),
    "words": BASE.set_axis([f"k{i % 25}" for i in range(N)]),
    "dates": BASE.set_axis(pd.date_range("2020", periods=N)[::-1]),
    "periods": BASE.set_axis(pd.period_range("2020", periods=N, freq="M")),
    "halves": BASE.set_axis(np.arange(N) / 2),
    "from -20 on": BASE.set_axis(range(-20, 20)),
    "yes and no": BASE.set_axis(BASE["kind"] == "a"),
    "categories": BASE.set_axis(pd.CategoricalIndex(BASE["kind"])),
    "missing labels": BASE.set_axis([None, np.nan] * (N // 2)),
    "levels": BASE.set_index(["kind", "title"], drop=False),
    "levels without names": BASE.set_axis(pd.MultiIndex.from_product([range(4), range(10)])),
    "named": BASE.sample(frac=1, random_state=1).rename_axis("dish"),
    "named as a column": BASE.sample(frac=1, random_state=1).rename_axis("title"),
    "named as ours": BASE.sample(frac=1, random_state=1).rename_axis("item"),
    "named z1": BASE.sample(frac=1, random_state=1).rename_axis("z1"),
}
SHUFFLED = TABLES["shuffled"]


@pytest.fixture(scope="module")
def model() -> Any:
    return rivae.fit(A, B, n_components=2, epochs=4, random_state=0)


@pytest.fixture(scope="module")
def view_of(model: Any) -> Callable[[str], View]:
    made: dict[str, View] = {}

    def opened(kind: str) -> View:
        if kind not in made:
            made[kind] = rivae.explore(model, embeddings=(A, B), items=TABLES[kind], progress=False)
        made[kind].selection = None
        return made[kind]

    return opened


@pytest.mark.slow
@pytest.mark.parametrize("kind", TABLES)
def test_what_is_found_is_named_by_one_idiom(kind: str, view_of: Any) -> None:
    view, table = view_of(kind), TABLES[kind]
    shown = [view._explorer.data.title(int(row)) for row in view.ids]
    assert view.items.loc[view.ids, "title"].tolist() == shown
    assert shown == table["title"].iloc[view.ids].tolist()
    assert view.items.index.tolist() == list(range(N))
    np.testing.assert_array_equal(view.items["z1"], view._explorer.positions[:, 0])
    # The labels are kept, and nothing of the table is lost or changed.
    labels = view.items.columns.difference([*table.columns, "z1", "z2"], sort=False)
    if kind == "plain":
        assert labels.empty
    else:
        assert len(labels) == table.index.nlevels
        kept = pd.MultiIndex.from_frame(view.items[labels])
        assert kept.tolist() == pd.MultiIndex.from_frame(table.index.to_frame()).tolist() or (
            kind == "missing labels"
        )
    pd.testing.assert_frame_equal(
        view.items[table.columns], table.reset_index(drop=True).rename_axis(view.items.index.name)
    )


def chosen_as(view: View, rows: list[int]) -> dict[str, Any]:
    """The ways to choose these rows."""
    items, mask = view.items, np.isin(np.arange(N), rows)
    return {
        "list": rows,
        "array": np.array(rows, dtype=np.int32),
        "twice": rows + rows[::-1],
        "mask": mask,
        "list of a mask": mask.tolist(),
        "mask of the table": items["title"].isin(items["title"].iloc[rows]),
        "mask turned round": pd.Series(mask, index=items.index)[::-1],
        "nullable mask": pd.Series(mask, index=items.index).astype("boolean"),
        "part": items.iloc[rows],
        "part by labels": items.loc[rows[::-1]],
        "two parts": pd.concat([items.loc[rows[:1]], items.loc[rows[1:]]]),
        "sorted part": items.loc[rows].sort_values("z1"),
        "some columns": items.loc[rows, ["kind", "z2"]],
        "no columns": items.loc[rows, []],
        "column": items.loc[rows, "size"],
        "index": items.index[rows],
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", TABLES)
def test_a_selection_is_exactly_what_was_chosen(kind: str, view_of: Any) -> None:
    view, rows = view_of(kind), [3, 21, 30]
    for how, chosen in chosen_as(view, rows).items():
        view.selection = None
        view.selection = chosen
        assert view.selection.index.tolist() == rows, how
        assert sorted(view.ids) == rows, how
        view.selection = view.selection
        assert view.selection.index.tolist() == rows, how
    view.selection = view.ids[:2]
    assert sorted(view.selection.index) == sorted(view.ids)


# What could be meant otherwise: a part of the table that was given, of another one, of a copy.
UNCLEAR: dict[str, Callable[[View], Any]] = {
    "the table given": lambda view: SHUFFLED.iloc[:3],
    "its columns": lambda view: SHUFFLED["title"].iloc[:3],
    "its index": lambda view: SHUFFLED.index[:3],
    "its mask": lambda view: SHUFFLED["kind"] == "a",
    "numbers in a series": lambda view: pd.Series([3, 5]),
    "numbers in an index": lambda view: pd.Index([3, 5]),
    "numbered anew": lambda view: view.items.iloc[[3, 5]].reset_index(drop=True),
    "by title": lambda view: view.items.iloc[[3, 5]].set_index("title"),
    "one row": lambda view: view.items.loc[3],
    "changed": lambda view: view.items.iloc[[3, 5]].assign(title="other"),
    "exchanged": lambda view: view.items.iloc[[3, 5]].set_axis(view.items.index[[5, 3]]),
    "groups": lambda view: view.items.groupby("kind").size(),
    "a column that is not ours": lambda view: view.items.loc[[3], "size"].rename("other"),
    "half a mask": lambda view: (view.items["kind"] == "a").iloc[:20],
    "a mask with gaps": lambda view: (
        view.items["kind"].eq("a").astype("boolean").where(A[:, 0] > 0)
    ),
    "a short mask": lambda view: np.ones(N - 1, dtype=bool),
    "a deep mask": lambda view: np.ones((N, 1), dtype=bool),
    "a table of numbers": lambda view: np.array([[3, 5]]),
    "masked numbers": lambda view: np.ma.masked_equal([3, 5], 5),
    "fractions": lambda view: [3.0, 5.0],
    "words": lambda view: ["3", "5"],
    "beyond the end": lambda view: [3, N],
    "from the end": lambda view: [-1],
    "nothing": lambda view: [],
    "no part": lambda view: view.items.iloc[:0],
    "an empty mask": lambda view: np.zeros(N, dtype=bool),
}


@pytest.mark.parametrize("kind", UNCLEAR)
def test_what_is_unclear_is_refused(kind: str, view_of: Any) -> None:
    view = view_of("shuffled")
    view.selection = [7]
    with pytest.raises(ConfigError):
        view.selection = UNCLEAR[kind](view)
    assert view.selection.index.tolist() == [7]


def test_parts_of_a_table_without_labels_of_its_own_will_do(view_of: Any) -> None:
    view = view_of("plain")
    for chosen in (BASE[BASE["kind"] == "a"], BASE["kind"] == "a", BASE.index[::2]):
        view.selection = None
        view.selection = chosen
        assert view.selection.index.tolist() == list(range(0, N, 2))
    with pytest.raises(ConfigError):
        view.selection = SHUFFLED.reset_index(drop=True).iloc[:3]


@pytest.mark.slow
def test_rows_of_another_view_are_not_taken_for_ours(view_of: Any) -> None:
    view, other = view_of("plain"), view_of("turned round")
    with pytest.raises(ConfigError):
        view.selection = other.items.iloc[:3]
    with pytest.raises(ConfigError):
        view.selection = rivae.explore("demo-digits", progress=False).items.iloc[:3]


@pytest.mark.filterwarnings("ignore")  # pandas 4 will have no such thing
def test_a_table_that_is_sorted_in_place_still_fits(model: Any) -> None:
    view = rivae.explore(model, embeddings=(A, B), items=BASE, progress=False)
    view.items.sort_values("size", inplace=True)
    view.selection = [3, 5]
    assert view.selection["title"].tolist() == ["t3", "t5"]
    view.selection = (view.items["title"] == "t9").to_numpy()
    assert view.selection["title"].tolist() == ["t9"]


def test_the_table_of_a_view_will_do_for_the_next(view_of: Any, model: Any) -> None:
    items = view_of("shuffled").items
    view = rivae.explore(model, embeddings=(A, B), items=items, progress=False)
    assert view.items.columns.tolist() == items.columns.tolist()
    assert view._explorer.data.title(3) == SHUFFLED["title"].iloc[3]


ORDERS: dict[str, Any] = {
    "a table": SHUFFLED,
    "a series": SHUFFLED["title"],
    "series by name": {"title": SHUFFLED["title"], "size": SHUFFLED["size"]},
    "words": SHUFFLED.set_axis([f"k{i}" for i in SHUFFLED.index]),
    "dates": SHUFFLED.set_axis(pd.Timestamp("2020") + pd.to_timedelta(SHUFFLED.index, unit="D")),
    "labels twice": SHUFFLED.set_axis(SHUFFLED.index % 20),
}


@pytest.mark.parametrize("side", ["A", "B"])
@pytest.mark.parametrize("kind", ORDERS)
def test_the_same_labels_in_another_order_are_refused(kind: str, side: str, model: Any) -> None:
    items = ORDERS[kind]
    labels = SHUFFLED.index if isinstance(items, dict) else items.index
    labels = labels[np.argsort(SHUFFLED.index)]  # as they were before they were shuffled
    pair = {"A": (pd.DataFrame(A, index=labels), B), "B": (A, pd.DataFrame(B, index=labels))}
    with pytest.raises(ConfigError, match=rf"items.*{side}"):
        rivae.explore(model, embeddings=pair[side], items=items, progress=False)


def test_two_arrays_in_another_order_are_no_pairs(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rivae.notebook.opening.fit", lambda *a, **k: pytest.fail("trained"))
    pair = pd.DataFrame(A), pd.DataFrame(B).sample(frac=1, random_state=0)
    for asked in (model, None):
        with pytest.raises(ValueError, match="order"):
            rivae.explore(asked, embeddings=pair, progress=False)


def test_what_has_the_same_order_or_no_labels_is_taken_as_it_stands(model: Any) -> None:
    same = pd.DataFrame(A, index=SHUFFLED.index), pd.DataFrame(B, index=SHUFFLED.index)
    titles = SHUFFLED["title"].tolist()
    for pair, items in ((same, SHUFFLED), ((A, B), SHUFFLED), (same, titles)):
        view = rivae.explore(model, embeddings=pair, items=items, progress=False)
        assert [view._explorer.data.title(i) for i in range(N)] == titles


def test_a_row_without_a_title_is_called_by_its_label(model: Any) -> None:
    table = BASE.assign(title=[None, np.nan, "x", *["y"] * (N - 3)])
    for items, want in ((table, "item 1"), (table.set_axis([f"k{i}" for i in range(N)]), "k1")):
        view = rivae.explore(model, embeddings=(A, B), items=items, progress=False)
        assert view._explorer.data.title(1) == want and view._explorer.data.title(2) == "x"
