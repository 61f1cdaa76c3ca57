"""All plots of factors against axes at once, below the correlations of Traverse."""

import json

import pytest

from rivae.app.traverse import page_keys as traverse_keys


def charts(shown):
    return [json.loads(chart.proto.spec) for chart in shown.at.get("plotly_chart")]


@pytest.mark.slow
def test_all_plots_are_shown_by_a_switch_or_a_link(app):
    shown = app("traverse", run="synth", view="Correlations")
    before = charts(shown)
    shown.at.toggle(key=traverse_keys.MATRIX).set_value(True).run()
    (matrix,) = [chart for chart in charts(shown.calm()) if chart not in before]
    (n_factors, d) = (2, 4)  # of the small Synth
    names = {trace["name"] for trace in matrix["data"]}
    assert len(names) == len(matrix["data"]) == 2 * n_factors * d, "points and a line in each"
    again = app("traverse", run="synth", view="Correlations", **{traverse_keys.MATRIX: "true"})
    assert charts(again) == charts(shown)


def test_a_category_has_no_matrix(app):
    shown = app("traverse", run="digits", view="Correlations")
    assert all(toggle.key != traverse_keys.MATRIX for toggle in shown.at.toggle)
