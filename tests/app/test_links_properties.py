"""Links by strangers: an address is read or dropped part by part, and written as it was read."""

from hypothesis import given
from hypothesis import strategies as st

from rivae.app.panels.links import CompareLink, ExploreLink
from rivae.app.panels.steer_link import SteerLink

# Near enough to what the pages write that most of it is read.
WORDS = st.sampled_from(
    [
        "demo-kitchen",
        "demo-digits",
        "mean",
        "all",
        "test",
        "effect",
        "axis",
        "0",
        "1",
        "7",
        "30",
        "1_0.5",
        "2_-1.25",
        "300_1",
        "1_1e9",
        "o",
        "i",
        "q",
        "o_i_q",
        "1.5",
        "upload_" + "0a" * 16,
        "٣",
        "-0",
        "1_-0.00001",
        "1000",
        "../..",
        "<b>",
        "\ud800",
        "\x00",
        "9" * 5000,
    ]
)
TEXT = st.lists(WORDS | st.text(max_size=5), max_size=6).flatmap(
    lambda parts: st.sampled_from(["~", "_", ",", "!", ""]).map(lambda by: by.join(parts))
)
KINDS = (ExploreLink, CompareLink, SteerLink)


@given(st.sampled_from(KINDS), st.data())
def test_any_address_is_read_and_what_was_read_is_written_and_read_alike(kind, data):
    params = data.draw(st.dictionaries(st.sampled_from(kind.names()), TEXT))
    link, dropped = kind.read(params)
    assert set(dropped) <= set(params)
    written = link.write()
    assert set(written) <= set(kind.names())
    assert kind.read(written) == (link, [])
