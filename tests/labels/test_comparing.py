"""Whether two runs differ beyond chance, from a part of the labels."""

import doctest
from types import SimpleNamespace

import numpy as np
import pytest

from rivae.base.errors import ConfigError
from rivae.labels import shares
from rivae.labels.early import comparing
from rivae.labels.early.comparing import MAX_COMPARED, Rivals, compare
from rivae.labels.early.describing import waves
from rivae.labels.early.estimates import MIN_ITEMS, SCORES, estimate
from rivae.labels.early.ground import Ground
from rivae.labels.early.intervals import AHEAD, LEAST, MOST_AHEAD, NORMAL_90, UNSEEN, UNSURE
from rivae.labels.early.meter import Meter
from rivae.labels.early.paths import PathSums
from rivae.labels.early.spreading import LevelSpreader
from rivae.labels.scores import NAMES
from rivae.metrics.correlation import path_correlations
from rivae.metrics.measures.dci_paper import paper_scores
from tests.labels.early import table_of
from tests.labels.test_shares import drawn_plan

N, N_QUERIES, N_POINTS = 120, 6, 15
FACTORS = ("fruit", "salt")


@pytest.mark.parametrize("module", [comparing, shares])
def test_examples_run(module):
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


def world(rng, noises, n_factors=2):
    """Runs whose axes follow the factors with some noise each, and the levels of all items.

    Returns:
        The grounds by run ("0", "1", …), the paths (q, J, T) of each, the values, the levels.
    """
    true = rng.standard_normal((N, n_factors))
    levels = 1.0 + np.searchsorted([-1.0, -0.4, 0.4, 1.0], true)
    text = true @ rng.standard_normal((n_factors, 4)) + rng.standard_normal((N, 4))
    grounds, paths = {}, {}
    values = np.tile(np.linspace(-1.8, 1.8, N_POINTS), (n_factors, 1))
    queries = rng.choice(N, N_QUERIES, replace=False)
    for i, noise in enumerate(noises):
        z = true + noise * rng.standard_normal(true.shape)
        z = z / z.std(axis=0)
        ids = np.empty((N_QUERIES, n_factors, N_POINTS, 1), dtype=np.int64)
        for q, query in enumerate(queries):
            for j in range(n_factors):
                for t, value in enumerate(values[j]):
                    place = z[query].copy()
                    place[j] = value
                    ids[q, j, t, 0] = ((z - place) ** 2).sum(axis=1).argmin()
        unit = (z - z.mean(axis=0)) / np.sqrt((z**2).sum(axis=1).mean())
        blocks = [text / np.sqrt((text**2).sum(axis=1).mean()), unit, unit, unit, waves(z)]
        met = SimpleNamespace(values=values, ids=ids)
        grounds[str(i)] = Ground(PathSums.of(met, np.arange(N)), blocks, z)
        paths[str(i)] = ids[..., 0]
    return grounds, paths, values, levels


def some(rng, levels, grounds, n):
    """The levels of the items that the runs meet most, and of random ones."""
    share = np.mean([ground.step_share for ground in grounds.values()], axis=0)
    order = np.argsort(-share, kind="stable")
    chosen = [*order[: 3 * n // 4], *rng.choice(N, n // 4, replace=False)]
    given = np.full(levels.shape, np.nan)
    given[chosen] = levels[chosen]
    return given


def scored(paths, values, levels):
    """D, C and I of levels (N, K), with the correlation of every path computed by itself."""
    table = np.abs(path_correlations(values, levels[paths])).mean(axis=0)
    return paper_scores(np.nan_to_num(table)[None])[0]


@pytest.mark.parametrize("seed", range(2))
def test_the_interval_is_that_of_a_brute_force_bootstrap(seed):
    rng = np.random.default_rng(seed)
    grounds, paths, values, levels = world(rng, (0.3, 1.2))
    given = some(rng, levels, grounds, 60)
    (found,) = compare(grounds, given, FACTORS, n_draws=400, random_state=seed)
    share = np.mean([ground.step_share for ground in grounds.values()], axis=0)
    spreader = LevelSpreader.together([ground.spreader for ground in grounds.values()])
    known = np.flatnonzero(~np.isnan(given[:, 0]))
    by_steps = known[np.argsort(-share[known], kind="stable")]
    differences, unseen = {}, {}
    for part, kept in (("every", known), ("half", by_steps[: len(known) // 2])):
        seen = np.full(levels.shape, np.nan)
        seen[kept] = given[kept]
        draws = np.stack([spreader.draws(seen[:, k], 400, rng) for k in range(2)], axis=2)
        differences[part] = np.array(
            [scored(paths["0"], values, one) - scored(paths["1"], values, one) for one in draws]
        )
        unseen[part] = 1 - share[kept].sum()
    mean = {part: one.mean(axis=0) for part, one in differences.items()}
    spread = differences["every"].std(axis=0, ddof=1)
    left = unseen["every"] / max(unseen["half"] - unseen["every"], 1e-9)
    way = min(MOST_AHEAD, left) * (mean["every"] - mean["half"])
    reach = np.sqrt(
        (NORMAL_90 * spread) ** 2 + (UNSURE * way) ** 2 + (UNSEEN * unseen["every"]) ** 2 + LEAST**2
    )
    for i, name in enumerate(NAMES):
        one = found.scores[name]
        assert one.value == pytest.approx(mean["every"][i] + AHEAD * way[i], abs=0.02)
        assert one.width / 2 == pytest.approx(reach[i], rel=0.25)


def test_the_truth_is_held_and_a_run_that_is_better_is_found():
    held, better, width, apart = [], [], [], []
    for seed in range(8):
        rng = np.random.default_rng(100 + seed)
        grounds, paths, values, levels = world(rng, (0.2, 1.5))
        given = some(rng, levels, grounds, 70)
        (found,) = compare(grounds, given, FACTORS, random_state=seed)
        truth = scored(paths["0"], values, levels) - scored(paths["1"], values, levels)
        alone = [estimate(one, given, FACTORS, random_state=seed) for one in grounds.values()]
        for i, name in enumerate(NAMES):
            one = found.scores[name]
            held.append(one.low <= truth[i] <= one.high)
            width.append(one.width)
            apart.append(sum(each.scores[name].width for each in alone))
        better.append("informativeness" in found.beyond_chance)
        assert found.scores["informativeness"].value > 0
    assert np.mean(held) >= 0.86
    assert np.mean(better) > 0.5
    assert np.mean(width) < 0.8 * np.mean(apart), "narrower than two intervals"


@pytest.mark.parametrize("seed", range(3))
def test_a_run_does_not_differ_from_itself(seed):
    rng = np.random.default_rng(seed)
    grounds, _, _, levels = world(rng, (0.5,))
    ground = grounds["0"]
    given = some(rng, levels, {"a": ground}, 40)
    found = compare({"a": ground, "b": ground, "c": ground}, given, FACTORS)
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for one in found:
        assert not one.beyond_chance
        assert all(one.scores[name].value == 0 for name in SCORES)


def test_where_runs_have_no_scores_there_is_a_reason():
    rng = np.random.default_rng(0)
    grounds, _, _, levels = world(rng, (0.5, 0.9))
    few = np.full(levels.shape, np.nan)
    few[: MIN_ITEMS - 1] = levels[: MIN_ITEMS - 1]
    (found,) = compare(grounds, few, FACTORS)
    assert not found.beyond_chance
    assert all(str(MIN_ITEMS - 1) in one.reason for one in found.scores.values())
    with pytest.raises(ConfigError):
        Rivals({"a": grounds["0"]})
    other = world(rng, (0.5,))[0]["0"]
    object.__setattr__(other.paths, "items", other.items + 1)
    with pytest.raises(ConfigError):
        Rivals({"a": grounds["0"], "b": other})


def test_a_meter_compares_the_first_runs_and_draws_only_what_changed(monkeypatch):
    rng = np.random.default_rng(4)
    grounds, _, _, levels = world(rng, (0.2, 0.6, 1.0, 1.5))
    plan = drawn_plan(rng, N).model_copy(update={"order": list(range(N)), "repeats": []})
    meter = Meter(plan, grounds, FACTORS)
    rows = np.arange(30)
    first = grounds["0"]
    reading = meter.read(table_of(first, levels, rows, factors=FACTORS))
    names = list(grounds)[:MAX_COMPARED]
    given = np.full(levels.shape, np.nan)
    given[rows] = levels[rows]
    alone = compare({name: grounds[name] for name in names}, given, FACTORS)
    assert reading.differences == alone and len(reading.runs) == len(grounds)
    drawn = []
    usual = Rivals.draws
    monkeypatch.setattr(
        Rivals, "draws", lambda self, *a, **k: drawn.append(k) or usual(self, *a, **k)
    )
    assert meter.read(table_of(first, levels, rows, factors=FACTORS)).differences == alone
    more = table_of(first, levels, np.arange(34), factors=FACTORS)
    changed = more[(more["item"] < 30) | (more["factor"] == FACTORS[1])]
    assert not drawn and meter.read(changed).differences != alone
    assert [how["random_state"] for how in drawn] == [1]
    assert Meter(plan, {"0": first}, FACTORS).read(more).differences == ()
