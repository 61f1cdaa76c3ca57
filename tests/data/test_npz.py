import io
import zipfile

import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.data.npz import NpzFile

KINDS = {"kinds": "fiu", "item_shape": (3,), "max_bytes": 1 << 20}


def save(path, **arrays):
    np.savez_compressed(path, **arrays)
    return path


def test_arrays_and_chosen_rows_come_back(tmp_path):
    a = np.arange(30_000.0).reshape(-1, 3)
    file = NpzFile(save(tmp_path / "a.npz", a=a, b=a.astype(">i4")))
    np.testing.assert_array_equal(file.array("a", **KINDS), a)
    np.testing.assert_array_equal(file.array("b", **KINDS), a)
    chosen = np.random.default_rng(0).random(10_000) < 0.1
    np.testing.assert_array_equal(file.rows("a", chosen, **KINDS), a[chosen])
    columns = NpzFile(save(tmp_path / "f.npz", a=np.asfortranarray(a)))
    np.testing.assert_array_equal(columns.array("a", **KINDS), a)
    np.testing.assert_array_equal(columns.rows("a", chosen, **KINDS), a[chosen])
    assert file.shape("a", kinds="f", item_shape=(3,)) == (10_000, 3)
    assert "a" in file and "c" not in file


def test_few_rows_of_a_large_array_need_little_memory(tmp_path):
    import tracemalloc

    large = np.zeros((40_000, 2000), np.uint8)
    large[-1] = 7
    path = save(tmp_path / "a.npz", a=large)
    chosen = np.arange(len(large)) == len(large) - 1
    settings = {"kinds": "u", "item_shape": (2000,), "max_bytes": 10_000}
    tracemalloc.start()
    kept = NpzFile(path).rows("a", chosen, **settings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (kept == 7).all() and kept.shape == (1, 2000)
    assert peak < large.nbytes / 2
    with pytest.raises(DataError, match="needs 76 MiB"):
        NpzFile(path).array("a", **settings)


def member(data, name="a.npy", compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


def header(text):
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def described(shape, descr="'<f8'", order="False"):
    return header(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not an .npz file"),
        (b"not a zip at all" * 10, "not an .npz file"),
        (member(b"", "b.npy"), "holds no array 'a'"),
        (member(b"plain text"), "is not an array"),
        (member(described("(2, 3)", "'|O'") + bytes(48)), "unexpected type object"),
        (member(described("(2, 3)", "'<U4'") + bytes(48)), "unexpected type <U4"),
        (member(described("(2, 4)") + bytes(64)), r"has shape \(2, 4\), not \('N', 3\)"),
        (member(described("()") + bytes(8)), "has shape"),
        (member(described("(-1, 3)") + bytes(8)), "has shape"),
        (member(described("(2, 3)", order="True") + bytes(40)), "ends early"),
        (member(described("(2, 3)") + bytes(40)), "ends early"),
        (member(described("(9999999999999, 3)") + bytes(48)), "ends early"),
        (member(described("(100000, 3)") + bytes(2_400_000)), "needs 2 MiB"),  # a small bomb
        (member(header("{'shape': __import__('os').getcwd()}")), "is not an array"),
        (member(header("{'descr': '<f8'}")), "is not an array"),
    ],
    # A zip holds the time, and processes that test in parallel need the same names.
    ids=lambda value: value if isinstance(value, str) else "file",
)
def test_a_foreign_or_hostile_file_is_refused_by_name(tmp_path, data, reason):
    path = tmp_path / "own.npz"
    path.write_bytes(data)
    with pytest.raises(DataError, match=reason) as caught:
        NpzFile(path).array("a", **KINDS)
    assert "own.npz" in str(caught.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"none.npz"):
        NpzFile(tmp_path / "none.npz")


def test_random_damage_never_escapes_as_another_error(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((200, 3))
    good = save(tmp_path / "good.npz", a=a).read_bytes()
    path = tmp_path / "bad.npz"
    refused = 0
    for _ in range(400):
        bad = bytearray(good)
        if rng.random() < 0.3:
            bad = bad[: rng.integers(len(bad))]
        for _ in range(rng.integers(1, 4)):
            if bad:
                # the header and the directory are where damage does most
                position = rng.choice([rng.integers(len(bad)), rng.integers(min(len(bad), 90))])
                bad[position] = rng.integers(256)
        path.write_bytes(bytes(bad))
        try:
            np.testing.assert_array_equal(NpzFile(path).array("a", **KINDS), a)
        except DataError as error:
            assert "bad.npz" in str(error)
            refused += 1
    assert refused > 200


def test_a_pipe_in_place_of_a_file_is_refused_at_once(tmp_path):
    """Opening one would wait for a writer."""
    import os

    from rivae.data.sets.split_mnist import read_idx
    from rivae.data.word_vectors import read_word2vec

    os.mkfifo(tmp_path / "pipe")
    for read in (
        lambda path: read_idx(path, 1),
        lambda path: read_word2vec(path, ["a"], 2),
        NpzFile,
    ):
        with pytest.raises(DataError, match=r"no plain file|is not a file|cannot be read"):
            read(tmp_path / "pipe")
