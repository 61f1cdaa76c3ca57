import json

import pytest

from rivae.errors import DataError
from rivae.words.names_file import MAX_BYTES, read_names, to_json, write_names
from rivae.words.naming import AxisName, Evidence

NAMES = (
    AxisName(0, "greenness: more kale", 1, (Evidence("kale", "word", 0.6, 1.2, 1e-9),)),
    AxisName(3, "<b>meine Suppe</b>", -1, (), edited=True),
)


def test_written_and_read_again(tmp_path):
    write_names(tmp_path / "names.json", reversed(NAMES))
    assert read_names(tmp_path / "names.json", 4) == NAMES
    assert read_names((tmp_path / "names.json").read_bytes(), 4) == NAMES


def changed(**changes):
    content = json.loads(json.dumps(to_json(NAMES)))
    content["axes"][0].update(changes)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"{}",
        b'{"version": 2, "axes": []}',
        b"[" * 100_000,
        b'{"version": 1, "axes": [], "more": 1}',
        b"\xff\xfe",
        changed(name=""),
        changed(name="  "),
        changed(name="x" * 61),
        changed(name="two\nlines"),
        changed(name=7),
        changed(dim=-1),
        changed(dim="0"),
        changed(dim=1.5),
        changed(direction=0),
        changed(edited="yes"),
        changed(extra=1),
        changed(evidence=[{"term": "a"}]),
        changed(evidence=[{"term": "a", "kind": "word", "strength": 7, "shift": 0, "p": 0}]),
        changed(evidence=[to_json(NAMES)["axes"][0]["evidence"][0]] * 100),
    ],
)
def test_a_file_of_another_form_is_refused_in_one_sentence(content):
    with pytest.raises(DataError, match="no axis names") as error:
        read_names(content, 4)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_limits_of_the_file_and_the_model(tmp_path):
    with pytest.raises(DataError, match="at most"):
        read_names(b" " * (MAX_BYTES + 1), 4)
    with pytest.raises(DataError, match="axis 4 but the model has 3"):
        read_names(json.dumps(to_json(NAMES)).encode(), 3)
    with pytest.raises(DataError, match="twice"):
        read_names(changed(dim=3), 4)
    with pytest.raises(DataError, match="cannot be read"):
        read_names(tmp_path / "missing.json", 3)
