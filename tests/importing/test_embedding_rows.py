"""Which row of a matrix belongs to which record, and at which scale its numbers are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.arrays import in_reach
from rivae.base.errors import DataError
from rivae.data import load_dataset
from rivae.data.base import SPLITS
from rivae.data.importing import ImportSettings, PairsImport, run_import
from rivae.data.importing.embeddings import COUNTS, LEFT_OUT, MATCHED, NO_ROW, SHUFFLED, UNMATCHED
from rivae.data.importing.mapping import make_mapping
from rivae.data.importing.parts import STAY
from rivae.data.store import PairStore
from rivae.data.store.features import MatrixView, read_matrix, write_features
from tests.importing.conftest import rows

N = 40
A = np.random.default_rng(0).standard_normal((N, 8)).astype(np.float32)
B = np.random.default_rng(1).standard_normal((N, 6)).astype(np.float32)
NAMED = pd.DataFrame(A, columns=[f"e{k}" for k in range(8)])
SIDE = "pictures"


def take(tmp_path, write_table, one, two=B, records=None, root="data", **options):
    """Import a table with a frame and an array as its embeddings."""
    one.to_parquet(tmp_path / "A.parquet") if isinstance(one, pd.DataFrame) else np.save(
        tmp_path / "A.npy", one
    )
    np.save(tmp_path / "B.npy", two)
    records = rows(N) if records is None else records
    table = write_table(records)
    mapping = make_mapping(list(records[0]), {"picture": None}, needs_picture=False)
    name = "A.parquet" if isinstance(one, pd.DataFrame) else "A.npy"
    paths = (tmp_path / name, tmp_path / "B.npy")
    source = PairsImport(table, [], mapping, embeddings=paths)
    return run_import(source, ImportSettings("own", root=tmp_path / root), **options)


def stored(tmp_path):
    """The pictures' matrix as it was stored, by the id of each item."""
    folder = tmp_path / "data" / "own"
    matrix = read_matrix(folder / "features" / "own" / "pictures.npy")
    return dict(zip(PairStore(folder).column("id"), matrix, strict=True))


def assert_rows_are_right(tmp_path, ids):
    found = stored(tmp_path)
    assert list(found) == list(ids)
    for i, name in enumerate(ids):
        np.testing.assert_array_equal(found[name], A[int(name[1:])], err_msg=f"{i}")


def ids_of(records):
    return [record["id"] for record in records]


@pytest.mark.parametrize(
    "others",
    [{"id": range(7, 7 + N)}, {"label": [k % 3 for k in range(N)]}, {"id": range(N)}, {}],
)
def test_the_report_says_how_many_numbers_a_row_has(tmp_path, write_table, others):
    report = take(tmp_path, write_table, NAMED.assign(**others))
    (said,) = [remark for remark in report.notes if "8 numbers a row" in remark]
    assert "6 for texts" in said and report.notes.get(LEFT_OUT, 0) == len(others)
    assert_rows_are_right(tmp_path, ids_of(rows(N)))
    (folder,) = (tmp_path / "data").glob("[!.]*")
    assert load_dataset("pairs", store=str(folder), features="own").x1.shape == (8,)


def test_rows_with_the_ids_of_the_table_are_found_by_them(tmp_path, write_table):
    order = np.random.default_rng(3).permutation(N)
    frame = NAMED.assign(id=ids_of(rows(N))).iloc[order]
    report = take(tmp_path, write_table, frame)
    assert report.notes[MATCHED.format(SIDE, "id")] == N
    assert_rows_are_right(tmp_path, ids_of(rows(N)))


def test_more_rows_than_records_and_records_without_a_row(tmp_path, write_table):
    frame = NAMED.assign(item_id=ids_of(rows(N))).drop(index=[3, 9])
    frame = pd.concat(
        [frame.iloc[::-1], frame.iloc[:9].assign(item_id=[f"x{k}" for k in range(9)])]
    )
    report = take(tmp_path, write_table, frame)
    assert report.left_out == {NO_ROW: 2}
    assert report.notes[MATCHED.format(SIDE, "item_id")] == N - 2
    assert_rows_are_right(tmp_path, [f"d{i}" for i in range(N) if i not in (3, 9)])


def test_another_column_of_the_table_may_tell_the_rows(tmp_path, write_table):
    frame = NAMED.assign(title=[row["title"] for row in rows(N)]).iloc[::-1]
    report = take(tmp_path, write_table, frame.reset_index(drop=True))
    assert report.notes[MATCHED.format(SIDE, "title")] == N
    assert_rows_are_right(tmp_path, ids_of(rows(N)))


def test_the_index_of_a_frame_may_hold_the_ids(tmp_path, write_table):
    frame = NAMED.set_index(pd.Index(ids_of(rows(N)), name="id")).iloc[::-1]
    take(tmp_path, write_table, frame)
    assert_rows_are_right(tmp_path, ids_of(rows(N)))


def test_numbers_are_the_same_ids_as_text_and_as_floats(tmp_path, write_table):
    records = [{**row, "id": i} for i, row in enumerate(rows(N))]
    take(tmp_path, write_table, NAMED.assign(id=np.arange(N) * 1.0).iloc[::-1], records=records)
    np.testing.assert_array_equal(np.stack(list(stored(tmp_path).values())), A)


@pytest.mark.parametrize(
    "others",
    [
        {"id": [f"d{i + 1}" for i in range(N)]},  # shifted by one: rows or names?
        {"title": [row["title"] for row in rows(N)][1:] + ["Other"]},
        {"heat": [row["heat"] for row in rows(N)][::-1]},  # the same labels of other rows
    ],
)
def test_what_may_mean_either_is_refused(tmp_path, write_table, others):
    with pytest.raises(DataError, match=f"'{next(iter(others))}'"):
        take(tmp_path, write_table, NAMED.assign(**others))


def test_some_ids_written_otherwise_change_no_order(tmp_path, write_table):
    ids = ids_of(rows(N))
    report = take(tmp_path, write_table, NAMED.assign(id=[*ids[:5], "D5", *ids[6:]]))
    assert_rows_are_right(tmp_path, ids)
    assert not [remark for remark in report.notes if MATCHED.format(SIDE, "id") == remark]


def test_ids_of_another_kind_and_indexes_in_disorder_are_told(tmp_path, write_table):
    report = take(tmp_path, write_table, NAMED.assign(id=[f"row-{i}" for i in range(N)]))
    assert report.notes[UNMATCHED.format(SIDE, "id")] == 1
    frame = NAMED.copy()
    frame.index = np.random.default_rng(0).permutation(N)
    assert take(tmp_path, write_table, frame, root="two").notes[SHUFFLED] == 1


def test_a_matrix_whose_column_counts_up_is_told(tmp_path, write_table):
    report = take(tmp_path, write_table, np.column_stack([np.arange(40.0, 80), A]))
    assert report.examples[COUNTS] == ["A.npy: number 1 of each row"]
    assert COUNTS not in take(tmp_path, write_table, A, root="two").notes


def test_rows_of_one_embedding_stay_in_one_part(tmp_path, write_table):
    records = [{**row, "id": f"d{i}-{k}"} for i, row in enumerate(rows(20)) for k in range(5)]
    two = np.random.default_rng(1).standard_normal((100, 6))
    report = take(tmp_path, write_table, np.repeat(A[:20], 5, axis=0), two, records)
    assert report.notes[STAY] == 100
    data = load_dataset("pairs", store=str(tmp_path / "data" / "own"), features="own")
    parts = [{data.item_ids()[i].split("-")[0] for i in data.splits[part]} for part in SPLITS]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 20


# Scales.

scales = st.floats(-30, 30).map(lambda power: 10.0**power)


@given(scale=scales, kind=st.sampled_from(["f4", "f8"]), one=st.integers(0, N - 1))
def test_every_scale_is_the_same_direction(tmp_path_factory, scale, kind, one):
    """One row of another scale among ordinary ones, from the file to what a model reads."""
    matrix = A.astype(kind)
    matrix[one] = (A[one].astype(np.float64) * scale).astype(kind)
    folder = tmp_path_factory.mktemp("s")
    every = np.arange(N)
    rows_of = {"pictures": every, "texts": every}
    write_features(folder, "own", {"pictures": matrix, "texts": B}, rows_of, {})
    written = read_matrix(folder / "features" / "own" / "pictures.npy")
    read = MatrixView(written).batch(every).numpy()
    expected = np.sqrt(8) * A / np.linalg.norm(A, axis=1, keepdims=True)
    np.testing.assert_allclose(read, expected, rtol=2e-6, atol=1e-6)
    np.testing.assert_array_equal(np.delete(written, one, 0), np.delete(A, one, 0))


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e-20, 1e20, 1e30, 1e300])
@pytest.mark.parametrize("as_list", [False, True])
def test_parquet_at_every_scale(tmp_path, write_table, scale, as_list):
    big = A.astype(np.float64) * scale
    frame = pd.DataFrame({"v": list(big)}) if as_list else pd.DataFrame(big).rename(columns=str)
    take(tmp_path, write_table, frame)
    data = load_dataset("pairs", store=str(tmp_path / "data" / "own"), features="own")
    expected = np.sqrt(8) * A / np.linalg.norm(A, axis=1, keepdims=True)
    np.testing.assert_allclose(data.x1.batch(np.arange(N)).numpy(), expected, rtol=1e-5, atol=1e-6)


@given(scale=st.floats(-10, 12).map(lambda power: np.float32(10.0**power)))
def test_ordinary_numbers_stay_as_they_are(scale):
    """To the bit, what is stored and what is read."""
    matrix = A * scale
    assert in_reach(matrix) is matrix
    given_ = torch.nn.functional.normalize(torch.from_numpy(matrix), dim=-1) * np.sqrt(8)
    assert (MatrixView(matrix).batch(np.arange(N)) == given_.float()).all()


def test_rows_of_nothing_and_of_no_number_are_refused_at_every_scale(tmp_path, write_table):
    for value in (0.0, np.nan, np.inf):
        matrix = A.astype(np.float64) * 1e30
        matrix[7] = value
        with pytest.raises(DataError, match="row 8 of the pictures"):
            take(tmp_path, write_table, matrix)


def test_stored_matrices_of_other_scales_are_read_well():
    """Imports of before hold them as they came."""
    for scale in (1e-30, 1e-20, 1e30):
        found = MatrixView(A * np.float32(scale)).batch(np.arange(N))
        np.testing.assert_allclose(found, MatrixView(A).batch(np.arange(N)), rtol=1e-5, atol=1e-6)


def test_one_file_may_hold_both_sides(tmp_path, write_table):
    frame = pd.DataFrame({"id": ids_of(rows(N)), "image_embedding": list(A), "text_emb": list(B)})
    path = tmp_path / "both.pq"  # Parquet under another name
    frame[::-1].to_parquet(path)
    mapping = make_mapping(list(rows(1)[0]), {"picture": None}, needs_picture=False)
    source = PairsImport(write_table(rows(N)), [], mapping, embeddings=(path, path))
    report = run_import(source, ImportSettings("own", root=tmp_path / "data"))
    assert report.examples[LEFT_OUT] == ["both.pq: id"]
    assert_rows_are_right(tmp_path, ids_of(rows(N)))
    texts = read_matrix(tmp_path / "data" / "own" / "features" / "own" / "texts.npy")
    np.testing.assert_array_equal(texts, B)


@pytest.mark.parametrize("name", ["m.csv", "m.npz"])
def test_other_files_are_told_what_to_write(tmp_path, name):
    NAMED.to_csv(tmp_path / "m.csv")
    np.savez(tmp_path / "m.npz", A=A)
    with pytest.raises(DataError, match=rf"{name} is .*numpy\.save"):
        read_matrix(tmp_path / name)
