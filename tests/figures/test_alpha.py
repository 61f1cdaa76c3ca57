import numpy as np
import pytest

from rivae.base.errors import DataError
from rivae.figures.alpha import ALPHAS, STEPS, alpha_curve
from rivae.figures.theme import alt_text
from rivae.metrics.measures.dci_paper import paper_dci

TABLE = np.array([[0.9, 0.45, 0.1], [0.3, 0.8, 0.2]])


def traces(figure):
    """Traces by name; the value behind the name of a curve is left out."""
    return {trace.name.split(" =")[0]: trace for trace in figure.data}


@pytest.mark.parametrize("alpha", [0.1, 10.0, 100.0])
def test_the_curves_are_the_metric_and_the_mark_is_on_them(alpha):
    found = traces(alpha_curve(TABLE, alpha))
    for name, letter in (("disentanglement", "D"), ("completeness", "C")):
        for i in (0, 30, 60):
            expected = paper_dci(TABLE, alpha=ALPHAS[i])[name].score
            assert found[letter].y[i] == pytest.approx(expected)
        mark = found[f"{letter} at alpha {alpha:g}"]
        assert mark.y[0] == pytest.approx(paper_dci(TABLE, alpha=alpha)[name].score)
        assert mark.x[0] == alpha


def test_the_two_curves_differ_without_colour():
    found = traces(alpha_curve(TABLE, 10.0))
    assert found["D"].line.dash != found["C"].line.dash
    assert found["D at alpha 10"].marker.symbol != found["C at alpha 10"].marker.symbol


def test_the_values_stand_in_the_legend():
    scores = paper_dci(TABLE, alpha=10.0)
    names = [trace.name for trace in alpha_curve(TABLE, 10.0).data if trace.showlegend is None]
    assert names == [
        f"D = {scores['disentanglement'].score:.2f}".replace("0.", "."),
        f"C = {scores['completeness'].score:.2f}".replace("0.", "."),
    ]


def test_chance_stands_where_it_was_measured():
    levels = {"disentanglement": (0.1, 0.02), "completeness": (0.2, 0.03)}
    found = traces(alpha_curve(TABLE, 2.0, chance=levels, chance_alpha=10.0))
    assert found["C by chance"].x[0] == pytest.approx(10.0, rel=0.1)
    assert found["C by chance"].error_y.array[0] == 0.03
    assert "D by chance" not in traces(alpha_curve(TABLE, 2.0))


def test_what_is_undefined_is_left_out():
    assert set(traces(alpha_curve(TABLE[:, :1], 10.0))) == {"C", "C at alpha 10"}
    assert "C" in alt_text(alpha_curve(TABLE[:, :1], 10.0))


def test_an_entry_outside_the_range_is_refused():
    with pytest.raises(DataError, match=r"\[0, 1\]"):
        alpha_curve(TABLE * 2, 10.0)


def test_the_steps_of_the_control_are_round_and_hold_the_default():
    assert STEPS[0] == 0.1 and STEPS[-1] == 100.0 and 10.0 in STEPS
    assert list(STEPS) == sorted(set(STEPS))
    ratios = np.diff(np.log(STEPS))
    assert ratios.max() < 0.75
