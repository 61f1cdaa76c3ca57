"""What tells chosen items from the others, and selections as conditions."""

import numpy as np
import pandas as pd
import pytest

import rivae
from rivae.base.errors import ConfigError
from rivae.exploring.catalogue import Catalogue
from rivae.exploring.explorer import Explorer
from rivae.exploring.maps import among
from rivae.exploring.selection import describe
from rivae.runs import DEMO_ROOT, Run
from rivae.runs.folders import current_file
from rivae.runs.selections import FOLDER, SELECTIONS, keep_selection, remove_selection


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


@pytest.fixture
def own_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path))


def test_a_kept_selection_is_a_condition_everywhere(explorer, own_runs):
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(explorer.search_rows, 40, replace=False))
    assert explorer.selections == ()
    kept = keep_selection(explorer.run, rows, "my own")
    for text in ("@s1", "@my-own", "@MY-OWN"):
        assert explorer.find(text).tolist() == rows.tolist()
    half = explorer.find("dessert > 3 @s1")
    assert set(half) == set(rows) & set(explorer.find("dessert > 3")) and 0 < len(half) < len(rows)
    found = among(explorer, None, "@s1")
    assert sorted(found.ids.tolist()) == rows.tolist()
    assert among(explorer, None, "@s1") is found, "a drag asks many times"
    other = keep_selection(explorer.run, rows[:5], "five")
    both = explorer.find(f"@s1 @{other.id}")
    assert both.tolist() == rows[:5].tolist()
    for text in ("@nothing", "@s9"):
        with pytest.raises(ConfigError, match="my own"):
            explorer.find(text)
    remove_selection(explorer.run, kept.id)
    with pytest.raises(ConfigError, match="s1"):
        among(explorer, None, "@s1")
    with pytest.raises(ConfigError):
        Catalogue(explorer.data).find("@s2")


def test_a_damaged_file_leaves_the_run_open(explorer, own_runs):
    keep_selection(explorer.run, [1])
    current_file(explorer.run, SELECTIONS, FOLDER).write_text("junk")
    with pytest.warns(UserWarning, match="select again"):
        assert explorer.selections == ()


def test_terms_have_an_interval_and_tags_are_told_as_words_are(explorer):
    rows = explorer.search_rows
    half = rows[: len(rows) // 2]
    chosen = set(half.tolist())
    words = [("honey",) if i in chosen else ("leek",) for i in range(len(explorer.data))]
    tags = [("sweet",) if i in chosen else ("salty",) for i in range(len(explorer.data))]
    found = describe(explorer, half, words, tags)
    assert [t.word for t in found.more_tags] == ["sweet"]
    assert [t.word for t in found.less_tags] == ["salty"]
    for term in (*found.more, *found.more_tags):
        assert 0 < term.low < term.high and term.chosen == len(half)
    assert all(term.low < term.high < 0 for term in (*found.less, *found.less_tags))


def test_python_users_keep_find_and_describe_selections(own_runs):
    run = rivae.load_run("demo-kitchen")
    table = pd.DataFrame({"title": ["a", "b"]}, index=run.items[:2])
    kept = run.keep_selection(table, "two")
    assert kept.rows == tuple(sorted(int(i) for i in run.items[:2]))
    assert run.selections == (kept,)
    hits = run.topk(run.encode(run.items[0]), k=2, only="@two")
    assert set(hits.ids.tolist()) == set(kept.rows)
    assert run.describe_selection("two").n == run.describe_selection(kept).n == 2
    assert run.rename_selection("s1", "pair").name == "pair"
    removed = run.remove_selection("s1")
    assert run.selections == () and run.keep_selection(removed) == removed == run.selections[0]
    with pytest.raises(ConfigError):
        run.keep_selection([10**7])
