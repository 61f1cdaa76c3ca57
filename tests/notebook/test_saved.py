"""What stays of a view and its bars where no kernel is."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import rivae
from rivae.notebook.opening import _bar
from rivae.notebook.view import ALONE, View
from tests.waiting import PATIENCE_S

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def view() -> View:
    return rivae.explore("demo-digits", progress=False)


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is shown in the cell, as a kernel sends it."""
    import IPython.display

    shown: list[dict[str, Any]] = []
    monkeypatch.setattr(IPython.display, "display", lambda data, **_: shown.append(data))
    return shown


def test_below_a_view_stands_one_sentence_for_pages_without_a_kernel(
    view: View, displayed: list[dict[str, Any]]
) -> None:
    view._ipython_display_()
    widget, alone = displayed
    assert "application/vnd.jupyter.widget-view+json" in widget and not widget["text/plain"]
    said = ALONE.format("demo-digits", len(view.items))
    assert alone["text/plain"] == said and said in alone["text/html"]
    assert view._still in alone["text/html"] and view.get_state("_still")["_still"] == view._still


def test_it_is_text_whatever_the_run_is_called(
    view: View, displayed: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "_alone", HOSTILE)
    view._ipython_display_()
    assert "<img" not in displayed[1]["text/html"] and "&lt;img" in displayed[1]["text/html"]


@pytest.mark.parametrize("shares", [(), (0.2, 0.98), (0.5, 1.0)])
def test_a_bar_that_is_done_goes(shares: tuple[float, ...], monkeypatch: Any) -> None:
    bars = in_a_notebook(monkeypatch)
    with _bar("Opening", True) as tell:
        for share in shares:
            tell(share)
    assert bars[0].n == bars[0].total and "danger" not in bars[0].styles
    assert bars[0].container.comm is None  # closed


def test_a_bar_of_what_failed_stays(monkeypatch: Any) -> None:
    bars = in_a_notebook(monkeypatch)
    with pytest.raises(ZeroDivisionError), _bar("Opening", True) as tell:
        tell(0.5)
        raise ZeroDivisionError
    assert bars[0].n == 50 and bars[0].styles[-1] == "danger"


def in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The bars that tqdm makes as it does in a notebook."""
    import tqdm.auto
    import tqdm.notebook

    bars: list[Any] = []

    class Bar(tqdm.notebook.tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self.styles: list[Any] = []
            super().__init__(*args, **kwargs)
            bars.append(self)

        def display(self, *args: Any, **kwargs: Any) -> None:
            self.styles.append(kwargs.get("bar_style"))
            super().display(*args, **kwargs)

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    return bars


@pytest.fixture(scope="module")
def book(kernel_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A notebook with a view that was run to its end."""
    import nbformat
    from nbclient import NotebookClient

    text = "import rivae\nview = rivae.explore('demo-digits')\nview"
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)])
    where = {"metadata": {"path": str(tmp_path_factory.mktemp("run"))}}
    NotebookClient(made, timeout=PATIENCE_S, kernel_name="python3", resources=where).execute()
    return made


@pytest.mark.slow
@pytest.mark.parametrize("keeps_state", [True, False])
def test_a_notebook_saved_as_a_page_shows_the_sentence_alone(
    keeps_state: bool, book: Any, tmp_path: Path, browser: Any
) -> None:
    from nbconvert import HTMLExporter

    book = copy.deepcopy(book)
    assert "widgets" in book.metadata
    if not keeps_state:
        book.metadata.pop("widgets")
    path = tmp_path / "saved.html"
    path.write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    shown = page.locator(".jp-OutputArea").inner_text()
    context.close()
    assert shown.strip() == ALONE.format("demo-digits", len(rivae.load_run("demo-digits").items))
