"""What an axis changes: against a second computation, in pure chance, and where it is planted."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

import rivae
from rivae.base.errors import ConfigError
from rivae.exploring.effects import N_STEPS, TOP, EffectMeasure, shown_effects
from rivae.figures.effects import effect_bars
from rivae.metrics.effects import LEVEL, Columns, shuffled_chance
from rivae.retrieval.retriever import Retriever
from rivae.runs import find_run

RUN = find_run("demo-synth")  # two axes, each of which is a factor
DATA = RUN.load_dataset()
RETRIEVER = Retriever(RUN.load_method(DATA), DATA, DATA.splits["test"][:500])
POSITION = RETRIEVER.latents(RETRIEVER.ids)[:, 1]
N_RUNS = 40


def random_columns(rng, n=20):
    """As many columns of numbers as of words, which have nothing to do with any item."""
    words = (rng.random((500, n)) < rng.uniform(0.03, 0.5, n)).astype(float)
    return Columns.joined(
        [
            Columns.of("factor", [f"f{i}" for i in range(n)], rng.normal(size=(500, n))),
            Columns.of("word", [f"w{i}" for i in range(n)], csr_array(words), 10),
        ]
    )


@pytest.fixture(scope="module")
def kitchen():
    return rivae.load_run("demo-kitchen")


def by_hand(retriever, values, j, queries):
    """The slope of every query by least squares, one at a time; NaN values are left out."""
    place = retriever.reference_latents()[0][:, j]
    steps = np.linspace(*np.quantile(place, [0.1, 0.9]), N_STEPS)
    all_known = values[~np.isnan(values)]
    standard = (values - all_known.mean()) / all_known.std()
    slopes, new = [], []
    for row in queries:
        means, sets = [], []
        for step in steps:
            z = retriever.encode([row])[0]
            z[0, j] = step
            distance = retriever.all_squared_distances(z)[0]
            best = np.argsort(distance, kind="stable")[:TOP]
            sets.append(set(best.tolist()))
            means.append(standard[best].mean())
        slopes.append(np.polyfit(np.linspace(0, 1, N_STEPS), means, 1)[0])
        new.append(len(sets[-1] - sets[0]))
    return np.mean(slopes), np.mean(new)


@pytest.mark.parametrize("j", [0, 1])
def test_the_change_is_the_mean_slope_of_the_items_found(j):
    measure = EffectMeasure(RETRIEVER, n_queries=15)
    found = measure.of(np.eye(2)[j])
    assert found.missing == ("tags", "words")
    for spec, values in zip(DATA.factor_specs, DATA.factors[RETRIEVER.ids].T, strict=True):
        name = spec.name
        change, new = by_hand(RETRIEVER, values, j, measure.queries)
        assert found.change[found.names.index(name)] == pytest.approx(change, rel=1e-6)
        assert found.new == pytest.approx(new)


def test_items_of_unknown_value_do_not_count():
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(500) < 0.5, np.nan, POSITION)
    columns = Columns.of("factor", ["whole", "gaps"], np.column_stack([POSITION, gaps]))
    found = EffectMeasure(RETRIEVER, columns).of([0.0, 1.0])
    assert found.is_measurable.all()
    assert found.change[1] == pytest.approx(found.change[0], rel=0.15)


@pytest.mark.slow
def test_pure_chance_seldom_passes_and_a_planted_axis_does():
    false, found = 0, 0
    for run in range(N_RUNS):
        rng = np.random.default_rng(run)
        planted = POSITION / POSITION.std() + rng.normal(size=500)
        columns = Columns.joined(
            [random_columns(rng), Columns.of("factor", ["planted"], planted[:, None])]
        )
        measure = EffectMeasure(RETRIEVER, columns, n_queries=40, random_state=run)
        axes = [measure.of(unit) for unit in np.eye(2)]
        false += any(axis.is_measurable[:-1].any() for axis in axes)
        found += bool(axes[1].is_measurable[-1] and axes[1].change[-1] > 0)
    assert false <= 2 * LEVEL * N_RUNS
    assert found == N_RUNS


def test_a_column_alone_has_the_quantile_of_its_shuffles():
    rng = np.random.default_rng(0)
    weights, values = rng.normal(size=300), rng.normal(size=(300, 1))
    weights -= weights.mean()
    column = Columns.of("factor", ["a"], values)
    bound = shuffled_chance(weights, column, 1, 0)[0]
    drawn = [abs(weights @ rng.permutation(values[:, 0])) for _ in range(4000)]
    share = np.mean(np.array(drawn) / column.std[0] > bound)
    assert share == pytest.approx(LEVEL, abs=0.02)


def test_factors_of_the_kitchen_are_found_on_their_axes_only(kitchen):
    fruit = kitchen.effects("fruit")
    table = fruit.table().set_index(["kind", "name"])
    assert table.loc[("factor", "fruit"), "change"] > 1
    factors = table.loc["factor"]
    assert factors.index[factors["measurable"]].tolist() == ["fruit"]
    assert fruit.sentence.startswith("More fruit: ") and "berries" in fruit.sentence
    again = rivae.load_run("demo-kitchen").effects("fruit")
    np.testing.assert_array_equal(again.change, fruit.change)
    np.testing.assert_array_equal(again.chance, fruit.chance)


def test_an_axis_that_changes_nothing_says_so():
    nothing = rivae.load_run("demo-digits").effects(0)
    assert not nothing.is_measurable.any() and "nothing changes measurably" in nothing.sentence


@pytest.mark.slow
def test_an_axis_is_named_in_several_ways(kitchen):
    wanted = kitchen.effects("z9")
    sign, d = float(kitchen.explorer.signs[8]), kitchen.n_components
    unit = sign * np.eye(d)[8]
    added = SimpleNamespace(moves=2 * unit, reads=5 * unit, name="fruity")
    for axis in (8, "Z9", kitchen.explorer.axis_names[8], unit, 3 * unit, added):
        np.testing.assert_allclose(kitchen.effects(axis).change, wanted.change, atol=1e-12)
    assert kitchen.effects(added).sentence.startswith("More fruity: ")
    down = kitchen.effects(-unit)
    np.testing.assert_allclose(down.change, -wanted.change, atol=1e-12)


def test_an_added_axis_is_named_by_its_id_or_name(kitchen, monkeypatch):
    d = kitchen.n_components
    axis = SimpleNamespace(id="a1", name="Fruity", moves=np.eye(d)[8], reads=np.eye(d)[8])
    monkeypatch.setattr("rivae.exploring.effects.known_added", lambda run, d: (axis,))
    wanted = kitchen.effects(axis)
    for said in ("a1", "fruity", " Fruity "):
        np.testing.assert_array_equal(kitchen.effects(said).change, wanted.change)


@pytest.mark.parametrize(
    "axis, problem",
    [
        (lambda d: d, "no axis {d}"),
        (lambda d: "nothing", "no axis is called 'nothing'"),
        (lambda d: [1.0, 2.0], "{d} finite numbers"),
        (lambda d: np.full(d, np.nan), "{d} finite numbers"),
        (np.zeros, "does not change where it reads"),
        (
            lambda d: SimpleNamespace(moves=np.eye(d)[0], reads=np.eye(d)[1]),
            "does not change where",
        ),
        (lambda d: object(), "is a number from 0"),
    ],
)
def test_what_is_no_axis_is_refused_in_a_sentence(kitchen, axis, problem):
    d = kitchen.n_components
    with pytest.raises(ConfigError, match=problem.format(d=d)):
        kitchen.effects(axis(d))


def test_an_axis_that_leaves_the_data_says_so():
    z = RETRIEVER.reference_latents()[0]
    thin = np.linalg.eigh(np.cov(z.T))[1][:, 0]
    wide = np.linalg.eigh(np.cov(z.T))[1][:, 1]
    found = EffectMeasure(RETRIEVER, None).of(thin, 0.05 * thin + wide, "far")
    assert found.length > 6 and "times as far as the data do" in found.sentence


def test_the_figure_shows_the_largest_and_says_the_sentence(kitchen):
    effects = kitchen.effects("fruit")
    figure = effect_bars(effects, n=8)
    assert figure.layout.meta["alt"] == effects.sentence
    assert figure.data[1].y[-1] == "fruit (factor)" and len(figure.data[1].x) == 8
    none = EffectMeasure(RETRIEVER, Columns.of("factor", [], np.zeros((500, 0)))).of([1.0, 0.0])
    assert "have no factors and no tags and no words" in none.sentence
    assert len(effect_bars(none).data[1].x) == 0


@pytest.mark.slow
def test_the_axis_of_an_explorer_moves_as_it_is_shown(kitchen):
    explorer = kitchen.explorer
    measure = EffectMeasure(explorer.retriever, n_queries=40)
    for j in range(explorer.n_components):
        shown = shown_effects(measure, explorer, j)
        plain = measure.of(np.eye(explorer.n_components)[j])
        np.testing.assert_allclose(shown.change, explorer.signs[j] * plain.change, atol=1e-9)
