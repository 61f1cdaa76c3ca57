"""The script that lets the property tests draw for long."""

import json

import pytest

from tests import fuzz

PROPERTY = """
from hypothesis import given, strategies as st

@given(st.integers(0, 10_000))
def test_small(n):
    assert n < {limit}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "status"), [(10_001, 0), (4_321, 1)])
def test_it_counts_what_it_drew_and_shows_what_fails(tmp_path, capsys, limit, status):
    file = tmp_path / "test_properties.py"
    file.write_text(PROPERTY.format(limit=limit))
    kept = tmp_path / "figures.json"
    line = [str(file), "--minutes", ".001", "--examples", "300", "--json", str(kept)]
    assert fuzz.main(line) == status
    figures, said = json.loads(kept.read_text()), capsys.readouterr().out
    assert figures["failed"] == bool(status)
    if status:
        assert "n=4321" in said.replace(" ", "")
        assert "--seed" in said
    else:
        assert list(figures["examples"].values()) == [100]  # no conftest there
        assert figures["peak_memory_mb"] > 10
        assert "100 examples of 1 properties in 1 rounds" in kept.with_suffix(".md").read_text()


def test_nothing_to_draw_is_said(tmp_path, capsys):
    (tmp_path / "test_none.py").write_text("def test_plain():\n    assert True\n")
    assert fuzz.main([str(tmp_path), "--minutes", ".001"]) == 2
    assert "no property tests" in capsys.readouterr().out
