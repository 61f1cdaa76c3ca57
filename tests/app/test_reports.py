"""What the browser reports is used as far as it is what was shown; strangers may send anything."""

import numpy as np
import plotly.graph_objects as go
import pytest

from rivae.app.shared import charts
from rivae.figures.digits import transition_heatmap
from rivae.figures.heatmap import correlation_heatmap


@pytest.fixture
def click(monkeypatch):
    """Draws a figure and clicks it: ``click(figure, customdata)`` is what the page was told."""

    def clicked(figure, sent):
        said, handlers = [], []
        monkeypatch.setattr(
            charts.st, "plotly_chart", lambda _, **how: handlers.append(how["on_select"])
        )
        points = [] if sent is None else [{"customdata": sent}]
        monkeypatch.setattr(charts.st, "session_state", {"k": {"selection": {"points": points}}})
        charts.chart(figure, "k", said.append)
        handlers[0]()
        return said

    return clicked


def test_a_click_says_what_stands_behind_a_point(click):
    table = np.array([[0.1, 0.9], [0.3, 0.2]])
    heatmap = correlation_heatmap(table, ["a", "b"], ["z1", "z2"], threshold=0.5, dark=False)
    assert click(heatmap, [1, 0]) == click(heatmap, {"0": 1, "1": 0}) == [[1, 0]]
    digits = transition_heatmap(np.full((3, 45), 0.5), ["z1", "z2", "z3"], dark=False)
    assert click(digits, [4, 2]) == [[4, 2]]
    words = go.Figure(go.Scatter(x=[1, 2], y=[1, 2], customdata=["salt", "tea"]))
    assert click(words, "tea") == click(words, ["tea"]) == [["tea"]]


@pytest.mark.parametrize(
    "sent", [None, [], {}, [9, 9], [1], ["1", "0"], [[1, 0]], "x", 3, {"0": {}}]
)
def test_what_no_point_of_the_figure_has_is_no_click(click, sent):
    table = np.array([[0.1, 0.9], [0.3, 0.2]])
    heatmap = correlation_heatmap(table, ["a", "b"], ["z1", "z2"], threshold=0.5, dark=False)
    assert click(heatmap, sent) == []
