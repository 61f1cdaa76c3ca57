"""Tables in many files: tars of samples, and folders of tars or Parquet."""

import errno
import gzip
import io
import itertools
import json
import os
import random
import tarfile
from collections import Counter

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from rivae.base.errors import DataError, WorkStoppedError
from rivae.base.reading.shards import DAMAGED, NOT_READ, SPLIT, WORD_IS_SPLIT
from rivae.base.reading.tables import Broken, InputTable
from rivae.base.reading.tar_rows import KEY, MAX_MEMBER
from rivae.cli.main import main
from rivae.data.importing import run_import
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import ImportCancelledError
from rivae.data.store import PairStore

BLOCK = tarfile.BLOCKSIZE


def tar_bytes(members):
    """A tar of (name, bytes), or of headers as they are."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, content in members:
            header = tarfile.TarInfo(name)
            header.size = len(content)
            tar.addfile(header, io.BytesIO(content))
    return stream.getvalue()


def picture(n):
    stream = io.BytesIO()
    Image.new("RGB", (40, 40), (n % 256, 7 * n % 256, 99)).save(stream, "PNG")
    return stream.getvalue()


def sample(n, **fields):
    """The members of a sample as img2dataset writes them."""
    about = {"caption": f"Soup number {n}", "key": f"{n:09d}", "depth": n % 3, **fields}
    yield f"{n:09d}.png", picture(n)
    yield f"{n:09d}.txt", f"Soup number {n}".encode()
    yield f"{n:09d}.json", json.dumps(about).encode()


def tar_of(numbers):
    return tar_bytes([member for n in numbers for member in sample(n)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Four tars of twelve pairs, with img2dataset's own tables beside them."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    place = tmp_path / "shards"
    place.mkdir()
    for shard in range(4):
        numbers = range(12 * shard, 12 * shard + 12)
        (place / f"{shard + 8}.tar").write_bytes(tar_of(numbers))  # 8, 9, 10, 11
        pd.DataFrame({"key": [*numbers]}).to_parquet(place / f"{shard + 8}.parquet")
        (place / f"{shard + 8}_stats.json").write_text("{}")
    return place


def imported(place, name="soups", **options):
    plan = Plan(table=place, name=name, **options)
    report = run_import(plan.source(), plan.settings())
    return report, PairStore(plan.settings().folder)


def contents(store):
    return [(store.recipe(i), store.picture_bytes(i)) for i in range(len(store))]


def test_a_folder_of_tars_is_one_table_in_the_order_of_the_numbers(folder):
    report, store = imported(folder, factors=("depth",))
    assert [store.recipe(i).title for i in range(48)] == [f"Soup number {n}" for n in range(48)]
    assert store.factors[:, 0].tolist() == [n % 3 for n in range(48)]
    assert store.recipe(7).id == "000000007"
    notes = str(report.to_dict())
    assert "4 files are read as one table" in notes and NOT_READ in notes


def test_packed_or_written_as_parquet_it_is_the_same(folder, tmp_path):
    _, store = imported(folder)
    for name in ("packed", "tables"):
        (tmp_path / name).mkdir()
    for path in folder.glob("*.tar"):
        data = path.read_bytes()
        (tmp_path / "packed" / f"{path.name}.gz").write_bytes(gzip.compress(data))
        records = [row for row in InputTable(path).rows() if not isinstance(row, Broken)]
        pd.DataFrame(records).to_parquet(tmp_path / "tables" / f"{path.stem}.parquet")
    for name in ("packed", "tables"):
        _, other = imported(tmp_path / name, name)
        assert contents(other) == contents(store)


def test_stopped_in_the_middle_it_goes_on(folder):
    plan = Plan(table=folder, name="soups")

    def stop(words, share):
        if share > 0.6:
            raise ImportCancelledError

    with pytest.raises(ImportCancelledError):
        run_import(plan.source(), plan.settings(), progress=stop)
    _, store = imported(folder)
    assert contents(store) == contents(imported(folder, "whole")[1])


def test_names_that_begin_with_other_words_are_the_split(folder, tmp_path):
    for n, word in enumerate(("train", "train", "validation", "test")):
        (folder / f"{n + 8}.tar").rename(folder / f"{word}-{n:05d}.tar")
    report, store = imported(folder)
    assert Counter(store.column("partition")) == {"train": 24, "validation": 12, "test": 12}
    assert WORD_IS_SPLIT in str(report.to_dict())


def test_words_that_name_no_parts_make_no_split(folder):
    for n, word in enumerate(("cats", "cats", "dogs", "dogs")):
        (folder / f"{n + 8}.tar").rename(folder / f"{word}-{n:05d}.tar")
    report, store = imported(folder)
    assert len(store) == 48 and not any(store.column("partition"))
    assert SPLIT in " ".join(report.columns)


def test_a_damaged_file_is_refused_or_left_out_as_asked(folder, capsys):
    broken = folder / "9.tar"
    broken.write_bytes(broken.read_bytes()[: 7 * 4 * BLOCK])
    command = ["import", str(folder), "--name", "soups"]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert "9.tar" in said and "--leave-out-damaged" in said
    assert main([*command, "--leave-out-damaged"]) == 0
    said = capsys.readouterr().out
    assert DAMAGED in said and "9.tar" in said and "40 usable pairs" in said


@pytest.mark.parametrize("ending", [".tar", ".parquet"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ETIMEDOUT])
def test_a_disk_that_fails_is_no_damage(folder, monkeypatch, ending, number):
    """Nothing is left out because a network folder was away for a moment."""
    if ending == ".parquet":
        for path in [*folder.glob("*.tar")]:
            path.unlink()
        failing = fails_in(pq.ParquetFile.iter_batches, number)
        monkeypatch.setattr(pq.ParquetFile, "iter_batches", failing)
    else:
        monkeypatch.setattr(tarfile.TarFile, "next", fails_in(tarfile.TarFile.next, number))
    table = InputTable(folder, leaves_out_damaged=True)
    with pytest.raises(WorkStoppedError, match="resumes"):
        list(table.rows())


def fails_in(function, number):
    """What ``function`` does twice, and then an error of the disk."""
    calls = itertools.count()

    def failing(*args, **options):
        if next(calls) == 2:
            raise OSError(number, os.strerror(number))
        return function(*args, **options)

    return failing


def test_another_folder_is_refused_by_one_sentence(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("title,image\nx,y.png\n")
    assert main(["import", str(tmp_path), "--name", "soups"]) == 1
    assert "give the table itself" in capsys.readouterr().err


# Tars of any content

ENDINGS = st.sampled_from(["png", "txt", "json", "seg.png", "cls", "JPG", "a.b.c"])
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20)
VALUES = st.one_of(
    TEXTS.map(str.encode),
    st.binary(max_size=3 * BLOCK),
    st.dictionaries(TEXTS, st.one_of(st.integers(0, 99), TEXTS), max_size=3).map(
        lambda fields: json.dumps(fields).encode()
    ),
)
SAMPLES = st.lists(st.dictionaries(ENDINGS, VALUES, min_size=1, max_size=4), max_size=6)


def members_of(samples):
    return [(f"k/{n}.{end}", v) for n, one in enumerate(samples) for end, v in one.items()]


def read(path, content):
    path.write_bytes(content)
    return [*InputTable(path).rows()]


@settings(max_examples=60, deadline=None)
@given(samples=SAMPLES, packed=st.booleans())
def test_any_sample_is_read_or_named(tmp_path_factory, samples, packed):
    path = tmp_path_factory.mktemp("any") / "a.tar"
    content = tar_bytes(members_of(samples))
    try:
        found = read(path, gzip.compress(content) if packed else content)
    except DataError as error:
        assert "are broken" in str(error)
        return
    assert len(found) == len(samples)
    for n, (row, files) in enumerate(zip(found, samples, strict=True)):
        if isinstance(row, Broken):
            assert row.line == n + 1 and "json" in files
            continue
        assert row[KEY] == f"k/{n}"
        for ending, content in files.items():
            if ending != "json":
                cell = row[ending.lower()]
                assert cell == content or cell.encode() == content.removeprefix(b"\xef\xbb\xbf")
    assert set(InputTable(path).columns()) == {
        c for row in found if isinstance(row, dict) for c in row
    }


@settings(max_examples=60, deadline=None)
@given(samples=SAMPLES, share=st.floats(0, 1))
def test_what_is_cut_off_is_refused_or_whole(tmp_path_factory, samples, share):
    """Never fewer samples without a word; what comes before the cut is as it was."""
    path = tmp_path_factory.mktemp("cut") / "a.tar"
    samples = [{"txt": b"x", **{e: v for e, v in s.items() if e != "json"}} for s in samples]
    content = tar_bytes(members_of(samples))
    whole = read(path, content)
    path.write_bytes(content[: int(share * len(content))])
    before = []
    try:
        before.extend(InputTable(path).rows())
    except DataError:
        assert before == whole[: len(before)]
    else:
        assert before == whole


@pytest.mark.parametrize("byte", [0, 100, 124, 148, 156])
def test_a_damaged_header_is_not_the_end(tmp_path, byte):
    content = bytearray(tar_of(range(9)))
    place = next(i for i in range(0, len(content), BLOCK) if content[i:].startswith(b"000000004.t"))
    content[place + byte] ^= 0x55
    with pytest.raises(DataError, match=r"a\.tar"):
        read(tmp_path / "a.tar", bytes(content))


def test_hostile_members(tmp_path):
    link = tarfile.TarInfo("1.txt")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    huge = tarfile.TarInfo("2.png")
    huge.size = MAX_MEMBER + 1
    names = tarfile.TarInfo("3.txt")
    names.type, names.size = tarfile.GNUTYPE_LONGNAME, 2**32
    outside = tar_bytes([("../../x.txt", b"up"), ("/abs.txt", b"abs"), ("._1.txt", b"mac")])
    found = read(tmp_path / "a.tar", outside)
    assert [row[KEY] for row in found] == ["../../x", "abs"]
    assert not any((tmp_path.parent / name).exists() for name in ("x.txt", "x"))
    assert read(tmp_path / "b.tar", link.tobuf() + tar_bytes([("1.txt", b"own")])) == [
        {KEY: "1", "txt": "own"}
    ]
    with pytest.raises(DataError, match="end"):  # cut off where its content would be
        read(tmp_path / "c.tar", huge.tobuf())
    with pytest.raises(DataError, match="too large a size"):
        read(tmp_path / "d.tar", names.tobuf(tarfile.GNU_FORMAT) + bytes(BLOCK))
    with pytest.raises(DataError, match="tar"):
        read(tmp_path / "e.tar", random.Random(0).randbytes(5 * BLOCK))
    with pytest.raises(DataError, match="tar"):
        read(tmp_path / "f.tar", gzip.compress(bytes(3))[:-4])


def test_a_file_that_is_too_large_breaks_its_sample_only(tmp_path, monkeypatch):
    monkeypatch.setattr("rivae.base.reading.tar_rows.MAX_MEMBER", 2000)
    members = [*sample(0), ("000000001.png", bytes(2001)), *sample(2)]
    first, second, third = read(tmp_path / "a.tar", tar_bytes(members))
    assert isinstance(second, Broken) and "000000001.png" in second.detail
    assert first["caption"] == "Soup number 0" and third["caption"] == "Soup number 2"
