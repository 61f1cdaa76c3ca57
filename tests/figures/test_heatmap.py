import numpy as np
import pytest
from plotly.graph_objects import Figure, Scatter

from rivae.figures.export import chart_html
from rivae.figures.heatmap import correlation_heatmap, describe_correlation
from rivae.figures.palette import DARK, LIGHT
from rivae.figures.tables import figure_rows
from rivae.figures.theme import alt_text

TABLE = np.array([[0.1, -0.95], [0.5, 0.2], [np.nan, 0.3]])
NAMES = ["scale", "X <b>"]


def frames(figure, color):
    return {
        (round((s.x0 + s.x1) / 2), round((s.y0 + s.y1) / 2))
        for s in figure.layout.shapes
        if s.line.color == color
    }


def printed(figure):
    return {(a.x, a.y): a.text for a in figure.layout.annotations}


def test_cells_show_absolute_values_with_factors_as_rows():
    figure = correlation_heatmap(TABLE, NAMES)
    np.testing.assert_allclose(figure.data[0].z, np.abs(TABLE.T))
    assert figure.data[0].zmin == 0
    assert printed(figure)[0, 0] == ".10"
    assert printed(figure)[0, 1] == "<b>.95</b>"
    assert printed(figure)[2, 0] == "–"


def test_the_signed_table_has_a_diverging_scale():
    figure = correlation_heatmap(TABLE, NAMES, signed=True)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    assert printed(figure)[0, 1] == "<b>−.95</b>"
    assert figure.data[0].colorscale[0][1] == LIGHT.diverging[0]


@pytest.mark.parametrize(
    ("threshold", "framed"), [(0.5, {(0, 1), (1, 0)}), (0.6, {(0, 1)}), (0.99, set())]
)
def test_high_correlations_are_framed_and_the_threshold_is_kept(threshold, framed):
    figure = correlation_heatmap(TABLE, NAMES, threshold=threshold, dark=True)
    assert frames(figure, DARK.frame) == framed
    assert figure.layout.meta["threshold"] == threshold


def test_every_cell_can_be_clicked_and_names_its_pair():
    figure = correlation_heatmap(TABLE, NAMES, selected=(2, 1))
    layer = figure.data[1]
    assert figure.layout.clickmode == "event+select"
    for x, base, height, cell in zip(layer.x, layer.base, layer.y, layer.customdata, strict=True):
        assert tuple(cell) == (x, base + height / 2)
    assert len({tuple(cell) for cell in layer.customdata}) == TABLE.size
    assert frames(figure, LIGHT.selection) == {(2, 1)}


def test_names_are_masked_and_missing_names_are_z():
    figure = correlation_heatmap(TABLE, NAMES, ["wet", "a & b", "x"])
    assert list(figure.layout.yaxis.ticktext) == ["scale", "X &lt;b&gt;"]
    assert list(figure.layout.xaxis.ticktext) == ["wet", "a &amp; b", "x"]
    assert correlation_heatmap(TABLE, NAMES).layout.xaxis.ticktext[2] == "z<sub>3</sub>"


def test_the_description_names_the_strongest_pairs():
    assert describe_correlation(TABLE, NAMES, threshold=0.5) == (
        "Heat map of |correlation| between 2 factors and 3 axes: scale correlates most with "
        "z2 (0.50) and X <b> correlates most with z1 (0.95); 2 of 6 cells reach the threshold 0.5."
    )
    assert alt_text(correlation_heatmap(TABLE, NAMES)) == describe_correlation(TABLE, NAMES)


def test_the_data_come_back_as_rows():
    rows = figure_rows(correlation_heatmap(TABLE, NAMES))
    assert rows[1] == {"row": "scale", "column": "z2", "|corr|": 0.5}
    assert rows[3] == {"row": "X <b>", "column": "z1", "|corr|": 0.95}
    assert len(rows) == TABLE.size


@pytest.mark.parametrize(
    ("table", "names"), [(TABLE, ["one"]), (TABLE * 2, NAMES), (TABLE[0], NAMES)]
)
def test_tables_that_do_not_fit_are_refused(table, names):
    with pytest.raises(ValueError):
        correlation_heatmap(table, names)
    with pytest.raises(ValueError):
        correlation_heatmap(TABLE, NAMES, ["only one"])


@pytest.mark.slow
def test_every_named_axis_keeps_its_label_in_half_a_page(page):
    page.set_viewport_size({"width": 600, "height": 500})
    names = [f"z{j + 1} · a name of some length" for j in range(10)]
    table = np.linspace(0, 1, 20).reshape(10, 2)
    page.set_content(chart_html(correlation_heatmap(table, NAMES, names)))
    page.wait_for_selector(".xtick text")
    labels = page.locator(".xtick text")
    assert labels.count() == 10
    assert all(labels.nth(j).is_visible() for j in range(10))
    right = [labels.nth(j).bounding_box() for j in (0, 9)]
    assert right[0]["x"] >= 0 and right[1]["x"] + right[1]["width"] <= 600


@pytest.mark.slow
def test_a_click_anywhere_in_a_cell_reports_its_pair(page):
    page.set_content(chart_html(correlation_heatmap(TABLE, NAMES)))
    page.wait_for_selector(".js-plotly-plot .heatmaplayer image")
    page.evaluate("""() => {
        window.clicked = [];
        document.querySelector('.js-plotly-plot').on('plotly_click', event => {
            window.clicked = event.points.map(point => [...point.customdata]);
        });
    }""")
    area = page.locator(".heatmaplayer image").first.bounding_box()
    d, n_factors = TABLE.shape
    for j, k, across, down in ((0, 0, 0.1, 0.2), (1, 1, 0.9, 0.8), (2, 0, 0.5, 0.5)):
        x = area["x"] + area["width"] * (j + across) / d
        y = area["y"] + area["height"] * (k + down) / n_factors
        page.mouse.move(x, y)
        # A click reports what the pointer was last seen over; two quick ones are a double click.
        page.locator(".hoverlayer", has_text=f"{NAMES[k]} × z{j + 1}").wait_for()
        page.wait_for_timeout(400)
        page.mouse.click(x, y)
        page.wait_for_function("pair => String(window.clicked) === String(pair)", arg=[j, k])


def test_a_gap_in_a_curve_is_an_empty_cell():
    figure = Figure(Scatter(x=[1, 2, 3], y=[0.5, None, 1.5], name="loss"))
    assert [row["y"] for row in figure_rows(figure)] == [0.5, "", 1.5]
