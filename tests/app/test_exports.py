"""Every figure has its numbers as a table, on the page and as a file."""

import pytest

from rivae.app.shared import exports


@pytest.mark.parametrize(
    ("page", "panel", "columns"),
    [
        ({"page": "traverse", "view": "Correlations"}, "digits", 3),
        ({"page": "explore"}, "results", 3),
    ],
)
def test_a_figure_can_be_read_as_a_table(app, page, panel, columns):
    shown = app(run="digits", **page)
    toggles = [t.key for t in shown.at.toggle if t.key.startswith("export-")]
    key = next(key for key in toggles if panel in key)
    assert not shown.at.dataframe
    shown.at.toggle(key=key).set_value(True).run()
    (table,) = shown.at.dataframe
    assert len(table.value) and len(table.value.columns) >= columns


def test_a_long_table_says_where_the_rest_is(app, monkeypatch):
    monkeypatch.setattr(exports, "MAX_ROWS", 4)
    shown = app("explore", run="digits")
    key = next(t.key for t in shown.at.toggle if t.key.startswith("export-"))
    shown.at.toggle(key=key).set_value(True).run()
    assert len(shown.at.dataframe[0].value) == 4
    assert any("CSV" in caption.value and " 4 of " in caption.value for caption in shown.at.caption)
