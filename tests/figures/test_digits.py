import numpy as np
import pytest

from rivae.figures.digits import digit_range_lines
from rivae.figures.theme import alt_text
from rivae.metrics.measures.digits import MAX_OVERLAP

N_STD, OVERLAP, COVERAGE = [30.0, 3.0, 300.0], [0.014, 0.017, 0.011], [0.967, 0.964, np.nan]


def test_the_points_are_the_values_by_growing_range():
    coverage, overlap = digit_range_lines(N_STD, OVERLAP, COVERAGE).data
    assert overlap.x.tolist() == [3, 30, 300] and overlap.y.tolist() == [0.017, 0.014, 0.011]
    np.testing.assert_allclose(coverage.y, [0.964, 0.967, np.nan])
    assert list(overlap.text) == ["0.0170", "0.0140", "0.0110"]


def test_both_are_drawn_over_all_that_they_can_be():
    figure = digit_range_lines(N_STD, OVERLAP, COVERAGE)
    assert [shape.y0 for shape in figure.layout.shapes] == [1.0, MAX_OVERLAP]
    for axis, most in ((figure.layout.yaxis, 1.0), (figure.layout.yaxis2, MAX_OVERLAP)):
        assert axis.range[0] == 0 and most < axis.range[1] < 1.2 * most


def test_the_sentence_names_both_ends():
    assert alt_text(digit_range_lines(N_STD, OVERLAP, COVERAGE)) == (
        "Digit transitions over mean ± 3 to ± 300 s.d. of z: overlap from 0.0170 to 0.0110, "
        "coverage from 0.964 to 0.967."
    )
    assert "overlap undefined" in alt_text(digit_range_lines([3], [np.nan], [0.5]))


@pytest.mark.parametrize(
    "columns", [([], [], []), ([3, 10], [0.1], [0.1, 0.2]), ([0, 3], [0.1, 0.1], [1, 1])]
)
def test_what_cannot_be_drawn_is_refused(columns):
    with pytest.raises(ValueError):
        digit_range_lines(*columns)
