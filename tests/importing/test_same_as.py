"""An import that read its table by other rules is found, and not taken in silence."""

from __future__ import annotations

import argparse

import pytest

from rivae.cli import own
from rivae.cli.common import Steps
from rivae.data.importing import run_import, session
from rivae.data.importing.once import OLDER_RULES
from rivae.data.importing.plan import Plan
from rivae.data.importing.session import is_read_as_now, same_as
from tests.importing.conftest import rows


@pytest.fixture
def by_older_rules(tmp_path, pictures, write_table, monkeypatch):
    """A plan, whose table was imported as "old" before rules were numbered."""
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    plan = Plan(table=write_table(rows()), images=(pictures,), name="old")
    now = session._fingerprint

    def before(*args):
        return {key: said for key, said in now(*args).items() if key not in session._SINCE_RULES}

    with monkeypatch.context() as patch:
        patch.setattr(session, "_fingerprint", before)
        run_import(plan.source(), plan.settings())
    return plan


def test_rules_are_part_of_what_an_import_is_made_of(tmp_path, by_older_rules):
    plan = by_older_rules
    old = same_as(plan.source(), plan.settings())
    assert old == tmp_path / "data" / "old"
    assert not is_read_as_now(plan.source(), plan.settings(), old)
    again = plan.model_copy(update={"name": "new"})
    run_import(again.source(), again.settings())
    new = same_as(plan.source(), plan.settings())
    assert new == tmp_path / "data" / "new", "that was read by today's rules"
    assert is_read_as_now(plan.source(), plan.settings(), new)


@pytest.mark.parametrize(("name", "made"), [("", "old"), ("old", "old"), ("new", "new")])
def test_open_says_it_and_imports_again_where_a_new_name_is_given(
    by_older_rules, capsys, name, made
):
    parser = argparse.ArgumentParser()
    own.add_commands(parser.add_subparsers())
    line = ["open", str(by_older_rules.table), "--images", str(by_older_rules.images[0])]
    args = parser.parse_args([*line, "--name", name])
    with Steps("open", "opening") as steps:
        assert own._imported(args, steps).name == made
    said = capsys.readouterr().err
    assert (OLDER_RULES.format("old") in said) == (made == "old")
