"""Which column holds what, from names and from cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivae.base.errors import ConfigError
from rivae.data.importing.mapping import guess_mapping, make_mapping

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


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (
            ("image", "title", "recipeIngredient", "recipeInstructions", "keywords"),
            {"ingredients": "recipeIngredient", "instructions": "recipeInstructions"},
        ),
        (("Image_Name", "Title"), {"picture": "Image_Name", "title": "Title"}),
        (("FILE NAME", "Dish-Name"), {"picture": "FILE NAME", "title": "Dish-Name"}),
        (("filepath", "captions"), {"picture": "filepath", "title": "captions"}),
        (("filename", "sentences", "split"), {"title": "sentences", "partition": "split"}),
        (("img", "title", "caption"), {"title": "title", "instructions": "caption"}),
        (("img", "title", "text", "caption"), {"title": "title", "instructions": "text"}),
        (("img", "caption", "text"), {"title": "caption", "instructions": "text"}),
        (("img", "raw"), {"title": "raw"}),
        (("img", "productDisplayName", "category"), {"title": "productDisplayName"}),
        (("img", "label"), {"title": "label"}),
        (("image_id", "caption"), {"picture": "image_id"}),
        (("Img", "img", "title"), {"picture": "img"}),
        (("img", "Name", "RecipeCategory"), {"tags": "RecipeCategory"}),
    ],
)
def test_names_that_tables_give_their_columns(columns, roles):
    guessed = guess_mapping(columns)
    assert roles.items() <= guessed.items()
    assert len(set(guessed.values())) == len(guessed), "no column has two roles"


names = st.sampled_from(
    ["recipe ingredients", "image path", "dish name", "recipe id", "source url", "file name"]
)


@given(names, st.sampled_from(["_", "-", " ", ".", ""]), st.sampled_from("luct"))
def test_a_name_is_one_name_in_any_writing(name, between, how):
    words = name.split()
    if how == "c":  # camelCase
        written = words[0] + "".join(word.title() for word in words[1:])
    else:
        written = {"l": str.lower, "u": str.upper, "t": str.title}[how](between.join(words))
    assert list(guess_mapping([written]).values()) == [written]


@pytest.mark.parametrize("name", ["dish_name", "Recipe Title", "productName", "title"])
def test_a_name_is_the_title_and_a_caption_beside_it_the_text(name):
    found = guess_mapping(["image", "caption", name])
    assert (found["title"], found["instructions"]) == (name, "caption")


def test_a_column_that_is_chosen_is_not_guessed_as_well():
    columns = ["image", "title", "caption", "tags"]
    mapping = make_mapping(columns, {"title": "caption", "factors": ("tags",)})
    assert (mapping.title, mapping.instructions, mapping.tags) == ("caption", None, None)


def test_titles_that_are_file_names_give_way_to_a_text():
    head = [{"image": f"{i}.png", "title": f"IMG_{i:04}", "caption": "a soup"} for i in range(20)]
    assert guess_mapping(head[0], head)["title"] == "caption"
    for row in head[:3]:
        row["title"] = "Bread"
    assert guess_mapping(head[0], head)["title"] == "title"
    alone = [{"title": f"{i}.jpg", "image": f"{i}.jpg"} for i in range(20)]
    assert guess_mapping(alone[0], alone)["title"] == "title"


def test_an_empty_column_gives_way_to_one_that_holds_something():
    head = [{"image": "", "file": f"{i}.png", "title": None, "name": "a soup"} for i in range(9)]
    assert guess_mapping(head[0], head) == {"picture": "file", "title": "name"}
    assert guess_mapping(["title"], [{"title": ""}] * 9) == {"title": "title"}


@pytest.mark.parametrize(
    ("name", "cells", "taken"),
    [
        ("split", ["train", "val", ""], True),
        ("split", ["left", "right"], False),  # of a banana split, perhaps
        ("subset", ["train", "test"], True),
        ("Usage", ["Training", "Testing"], True),
        ("subset", ["train", ""], False),
        ("set", ["A", "B"], False),
    ],
)
def test_a_split_is_recognised_by_its_cells(name, cells, taken):
    head = [{name: cell, "title": "a soup"} for cell in cells * 5]
    assert ("partition" in guess_mapping(head[0], head)) == taken


def test_ids_that_repeat_are_none():
    head = [{"id": i // 5, "image": f"{i}.png", "caption": "a soup"} for i in range(20)]
    assert "id" not in guess_mapping(head[0], head)
    assert make_mapping(head[0], {"id": "id"}, records=head).id == "id"
    head = [row | {"id": i} for i, row in enumerate(head)]
    assert guess_mapping(head[0], head)["id"] == "id"


def test_pictures_on_the_web_are_no_files():
    head = [{"image": f"https://x.org/{i}.png", "file": f"{i}.png", "title": "a"} for i in range(9)]
    assert guess_mapping(head[0], head)["picture"] == "file"
    assert guess_mapping(["image", "title"], head)["picture"] == "image"
