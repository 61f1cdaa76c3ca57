from rivae.exploring.words.contrast import contrast
from rivae.figures.contrast import contrast_dots
from rivae.figures.theme import alt_text

SETS = [("kale", "salt")] * 30 + [("sugar <b>", "salt")] * 30 + [("truffle", "salt")]


def figure(**settings):
    return contrast_dots(
        contrast(range(30), range(30, 61), SETS), low="μ − 3 σ", high="μ + 3 σ", **settings
    )


def dots(made):
    return [t for t in made.data if t.mode == "markers"]


def test_sides_differ_in_more_than_colour():
    high, low = dots(figure())
    assert high.y[0] == "sugar <b>"
    assert list(low.y)[-1] == "kale"
    assert (high.marker.symbol, low.marker.symbol) == ("circle", "circle-open")
    assert min(high.x) > 0 > max(low.x)


def test_intervals_hold_their_dots_and_show_when_they_cross_zero():
    made = figure()
    values = {w: x for trace in dots(made) for w, x in zip(trace.y, trace.x, strict=True)}
    for line in (t for t in made.data if t.mode == "lines"):
        start, end = line.x
        assert start < values[line.y[0]] < end
        assert line.line.dash == ("dot" if start < 0 < end else "solid")
    assert any(t.line.dash == "dot" for t in made.data if t.mode == "lines")


def test_a_click_yields_the_word_and_labels_are_escaped():
    made = figure()
    assert dots(made)[0].customdata[0] == "sugar <b>"
    assert "sugar &lt;b&gt;" in made.layout.yaxis.ticktext
    assert all("sugar <b>" not in text for trace in dots(made) for text in trace.hovertext)


def test_words_of_each_side_are_limited():
    assert [len(t.y) for t in dots(figure(n_words=1))] == [1, 1]


def test_the_figure_is_described():
    text = alt_text(figure())
    assert "more at μ + 3 σ: sugar <b> (log-odds" in text
    assert "more at μ − 3 σ: kale" in text
    assert alt_text(contrast_dots([])) == "No word differs between low end and high end."
