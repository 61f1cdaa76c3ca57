"""What is said of one axis: examples along it, what it follows, and its like in another run."""

import numpy as np
import pytest

from rivae.exploring.axis_card import QUANTILES, correlation, examples, factor_links, likest
from rivae.exploring.explorer import Explorer
from rivae.figures.axis_card import link_dots, position_histogram
from rivae.jobs.launch import train
from tests.training.tiny import tiny_config


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    return Explorer.open(train([tiny_config("card", dataset="split-digits")], root)[0])


def test_examples_lie_where_they_say_and_appear_once(explorer):
    for dim in range(explorer.n_components):
        places = dict(zip(explorer.search_rows.tolist(), explorer.positions[:, dim], strict=True))
        found = examples(explorer, dim, n=3)
        rows = [row for group in found for row in group]
        assert len(rows) == len(set(rows)) == 3 * len(QUANTILES)
        wanted = np.quantile(list(places.values()), QUANTILES)
        for place, group in zip(wanted, found, strict=True):
            apart = [abs(places[row] - place) for row in group]
            assert apart == sorted(apart) and apart[0] < 0.1 * np.ptp(list(places.values()))


def test_few_items_are_shown_as_far_as_they_go(explorer):
    few = examples(explorer, 0, n=len(explorer.search_rows))
    assert sorted(row for group in few for row in group) == sorted(explorer.search_rows.tolist())


def test_an_interval_holds_the_correlation_and_gaps_do_not_count():
    rng = np.random.default_rng(0)
    a = rng.normal(size=400)
    b = 0.6 * a + 0.8 * rng.normal(size=400)
    b[:100] = np.nan
    link = correlation("b", a, b)
    assert link.n == 300 and link.low < link.r < link.high
    assert link.r == pytest.approx(np.corrcoef(a[100:], b[100:])[0, 1])
    assert link.low < 0.6 < link.high and link.high - link.low < 0.2
    assert correlation("none", a, np.zeros(400)) is None
    assert correlation("few", a[:9], a[:9]) is None
    assert correlation("same", a, a).r == pytest.approx(1)


def test_factors_come_strongest_first(explorer):
    links = factor_links(explorer, 0)
    assert len(links) == 10
    assert [abs(link.r) for link in links] == sorted((abs(link.r) for link in links), reverse=True)


def test_the_likest_axis_of_the_same_run_is_itself(explorer):
    for dim, name in enumerate(explorer.axis_names):
        (link,) = likest(explorer, dim, [explorer])
        assert link.name == name and link.r == pytest.approx(1)


def test_figures_name_what_they_show(explorer):
    hostile = "<b>z</b>"
    figure = position_histogram(explorer.positions[:, 0], hostile, query=0.0, dark=True)
    assert sum(figure.data[0].y) == len(explorer.search_rows)
    assert "<b>" not in figure.layout.xaxis.title.text
    dots = link_dots(factor_links(explorer, 0), hostile)
    assert len(dots.data[0].x) == 10
