"""A store of every kind as the version before 2026-11-27 made it, and imports to replace it with.

``made_before.zip`` holds what that version wrote (commit f3dcfa3): a table with photos and its
import, a trained and evaluated run with an axis name and its cache, an interrupted run, and labels
with a plan.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rivae.base.files import write_json
from rivae.data.importing import run_import
from rivae.data.importing.plan import Plan
from rivae.data.store import data_root

ARCHIVE = Path(__file__).parent / "made_before.zip"


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with everything that the earlier version wrote, where this one looks for it."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    monkeypatch.setenv("RIVAE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("RIVAE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("RIVAE_LABELS", str(tmp_path / "labels" / "labels.db"))
    return tmp_path


@pytest.fixture
def import_again(before: Path) -> Callable[..., Path]:
    """Replace the import by that of the table as ``change`` leaves its rows."""

    def again(
        change: Callable[[list[dict[str, str]]], list[dict[str, str]]] = list, name: str = "old"
    ) -> Path:
        with (before / "table.csv").open(newline="") as stream:
            rows = change(list(csv.DictReader(stream)))
        table = before / "changed.csv"
        with table.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        folder = data_root() / name
        if folder.exists():
            folder.rename(before / f"away-{len(list(before.glob('away-*')))}")
        plan = Plan(table=table, images=(before / "photos",), name=name, side=32)
        run_import(plan.source(), plan.settings())
        return folder

    return again


def dated(store: Path, created: str) -> None:
    """Make an import as old as ``created`` says; its content stays."""
    import json

    path = store / "store.json"
    write_json(path, {**json.loads(path.read_text()), "created": created})
