import pytest

from rivae.base.errors import ConfigError
from rivae.data import load_dataset
from rivae.exploring.catalogue import Catalogue


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue(load_dataset("split-digits"))


def test_find_takes_words_and_numbers(catalogue):
    sevens = catalogue.find("DIGIT 7")
    digit = catalogue.data.factors[sevens, 0]
    assert len(sevens) and (digit == 7).any()
    row = int(catalogue.search_rows[5])
    assert catalogue.find(str(row))[0] == row
    assert catalogue.find("").tolist() == catalogue.search_rows.tolist()
    assert len(catalogue.find("no such word")) == 0


def test_items_are_found_by_factor(catalogue):
    rows = catalogue.with_factor(0, 3, 4)
    assert set(catalogue.data.factors[rows, 0]) == {3.0, 4.0}
    assert set(rows) <= set(catalogue.search_rows)


def test_an_item_in_words(catalogue):
    row = int(catalogue.search_rows[0])
    item = catalogue.item(row)
    assert item.split == "test" and item.title == catalogue.data.title(row)
    assert [f.name for f in item.factors] == ["digit"]


def test_a_side_that_does_not_exist_is_refused(catalogue):
    row = int(catalogue.search_rows[0])
    for ask in (catalogue.thumbnail, catalogue.picture):
        with pytest.raises(ConfigError, match="side must be"):
            ask(row, 3)
