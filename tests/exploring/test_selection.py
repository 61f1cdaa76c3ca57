"""What tells chosen items from the others: shares of factors, and words."""

import numpy as np
import pytest

from rivae.exploring.explorer import Explorer
from rivae.exploring.selection import describe
from rivae.runs import DEMO_ROOT, Run


@pytest.fixture(scope="module")
def explorer():
    return Explorer.open(Run(DEMO_ROOT / "demo-kitchen"))


def factor(explorer, name):
    """The values of one factor of the items searched."""
    names = [spec.name for spec in explorer.data.factor_specs]
    return explorer.data.factors[explorer.search_rows, names.index(name)]


def test_the_factor_that_was_chosen_by_comes_first(explorer):
    sweet = explorer.search_rows[factor(explorer, "dessert") == 4]
    found = describe(explorer, sweet)
    assert (found.n, found.of) == (len(sweet), len(explorer.search_rows))
    first = found.factors[0]
    assert first.name == "dessert" and first.chosen == (0, 0, 0, 0, 1)
    share = len(sweet) / len(explorer.search_rows)
    assert first.everything[4] == pytest.approx(share, abs=1e-4)
    assert first.apart == pytest.approx(1 - share, abs=1e-3)
    assert all(f.apart >= g.apart for f, g in zip(found.factors, found.factors[1:], strict=False))
    for each in found.factors:
        assert sum(each.chosen) == pytest.approx(1, abs=1e-3)
        assert len(each.chosen) == len(each.everything) == len(each.labels)


def test_words_that_the_chosen_have_more_often_are_counted(explorer):
    rows = explorer.search_rows
    half = rows[: len(rows) // 2]
    sets = [("salt",)] * len(explorer.data)
    for i in half:
        sets[int(i)] = ("salt", "honey")
    for i in rows[len(rows) // 2 :]:
        sets[int(i)] = ("salt", "leek")
    found = describe(explorer, half, sets)
    assert [(t.word, t.chosen, t.rest) for t in found.more] == [("honey", len(half), 0)]
    assert [t.word for t in found.less] == ["leek"]
    everything = describe(explorer, rows, sets)
    assert everything.more == everything.less == () and everything.n == everything.of


def test_nothing_chosen_has_nothing_to_tell(explorer):
    found = describe(explorer, [], [("a",)] * len(explorer.data))
    assert found.n == 0 and found.factors == () and found.more == ()


def test_unknown_values_are_left_out(explorer, monkeypatch):
    factors = explorer.data.factors.astype(float)
    factors[explorer.search_rows[:100], 0] = np.nan
    monkeypatch.setattr(explorer.data, "factors", factors)
    name = explorer.data.factor_specs[0].name
    names = [f.name for f in describe(explorer, explorer.search_rows[:100]).factors]
    assert name not in names
    found = describe(explorer, explorer.search_rows[:150]).factors
    assert sum(next(f for f in found if f.name == name).chosen) == pytest.approx(1, abs=1e-3)
