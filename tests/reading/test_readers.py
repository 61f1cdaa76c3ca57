"""The readers of strangers' files: what they take, and what they refuse before it costs."""

from __future__ import annotations

import io
import json
import math
import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from safetensors.torch import save

from rivae.base.errors import DataError
from rivae.base.reading.documents import parse_json, read_form, read_json
from rivae.base.reading.json_records import json_lines
from rivae.base.reading.regular import open_regular, read_at_most
from rivae.base.reading.weights import load_weights, read_header

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(10**299), 10**299)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=20,
)


# plain files


def test_only_plain_files_are_opened(tmp_path: Path) -> None:
    plain, pipe, link, zero = (tmp_path / name for name in ("plain", "pipe", "link", "zero"))
    plain.write_bytes(b"abc")
    os.mkfifo(pipe)
    link.symlink_to(plain)
    zero.symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path in (pipe, zero, tmp_path, tmp_path / "socket", Path("/dev/null")):
            with pytest.raises(OSError, match="plain file"):
                open_regular(path)
    assert read_at_most(plain, 3) == read_at_most(link, 3) == b"abc"
    assert read_at_most(plain, 2) is None
    with pytest.raises(OSError, match="plain file"):
        open_regular(link, follow=False)


# documents


@given(JSON)
def test_json_is_read_as_python_reads_it(value: Any) -> None:
    text = json.dumps(value)
    assert repr(parse_json(text)) == repr(json.loads(text))
    assert repr(parse_json(text.encode(), mend=True)) == repr(json.loads(text))


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_text_is_json_or_refused(text: str | bytes) -> None:
    for mend in (False, True):
        try:
            json.dumps(parse_json(text, mend=mend), allow_nan=False).encode()
        except DataError as error:
            assert len(str(error)) < 200


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 1000 + b"]" * 1000,
        b"9" * 5000,
        b"9" * 400,
        b"1e400",
        b"[-1e0400]",
        b"9" * 290 + b"e99",
        b"NaN",
        b'"\\ud800"',
        '"\ud800"',
        b'"\xff"',
        b"",
    ],
    ids=lambda text: ascii(text[:10]),
)
def test_a_json_text_out_of_bounds_is_refused(text: str | bytes) -> None:
    with pytest.raises(DataError):
        parse_json(text)


def test_what_json_cannot_hold_is_taken_on_request() -> None:
    assert math.isnan(parse_json("NaN", nan=True))
    assert parse_json("[-Infinity, 1e400]", nan=True) == [-math.inf, math.inf]
    with pytest.raises(DataError):
        parse_json(b"9" * 400, nan=True)
    # Half of a character is mended; a whole one in two halves, and a backslash before it, stay.
    text = b'["\\ud800", "\\ud83d\\ude00", "\\\\ud800", "\\udc00\\u0041", "\xff"]'
    assert parse_json(text, mend=True) == ["�", "😀", "\\ud800", "�A", "�"]
    assert parse_json('"\ud800 a"', mend=True)[-2:] == " a"


class _Form(BaseModel):
    version: int
    value: Any = None


def test_a_document_is_refused_by_its_own_sentence(tmp_path: Path) -> None:
    path = tmp_path / "form.json"
    said = {"too_large": "too large", "foreign": "foreign: {problem}", "unreadable": "unreadable"}
    path.write_bytes(b'\xef\xbb\xbf{"version": 1, "value": [1, {"a": null}]}')
    assert read_form(_Form, path, 1000, **said).value == [1, {"a": None}]
    for content, expected in [
        (b'{"version": "x"}', "foreign: version: "),
        (b'{"version": 1, "value": 1e999}', "foreign: the file: Invalid JSON: a number"),
        (b'{"version": 1, "value": "\\ud800"}', "foreign: the file: Invalid JSON: "),
        (b" " * 2000, "too large"),
    ]:
        path.write_bytes(content)
        for source in (path, content):
            with pytest.raises(DataError, match=f"^{expected}"):
                read_form(_Form, source, 1000, **said)
    with pytest.raises(DataError, match="larger than 1,000 bytes"):
        read_json(path, 1000)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DataError, match="unreadable"):
        read_form(_Form, path, 1000, **said)
    with pytest.raises(DataError, match=r"form.json cannot be read \(it is not a plain file\)"):
        read_json(path)
    with pytest.raises(DataError, match=r"a.b cannot"):
        read_json(tmp_path / "a\0b")


# lines


def _lines(content: bytes, **limits: Any) -> tuple[list[tuple[int, Any]], list[int]]:
    broken: list[int] = []
    found = json_lines(io.BytesIO(content), on_broken=lambda n, _: broken.append(n), **limits)
    return list(found), broken


def test_lines_are_read_beside_broken_ones(tmp_path: Path) -> None:
    content = b'{"a": 1}\n\n{"a": \nNaN\n[2]' + b" " * 100 + b"\n[3]"
    assert _lines(content, max_line=50) == ([(1, {"a": 1}), (6, [3])], [3, 4, 5])
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match="line 3 is no JSON: "):
        list(json_lines(path))
    text = io.StringIO('{"ü": 1}\n"x"')
    assert list(json_lines(text)) == [(1, {"ü": 1}), (2, "x")]


def test_lines_are_counted_while_they_are_read() -> None:
    class Endless(io.RawIOBase):
        """A stream without an end: whoever reads it whole never comes back."""

        def __init__(self, block: bytes) -> None:
            self.block = block

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            n = min(len(buffer), len(self.block))
            buffer[:n] = self.block[:n]
            return n

    def first(block: bytes, **limits: Any) -> str:
        stream = io.BufferedReader(Endless(block))
        with pytest.raises(DataError) as refused:
            for _ in json_lines(stream, name="x.jsonl", **limits):
                pass
        return str(refused.value)

    assert first(b"\n") == "x.jsonl has more than 10,000 empty lines"
    assert first(b"1\n", max_lines=1000) == "x.jsonl has more than 1,000 lines"
    passed: list[int] = []
    assert "100 lines" in first(b"x\n", max_lines=100, on_broken=lambda n, _: passed.append(n))
    assert passed == list(range(1, 101))


@given(st.lists(JSON.map(json.dumps) | st.text(max_size=20), max_size=10))
def test_every_whole_line_comes_back(lines: list[str]) -> None:
    content = "\n".join(lines).encode("utf-8", "replace")
    found, broken = _lines(content)
    there = content.split(b"\n")
    empty = sum(not line.strip() for line in there)
    assert len(found) + len(broken) + empty == len(there) or not there[-1]
    for number, value in found:
        assert repr(value) == repr(json.loads(there[number - 1]))


# weights


def _weights(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    return path


def _headed(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_weights_are_read_as_they_were_saved(tmp_path: Path) -> None:
    tensors = {"a.b": torch.arange(6.0).reshape(2, 3), "n": torch.tensor(3), "none": torch.ones(0)}
    path = _weights(tmp_path, save(tensors, metadata={"state": "{}"}))
    header = read_header(path)
    assert header.shapes == {"a.b": (2, 3), "n": (), "none": (0,)}
    assert header.types["n"] == "I64"
    assert header.metadata == {"state": "{}"}
    found = load_weights(path, tensors)
    assert all(torch.equal(found[name], value) for name, value in tensors.items())
    with pytest.raises(DataError, match="another model"):
        load_weights(path, {**tensors, "n": torch.ones(2)})
    with pytest.raises(DataError, match="larger than 10 bytes"):
        load_weights(path, max_bytes=10)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 7,
        (2**40).to_bytes(8, "little") + b"{}",
        _headed(b"[]"),
        _headed(b"{" * 1000),
        _headed({"a": 1}),
        _headed({"a": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}),
        _headed({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}, b"1234"),
        _headed({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [4, 0]}}, b"1234"),
        _headed({"a": {"dtype": "P7", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
        _headed({"a": {"dtype": "F32", "shape": [1e0], "data_offsets": [0, 4]}}, b"1234"),
        _headed({"a": {"dtype": ["F32"], "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
        # Two names for the same bytes: a small file that grows when it is read.
        _headed(
            {name: {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]} for name in "ab"}, b"1234"
        ),
        _headed({"__metadata__": {"a": 1}}),
        _headed(
            {f"t{i}": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for i in range(20_001)}
        ),
        save({"a": torch.ones(100)})[:-1],
    ],
    ids=lambda content: str(content[:60]),
)
def test_weights_that_are_none_are_refused(tmp_path: Path, content: bytes) -> None:
    path = _weights(tmp_path, content)
    with pytest.raises(DataError, match=r"^model.safetensors (holds|is cut off)"):
        load_weights(path)


def test_weights_are_read_out_of_plain_files_only(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="plain file"):
        load_weights(path)


@given(st.data())
def test_damaged_weights_are_refused_or_read(data: st.DataObject) -> None:
    import tempfile

    content = bytearray(save({"a": torch.ones(3), "b": torch.zeros(2, 2)}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = _weights(Path(folder), bytes(content))
        try:
            tensors = load_weights(path)
        except DataError:
            return
    assert sum(np.prod(t.shape) for t in tensors.values()) <= len(content)
