"""Matrices in Parquet: only columns that are float and were meant are numbers of a row."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import DataError
from rivae.base.reading.matrix_columns import matrix_columns
from rivae.base.reading.parquet import parquet_cells, parquet_matrix, parquet_matrix_columns

N = 12
ROWS = np.random.default_rng(0).standard_normal((N, 4))
NAMED = {f"e{k}": ROWS[:, k] for k in range(4)}
LISTS = list(ROWS)
# Columns that are written next to numbers, and are none.
OTHERS = {
    "id": np.arange(N),
    "label": np.arange(N) % 3,
    "Unnamed: 0": np.arange(N, dtype=float),
    "item_id": np.arange(N) * 1.0,
    "__index_level_0__": np.arange(N),
    "score": ROWS[:, 0] ** 2,
    "is_new": np.arange(N) > 5,
    "title": [f"dish {i}" for i in range(N)],
    "tags": [["a", "b"]] * N,
    "tokens": [[1, 2, 3]] * N,
    "when": pd.date_range("2020", periods=N),
}
WORDS = ("image", "img")


def written(path: Path, columns: dict[str, object]) -> Path:
    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), path)
    return path


names = st.sampled_from(["e{}", "{}", "dim_{:03d}", "clip-b32 {}", "emb[{}]", "x{}_norm", "V{}"])


@given(
    form=names,
    start=st.integers(0, 1),
    kind=st.sampled_from(["f2", "f4", "f8"]),
    others=st.lists(st.sampled_from(sorted(OTHERS)), unique=True),
    as_list=st.booleans(),
    draw=st.randoms(use_true_random=False),
)
def test_what_stands_next_to_the_numbers_is_left_out(
    tmp_path_factory, form, start, kind, others, as_list, draw
):
    """Whatever the columns are called, and wherever others stand among them."""
    numbers = ROWS.astype(kind)
    if as_list:
        meant = {"embedding": pa.array([row.tolist() for row in numbers])}
    else:
        meant = {form.format(k + start): numbers[:, k] for k in range(4)}
    order = [*meant, *others]
    draw.shuffle(order)
    kept = sorted(meant, key=list(meant).index)  # its own columns stay in their order
    places = iter(kept)
    order = [name if name in others else next(places) for name in order]
    path = tmp_path_factory.mktemp("m") / "m.parquet"
    written(path, {name: {**meant, **OTHERS}[name] for name in order})
    np.testing.assert_array_equal(parquet_matrix(path), numbers.astype(np.float32))
    columns = parquet_matrix_columns(path)
    assert set(columns.left_out) == set(others)
    assert set(columns.keys) == set(others) - {"score", "is_new", "tags", "tokens", "when"}


@pytest.mark.parametrize("index", [None, "id", "anything"])
def test_the_index_of_pandas_is_no_number(tmp_path, index):
    frame = pd.DataFrame(NAMED, index=pd.Index(np.linspace(3, 9, N), name=index))
    frame.to_parquet(tmp_path / "m.parquet")
    np.testing.assert_array_equal(parquet_matrix(tmp_path / "m.parquet"), ROWS.astype(np.float32))
    (left_out,) = parquet_matrix_columns(tmp_path / "m.parquet").left_out
    assert left_out == index or index is None
    assert parquet_cells(tmp_path / "m.parquet", left_out)[0] == 3


def chosen(columns: dict[str, object], words=()):
    schema = pa.table({name: pa.array(values) for name, values in columns.items()}).schema
    return list(matrix_columns(schema, "m.parquet", words).taken)


def test_columns_keep_the_order_of_the_file():
    columns = {f"e{k}": ROWS[:, 0] for k in (0, 10, 2, 1, 11, 3, 4, 5, 6, 7, 8, 9)}
    assert chosen(columns) == list(columns)


def test_a_number_that_happens_to_be_whole_is_one_of_them():
    """A column that is zero everywhere is read back from a table of text as integers."""
    assert chosen({**NAMED, "e2": np.zeros(N, dtype=int), "id": np.arange(N)}) == list(NAMED)


def test_numbers_with_gaps_and_two_places():
    assert chosen({f"e{k}": ROWS[:, 0] for k in (0, 3, 7)} | {"score": ROWS[:, 1]})[-1] == "e7"
    grid = {f"e_{i}_{j}": ROWS[:, 0] for i in range(2) for j in range(3)}
    assert chosen({**grid, "score": ROWS[:, 1]}) == list(grid)


def test_named_properties_are_all_taken():
    """No names run on, so nothing tells them apart but that ids and labels are none."""
    named = dict.fromkeys(("fat", "protein", "vitamin_b6", "vitamin_b12", "omega3"), ROWS[:, 0])
    assert chosen({**named, "label": ROWS[:, 1], "id": np.arange(N)}) == list(named)


def test_of_both_sides_in_one_file_the_one_that_is_asked_for():
    both = {"image_embedding": LISTS, "text_embedding": LISTS, "bbox": LISTS, "id": np.arange(N)}
    assert chosen(both, WORDS) == ["image_embedding"]
    assert chosen(both, ("text",)) == ["text_embedding"]
    wide = {f"{s}_{k}": ROWS[:, k] for s in ("img", "txt") for k in range(4)}
    assert chosen(wide, WORDS) == [f"img_{k}" for k in range(4)]
    for columns in ({"a": LISTS, "b": LISTS}, {f"{s}{k}": ROWS[:, 0] for s in "xy" for k in "01"}):
        with pytest.raises(DataError, match="not clear"):
            chosen(columns, WORDS)


@pytest.mark.parametrize(
    "columns",
    [
        {"id": np.arange(N)},
        {f"e{k}": np.arange(N) for k in range(4)},
        {"embedding": [[1, 2]] * N},
        {"embedding": [b"1234"] * N},
        {"embedding": ["[0.1, 0.2]"] * N},
    ],
)
def test_without_floats_the_columns_are_named(columns):
    with pytest.raises(DataError, match=next(iter(columns))):
        chosen(columns)


def test_two_columns_of_one_name():
    table = pa.Table.from_arrays([pa.array(ROWS[:, 0])] * 2, names=["e0", "e0"])
    with pytest.raises(DataError, match="two columns 'e0'"):
        matrix_columns(table.schema, "m.parquet")


def test_lists_of_every_kind(tmp_path):
    small = ROWS.astype(np.float32)
    flat = pa.array(small.ravel())
    fixed = pa.FixedSizeListArray.from_arrays(flat, 4)
    kinds = {
        "list": pa.array(small.tolist(), pa.list_(pa.float32())),
        "large": pa.array(small.tolist(), pa.large_list(pa.float32())),
        "fixed": fixed,
        "one in one": pa.array([[row] for row in small.tolist()], pa.list_(pa.list_(pa.float32()))),
        "tensor": pa.ExtensionArray.from_storage(
            pa.fixed_shape_tensor(pa.float32(), (2, 2)), fixed
        ),
    }
    for kind, column in kinds.items():
        path = tmp_path / f"{kind}.parquet"
        pq.write_table(pa.table({"id": pa.array(range(N)), "v": column}), path)
        np.testing.assert_array_equal(parquet_matrix(path), small, err_msg=kind)


@pytest.mark.parametrize(
    ("row", "reason"), [([1.0], "row 8 has 1"), (None, "row 8 has 0"), ([[1.0] * 4] * 2, "several")]
)
def test_rows_of_other_lengths_are_named(tmp_path, row, reason):
    lists = [list(row) for row in ROWS]
    if row is not None and isinstance(row[0], list):
        lists = [[row, row] for row in lists]
    else:
        lists[7] = row
    written(tmp_path / "m.parquet", {"v": lists})
    with pytest.raises(DataError, match=reason):
        parquet_matrix(tmp_path / "m.parquet")


def test_lengths_that_change_far_down(tmp_path):
    written(tmp_path / "m.parquet", {"v": [[1.0, 2.0]] * 500 + [[1.0, 2.0, 3.0]] * 500})
    with pytest.raises(DataError, match="row 501 has 3"):
        parquet_matrix(tmp_path / "m.parquet")


@given(st.binary(max_size=300))
def test_metadata_of_strangers(said):
    schema = pa.schema([(name, pa.float32()) for name in NAMED], {b"pandas": said})
    assert list(matrix_columns(schema, "m.parquet").taken) == list(NAMED)


def test_decimals_are_floats(tmp_path):
    table = pa.table({f"e{k}": pa.array([1, 2, 3]).cast(pa.decimal128(21, 2)) for k in range(3)})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    (tmp_path / "m.parquet").write_bytes(buffer.getvalue())
    np.testing.assert_array_equal(
        parquet_matrix(tmp_path / "m.parquet"), [[1] * 3, [2] * 3, [3] * 3]
    )


types = st.sampled_from(
    [pa.float16(), pa.float32(), pa.int8(), pa.bool_(), pa.string(), pa.list_(pa.float64())]
)
fields = st.tuples(st.text(max_size=6) | st.sampled_from(["e1", "9" * 5000, "a.b", "id"]), types)


@given(st.lists(fields, max_size=8))
def test_columns_of_strangers(columns):
    """Whatever they are called: those that are taken are float, or the file is refused."""
    schema = pa.schema([pa.field(name, kind) for name, kind in columns])
    try:
        found = matrix_columns(schema, "m.parquet", WORDS)
    except DataError:
        return
    kinds = {schema.field(name).type for name in found.taken}
    assert sorted([*found.taken, *found.left_out]) == sorted(schema.names)
    is_list = pa.list_(pa.float64()) in kinds
    assert (
        len(found.taken) == 1 if is_list else pa.string() not in kinds and pa.bool_() not in kinds
    )
