"""Which column holds what, from names and from cells."""

import pytest

from rivae.errors import ConfigError
from rivae.importing.mapping import guess_mapping, make_mapping

HEAD = [
    {"Bild": "a 1.JPG", "title": "Brot", "seite": "https://x.org/1.jpg"},
    {"Bild": None, "title": "Suppe.png", "seite": ""},
    {"Bild": "b/2.png", "title": "Kuchen", "seite": "https://x.org/2.jpg"},
]


def test_names_of_picture_files_are_recognised_by_their_ends():
    assert guess_mapping(HEAD[0], HEAD) == {"title": "title", "picture": "Bild"}
    assert make_mapping(HEAD[0], {}, records=HEAD).picture == "Bild"
    assert make_mapping(HEAD[0], {"picture": "seite"}, records=HEAD).picture == "seite"


def test_a_name_comes_before_the_cells():
    head = [{**row, "image": "7"} for row in HEAD]
    assert guess_mapping(head[0], head)["picture"] == "image"


@pytest.mark.parametrize(
    "head",
    [
        [],
        [{"Bild": None, "title": "Brot"}],
        [{"Bild": "1.jpg", "klein": "1s.jpg", "title": "Brot"}],
        [{"Bild": "1.jpg", "title": "Brot"}, {"Bild": "kein Bild", "title": "Suppe"}],
        [{"Bild": 5, "title": "Brot"}],
        [{"title": "Brot.jpg"}],
    ],
    ids=["no record", "no cell", "two columns", "another cell", "a number", "the title"],
)
def test_what_could_be_several_things_is_asked_for(head):
    columns = head[0] if head else ["Bild", "title"]
    assert "picture" not in guess_mapping(columns, head)
    with pytest.raises(ConfigError, match=r"which column names the picture file\? Give --map"):
        make_mapping(columns, {}, records=head)
