"""The file of added axes: what is written is read, and what is damaged is one sentence."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import ConfigError, DataError, RunError
from rivae.runs import added_axes as module
from rivae.runs.added_axes import (
    ADDED_AXES,
    AddedAxis,
    AxisScore,
    AxisSpec,
    SharedAxis,
    added_axes,
    change_added,
    find_added,
    read_added_axes,
    remove_added,
)

AXIS = AddedAxis(
    "a1",
    "sweet",
    ("savory", "dessert"),
    (1.0, 0.0),
    0.5,
    (1.0, 2.0),
    AxisSpec("labels", "sweet", "salt", levels=(("ar_1", 2.0), ("ar_2", 5.0))),
    (AxisScore("first", 0.5, 0.1, 0.4, 0.6, 90),),
    (SharedAxis("z1", "dessert", 0.8),),
    "no text has savoury",
    "2026-11-27T17:00:00+00:00",
)


@pytest.fixture
def run(bare_run):
    return bare_run


def add(run, *axes):
    return change_added(run, lambda old, new: [*old, *(replace(a, id=new()) for a in axes)])


def test_what_is_written_is_read(run):
    assert added_axes(run) == ()
    assert add(run, AXIS) == added_axes(run, 2) == (AXIS,)
    z = np.array([[1.0, 2.0], [0.0, 0.0]])
    np.testing.assert_allclose(AXIS.at(z), [1.5, 0.5])
    np.testing.assert_allclose(AXIS.at(AXIS.moved(z, 7)), [7, 7])


def test_an_id_is_never_given_again(run):
    add(run, AXIS, AXIS)
    assert remove_added(run, "a2").id == "a2"
    assert [axis.id for axis in add(run, AXIS)] == ["a1", "a3"]
    with pytest.raises(ConfigError, match=r"'a2'.*a1 \(sweet\), a3"):
        find_added(added_axes(run), "a2")
    with pytest.raises(ConfigError, match=r"x{30}"):
        remove_added(run, "x" * 500)


def test_axes_of_another_model_or_other_data(run):
    add(run, AXIS)
    with pytest.raises(DataError, match="not fit"):
        added_axes(run, 3)
    run.data_change = "the data were replaced"
    assert added_axes(run) == ()
    with pytest.raises(RunError, match="replaced"):
        add(run, AXIS)
    run.data_change, run.model_key = "", "m2"
    with pytest.raises(DataError, match=r"another model.*delete"):
        added_axes(run)
    with pytest.raises(DataError, match="another model"):
        add(run, AXIS)


def test_there_is_a_most(run):
    add(run, *[AXIS] * module.MAX_ADDED)
    with pytest.raises(ConfigError, match="200"):
        add(run, AXIS)
    assert len(added_axes(run)) == module.MAX_ADDED


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["axes"][0].update(id="b1"), "id"),
        (lambda d: d["axes"].append(d["axes"][0]), "one id"),
        (lambda d: d.update(next=1), "one id"),
        (lambda d: d["axes"][0].update(reads=[1.0]), "does not fit"),
        (lambda d: d["axes"][0].update(moves=[0.0, 1.0]), "own reading"),
        (lambda d: d["axes"][0].update(name=""), "name"),
        (lambda d: d["axes"][0].update(name="x\ny"), "one line"),
        (lambda d: d["axes"][0].update(offset="1"), "offset"),
        (lambda d: d["axes"][0].update(extra=1), "extra"),
        (lambda d: d["axes"][0]["spec"].update(kind="magic"), "kind"),
        (lambda d: d["axes"][0]["scores"][0].update(score=2), "score"),
        (lambda d: d.update(version=2), "version"),
    ],
)
def test_a_damaged_file_is_one_sentence(run, change, says):
    add(run, AXIS)
    path = run.path / ADDED_AXES
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=rf"added_axes.json is damaged \(.*{says}.*delete it"):
        added_axes(run)
    with pytest.raises(DataError, match="damaged"):
        add(run, AXIS)
    assert json.loads(path.read_text()) == document  # it is not lost


@given(st.binary(max_size=200))
def test_any_bytes_are_axes_or_one_sentence(content):
    with pytest.raises(DataError, match=ADDED_AXES):
        read_added_axes(content)


@given(st.integers(0, 10**6), st.data())
def test_a_cut_or_changed_file_never_crashes(at, data):
    content = bytearray(
        json.dumps({"version": 1, "model": "m", "next": 2, "axes": [AXIS.document()]}).encode()
    )
    at %= len(content)
    if data.draw(st.booleans()):
        content = content[:at]
    else:
        content[at] = data.draw(st.integers(0, 255))
    try:
        axes = read_added_axes(bytes(content))
    except DataError as error:
        assert ADDED_AXES in str(error)
    else:
        assert len(axes) <= 1


def test_a_file_that_is_too_large_is_not_read():
    with pytest.raises(DataError, match="more than"):
        read_added_axes(b" " * (module.MAX_BYTES + 1))
