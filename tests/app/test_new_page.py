"""A page is one file: that of ``docs/extending.md`` stands among the others at once."""

import re
import shutil

import pytest

from rivae.app.shared import finder
from rivae.app.shell import pages
from tests.app.conftest import ROOT, App
from tests.documented import example


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the app's pages with the one of the documentation."""
    shutil.copytree(ROOT / "pages", tmp_path / "pages")
    (tmp_path / "pages" / "sizes.py").write_text(example("A page"))
    monkeypatch.setattr(pages, "APP_FILES", tmp_path)
    pages.pages.cache_clear()
    yield tmp_path / "pages"
    pages.pages.cache_clear()


def test_a_page_of_one_file_has_its_tab_help_and_layout(runs, folder):
    app = App()
    app.at.switch_page(str(folder / "sizes.py")).run()
    app.calm()
    words = app.words.replace("\\", "")
    assert "One line for every run" in words
    assert "Split-digits" in words or "digits" in words
    assert pages.tabs("Evidence")[-1][1].title == "Sizes"
    titles = [
        hit["title"] for hit in finder.hits({"text": "sizes", "seq": 1}, lambda *_: None)["hits"]
    ]
    assert titles == ["Evidence: Sizes"]


def test_a_page_without_a_declaration_is_named(tmp_path):
    file = tmp_path / "empty.py"
    file.write_text("import streamlit as st\n")
    with pytest.raises(ValueError, match=re.escape(pages.NO_DECLARATION.format("empty.py"))):
        pages.declared(file)


def test_every_view_has_an_address_of_its_own():
    for page in pages.pages().values():
        for view in page.views:
            assert page.view(view.params) is view
        assert page.view({}) is page.views[0]
        assert {view.place for view in page.views} <= set(pages.PLACES)
    for place in pages.PLACES:
        titles = [view.title for _, view in pages.tabs(place)]
        assert titles and len(set(titles)) == len(titles), place
