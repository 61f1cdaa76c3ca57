import re

import numpy as np
import pytest

from rivae.figures.palette import LIGHT
from rivae.figures.scatter import MAX_POINTS, plot_matrix, traversal_scatter
from rivae.figures.theme import alt_text

Z = np.linspace(-10, 10, 201)


def trace(figure, name):
    return next((t for t in figure.data if t.name == name), None)


def test_one_query_is_shown_point_by_point():
    figure = traversal_scatter(Z, np.sin(Z), factor_name="X", j=1, correlation=-0.93)
    points = trace(figure, "retrieved item")
    np.testing.assert_allclose(points.x, Z)
    np.testing.assert_allclose(points.y, np.sin(Z))
    assert "lines" in points.mode
    assert trace(figure, "median of queries") is None
    assert figure.layout.xaxis.title.text == "z<sub>2</sub>"
    assert figure.layout.yaxis.title.text == "X"
    assert "|corr| = .93" in figure.layout.title.text


def test_several_queries_have_a_median_and_no_jitter():
    factor = np.stack([Z, Z + 1, Z + 5])
    figure = traversal_scatter(Z, factor, factor_name="X")
    np.testing.assert_allclose(trace(figure, "median of queries").y, Z + 1)
    assert sorted(trace(figure, "retrieved item").y) == sorted(factor.ravel())
    band = trace(figure, "middle half of queries").y
    np.testing.assert_allclose(band[:201], Z + 3)
    np.testing.assert_allclose(band[201:], (Z + 0.5)[::-1])


def test_jitter_moves_points_at_most_by_its_width():
    figure = traversal_scatter(Z, np.zeros((2, 201)), factor_name="X", jitter=0.2)
    shifts = np.abs(trace(figure, "retrieved item").y)
    assert 0.1 < shifts.max() <= 0.2
    assert (trace(figure, "median of queries").y == 0).all()


def test_a_categorical_factor_has_named_levels_and_no_line():
    factor = np.zeros((3, 201))
    figure = traversal_scatter(Z, factor, factor_name="class", levels=["a<b", "c"], ordered=False)
    assert list(figure.layout.yaxis.ticktext) == ["a&lt;b", "c"]
    assert trace(figure, "median of queries") is None
    assert trace(figure, "retrieved item").mode == "markers"


def test_too_many_points_are_thinned_and_the_title_says_so():
    factor = np.tile(Z, (60, 1))
    figure = traversal_scatter(Z, factor, factor_name="X")
    assert len(trace(figure, "retrieved item").x) == MAX_POINTS
    assert f"{MAX_POINTS:,} of {factor.size:,} points drawn" in figure.layout.title.text
    few = traversal_scatter(Z, factor[:5], factor_name="X")
    assert "drawn" not in few.layout.title.text


def test_the_description_names_both_ends():
    figure = traversal_scatter(Z, np.stack([Z, Z]), factor_name="X", axis_name="wet")
    assert re.fullmatch("X .* wet .*2 queries: .*-10 at -10 to 10 at 10.", alt_text(figure))


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError):
        traversal_scatter(Z, np.zeros((2, 7)), factor_name="X")
    with pytest.raises(ValueError):
        plot_matrix(np.zeros((2, 5)), np.zeros((3, 4, 5, 2)), ["a", "b"])


def test_the_matrix_has_one_panel_per_pair_in_the_paper_s_order():
    q, d, n_points, n_factors = 3, 2, 5, 3
    z = np.arange(d * n_points, dtype=float).reshape(d, n_points)
    factors = np.arange(q * d * n_points * n_factors, dtype=float).reshape(
        q, d, n_points, n_factors
    )
    table = np.array([[0.9, 0.1, 0.0], [0.0, 0.2, -0.7]])
    figure = plot_matrix(z, factors, ["f1", "f2", "f3"], table=table, threshold=0.5)
    assert len(figure.data) == 2 * d * n_factors
    last = figure.data[-2]  # factor 3, dimension 2
    np.testing.assert_allclose(last.x, np.tile(z[1], q))
    np.testing.assert_allclose(last.y, factors[:, 1, :, 2].ravel())
    np.testing.assert_allclose(figure.data[-1].y, np.median(factors[:, 1, :, 2], axis=0))
    # Row = factor from the top, column = latent dimension from the left.
    assert figure.layout.yaxis.title.text == "f1"
    assert figure.layout.xaxis5.title.text == "z<sub>1</sub>"
    boxes = [s for s in figure.layout.shapes if s.line.color == LIGHT.frame]
    centres = sorted(((s.x0 + s.x1) / 2, (s.y0 + s.y1) / 2) for s in boxes)
    np.testing.assert_allclose(centres, [(0.25, 5 / 6), (0.75, 1 / 6)])
    assert [a.text for a in figure.layout.annotations] == ["<b>.90</b>", "<b>.70</b>"]
