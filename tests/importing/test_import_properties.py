"""Whatever a stranger's table holds: it is taken in, with counts that add up, or refused in one
sentence that leaves nothing behind."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rivae.base.errors import ConfigError, DataError, RivaeError
from rivae.base.reading.tables import InputTable
from rivae.data.importing import (
    ImportReport,
    ImportSettings,
    PairsImport,
    Recipe1MImport,
    run_import,
)
from rivae.data.importing.mapping import make_mapping
from rivae.data.importing.picture_files import PictureFiles
from rivae.data.importing.pictures import stored_picture
from rivae.data.importing.plan import columns_of
from rivae.data.importing.report import UnusableError
from rivae.data.store import Manifest, PairStore
from rivae.data.store.features import read_matrix
from tests.importing.conftest import jpeg

N = 32  # sound records around the strange ones
COLUMNS = ("id", "title", "ingredients", "instructions", "tags", "url", "heat")
# Any code point, halves of characters and control characters included.
texts = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["\ud800", "\udc80a", "\x00", "[1, 2", '["a", ["b"]]', "[" * 300, "1e400", "9" * 400, "\r\n"]
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.sampled_from([10**400, -(10**20), 1e308]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
strange = st.dictionaries(st.sampled_from(COLUMNS) | texts, values, max_size=5)


def sound(i: int) -> dict[str, Any]:
    return {
        "id": f"d{i}",
        "title": f"Dish {i}",
        "ingredients": "water|salt",
        "instructions": "Stir.",
        "tags": "",
        "url": "",
        "heat": str(i % 3),
    }


def source_of(table: Path) -> PairsImport:
    columns = columns_of(InputTable(table).preview())
    factors = tuple(c for c in ("heat",) if c in columns)
    chosen = {"picture": None, "factors": factors}
    return PairsImport(table, [], make_mapping(columns, chosen, needs_picture=False))


def check(source: Any, root: Path) -> ImportReport | None:
    """Import from ``source()``; the report, or None when it was refused."""
    settings = ImportSettings("mine", root=root)
    try:
        report = run_import(source(), settings)
    except RivaeError as error:
        assert str(error) and "\n" not in str(error)[:-1]
        assert not root.exists()
        return None
    assert report.read == report.taken + sum(report.left_out.values())
    store = PairStore(root / "mine")
    found = list(store.recipes())
    assert len(found) == len(store) == report.taken
    for recipe in found:
        said = (recipe.id, recipe.title, recipe.url, *recipe.ingredients, *recipe.tags)
        assert all(text.encode() is not None and "\0" not in text for text in said)
    assert store.manifest.report == report.to_dict()
    assert run_import(source(), ImportSettings("dry", root=root), dry_run=True) == report
    assert [path.name for path in root.iterdir()] == ["mine"]
    return report


def check_table(name: str, content: bytes) -> ImportReport | None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / name
        table.write_bytes(content)
        return check(lambda: source_of(table), Path(folder) / "data")


@pytest.mark.slow
@given(st.lists(strange.map(json.dumps).map(str.encode) | st.binary(max_size=40), max_size=5))
def test_json_lines_of_strangers(lines: list[bytes]) -> None:
    good = [json.dumps(sound(i)).encode() for i in range(N)]
    content = b"\n".join([*good[:16], *lines, *good[16:]])
    for name, data in (("t.jsonl", content), ("t.jsonl.gz", gzip.compress(content, 1))):
        report = check_table(name, data)
        assert report is None or report.taken >= N - 1  # one may end in another's half line


@given(st.lists(st.lists(texts, max_size=8) | st.binary(max_size=40), max_size=5))
def test_csv_of_strangers(lines: list[list[str] | bytes]) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(sound(i).values() for i in range(N))
    content = out.getvalue().encode()
    for line in lines:
        if not isinstance(line, bytes):
            row = io.StringIO()
            csv.writer(row).writerow(line)
            line = row.getvalue().encode("utf-8", "surrogatepass")
        content += line + b"\r\n"
    check_table("t.csv", content)


@given(st.binary(max_size=200), st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz"]))
def test_bytes_of_strangers(content: bytes, kind: str) -> None:
    assert check_table(f"t.{kind}", content) is None


arrow_columns = st.sampled_from(
    [
        (pa.string(), [b"plain", b"\xff\xfe", None, b"", b"\xed\xa0\x80"]),
        (pa.binary(), [b"plain", b"\xff", None]),
        (pa.list_(pa.string()), [[b"a", b"\xff"], [], None, [None]]),
        (pa.timestamp("us"), [0, 2**62, -(2**62), None]),
        (pa.timestamp("s", "Europe/Berlin"), [0, 2**40, -(2**45), None]),
        (pa.duration("s"), [0, 2**62, -(2**62), None]),
        (pa.duration("ns"), [1, 2**62, None]),
        (pa.date32(), [0, 2**31 - 1, -(2**31), None]),
        (pa.time64("ns"), [0, 86_399_999_999_999, None]),
        (pa.int64(), [0, -(2**63), 2**63 - 1, None]),
        (pa.float64(), [float("nan"), float("inf"), 1e308, None]),
        (pa.decimal128(38, 2), [None]),
        (pa.struct([("text", pa.string())]), [None]),
        (pa.map_(pa.string(), pa.int32()), [[("k", 1)], None]),
        (pa.dictionary(pa.int8(), pa.string()), [None]),
    ]
)


def arrow_array(kind: pa.DataType, cells: list[Any]) -> pa.Array:
    """Cells of ``kind``, also such that Arrow would not make of Python's own objects."""
    if kind == pa.string():
        return _as_text(pa.array(cells, pa.binary()))
    if kind == pa.list_(pa.string()):
        lists = pa.array(cells, pa.list_(pa.binary()))
        return pa.ListArray.from_arrays(lists.offsets, _as_text(lists.values))
    if pa.types.is_temporal(kind) and not pa.types.is_time(kind):
        width = pa.int32() if kind == pa.date32() else pa.int64()
        return pa.array(cells, width).view(kind)
    return pa.array(cells, kind)


def _as_text(column: pa.Array) -> pa.Array:
    return pa.Array.from_buffers(pa.string(), len(column), column.buffers())


@pytest.mark.slow
@given(
    st.dictionaries(st.sampled_from(COLUMNS + ("other", "é")), arrow_columns, max_size=4),
    st.randoms(use_true_random=False),
)
def test_parquet_of_strangers(columns: dict[str, Any], random: Any) -> None:
    arrays = {name: pa.array([row[name] for row in map(sound, range(N))]) for name in COLUMNS}
    for name, (kind, cells) in columns.items():
        arrays[name] = arrow_array(kind, [random.choice(cells) for _ in range(N)])
    out = io.BytesIO()
    pq.write_table(pa.table(arrays), out)
    whole = out.getvalue()
    report = check_table("t.parquet", whole)
    if not set(columns) & {"id", "title", "ingredients", "instructions"}:
        assert report is not None and report.taken == N
    damaged = bytearray(whole)
    damaged[random.randrange(4, len(whole) - 4)] ^= 1 + random.randrange(255)
    check_table("t.parquet", bytes(damaged))


@pytest.mark.slow
@given(st.lists(values | strange, max_size=4), st.binary(max_size=30), st.booleans())
def test_recipe1m_of_strangers(records: list[Any], tail: bytes, with_tail: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "recipe1m"
        place = root / "a" / "b" / "c" / "d"
        place.mkdir(parents=True)
        (place / "abcd.jpg").write_bytes(jpeg(1, (8, 8)))
        good = [
            {**sound(i), "ingredients": [{"text": "salt"}], "instructions": [{"text": "Stir"}]}
            for i in range(N)
        ]
        pictures = [{"id": f"d{i}", "images": [{"id": "abcd.jpg"}]} for i in range(N)]
        (root / "layer1.json").write_text(json.dumps(good + records))
        content = json.dumps(pictures + records).encode()
        (root / "layer2.json").write_bytes(content + tail if with_tail else content)
        check(lambda: Recipe1MImport(root), Path(folder) / "data")


@given(
    st.dictionaries(st.sampled_from(sorted(Manifest.model_fields)), values, max_size=4),
    st.binary(max_size=20),
    st.integers(0, 400),
)
def test_manifests_of_strangers(changes: dict[str, Any], bytes_in: bytes, place: int) -> None:
    sane = {
        "name": "m",
        "title": "M",
        "created": "2026",
        "n_items": 3,
        "chunks": [3],
        "picture_side": 64,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.json"
        content = json.dumps({**sane, **changes}).encode()
        for data in (content, content[:place] + bytes_in + content[place:]):
            path.write_bytes(data)
            try:
                assert sum(Manifest.read(path.parent).chunks) > 0
            except DataError as error:
                assert "import the data again" in str(error)


@given(st.sampled_from(["<f4", "<f8", "<i4", "|O", "<U3", "<m8[s]"]), st.data())
def test_matrices_of_strangers(kind: str, data: st.DataObject) -> None:
    numbers = st.integers(-3, 5) | st.sampled_from([10**6, 2**62, 10**30])
    shape = tuple(data.draw(st.lists(numbers, max_size=4)))
    header = data.draw(
        st.sampled_from(
            [
                f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}",
                f"{{'descr': {'[' * 150}, 'fortran_order': False, 'shape': (2, 2)}}",
                "[" * 5000,
                "{" + "-" * 5000 + "1}",
            ]
        )
    )
    head = header.encode().ljust(118) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.npy"
        path.write_bytes(content + np.ones(16, np.float32).tobytes())
        try:
            matrix = read_matrix(path)
        except DataError:
            return
        assert matrix.ndim == 2 and matrix.nbytes <= 64


def encoded(kind: str) -> bytes:
    """A small picture with tags, as kinds of files hold it."""
    image = Image.fromarray(np.arange(300, dtype=np.uint8).reshape(10, 10, 3))
    tags = Image.Exif()
    tags[0x0112], tags[0x010E] = 6, "a dish"
    if kind == "16 bit":
        kind, image = "PNG", Image.fromarray(np.arange(100, dtype=np.uint16).reshape(10, 10) * 655)
    out = io.BytesIO()
    more = {"save_all": True, "append_images": [image]} if kind in ("GIF", "WEBP") else {}
    image.save(out, kind, exif=tags.tobytes(), **more)
    return out.getvalue()


KINDS = {kind: encoded(kind) for kind in ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "16 bit")}


changed_bytes = st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 255)), max_size=4)


@given(st.sampled_from(sorted(KINDS)), changed_bytes, st.none() | st.integers(0, 900))
def test_pictures_of_strangers(kind: str, changes: list[tuple[int, int]], end: int | None) -> None:
    data = bytearray(KINDS[kind])
    for place, change in changes:
        data[place % len(data)] ^= change
    try:
        stored = stored_picture(bytes(data[:end]), 8)[0]
    except UnusableError:
        assert changes or end is not None
        return
    image = Image.open(io.BytesIO(stored))
    image.load()
    assert image.mode == "RGB" and max(image.size) <= 8 and image.getexif().get(0x0112, 1) == 1


@given(
    changed_bytes,
    st.sampled_from(
        [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    ),
)
def test_zips_of_strangers(changes: list[tuple[int, int]], packing: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as archive:
        archive.writestr("a/1.jpg", KINDS["BMP"])
        archive.writestr("../2.jpg", b"outside")
    data = bytearray(out.getvalue())
    for place, change in changes:
        data[place % len(data)] ^= change
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "z.zip"
        path.write_bytes(data)
        try:
            with PictureFiles([path]) as files:
                assert files.read("1.jpg").data == KINDS["BMP"]
        except (DataError, UnusableError):
            assert changes


@given(st.text(st.characters(), max_size=300))
def test_names_and_titles_are_checked_before_anything_is_read(text: str) -> None:
    settings = ImportSettings("mine", title=text)
    try:
        settings.check()
    except ConfigError:
        assert len(text) > 200
    else:
        assert len(text) <= 200 or len(" ".join(text.split())) <= 200
