"""The notebooks of docs/ run from top to bottom, and are kept without what they showed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Any:
    import nbformat  # a second of grammars that no other test needs

    book = nbformat.read(path, 4)
    nbformat.validate(book)
    return book


def test_there_are_notebooks() -> None:
    assert {path.stem for path in BOOKS} == {"explore-a-run", "own-arrays"}


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_is_kept_without_outputs(path: Path) -> None:
    book = read(path)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    assert "widgets" not in book.metadata


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, kernel_home: Path, tmp_path: Path) -> None:
    from nbclient import NotebookClient

    book = read(path)
    NotebookClient(
        book,
        timeout=PATIENCE_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    shown = [
        output.data for cell in book.cells for output in cell.get("outputs", ()) if "data" in output
    ]
    kinds = {kind for data in shown for kind in data}
    assert "application/vnd.jupyter.widget-view+json" in kinds  # the view
    assert "text/html" in kinds  # a table
    # Nothing is told on the side: no warning, no bar that stayed.
    streams = [
        o for cell in book.cells for o in cell.get("outputs", ()) if o.output_type == "stream"
    ]
    assert [o.text for o in streams if o.name == "stderr"] == []
