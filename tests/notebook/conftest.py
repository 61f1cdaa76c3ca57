"""A real JupyterLab, and one of its notebooks as a visitor sees it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "notification": {"fetchNews": "false", "checkForUpdates": False},
    "themes": {"theme": "JupyterLab Light"},
}


@pytest.fixture(scope="session")
def kernel_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where Jupyter keeps what it writes, for as long as its tests run."""
    home = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG", "DATA", "RUNTIME"):
            patch.setenv(f"JUPYTER_{name}_DIR", str(home / name.lower()))
        patch.setenv("JUPYTERLAB_SETTINGS_DIR", str(home / "settings"))
        patch.setenv("JUPYTERLAB_WORKSPACES_DIR", str(home / "workspaces"))
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.delenv("RIVAE_RUNS", raising=False)
        for name, values in SETTINGS.items():
            path = home / "settings/@jupyterlab/apputils-extension" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        yield home


@pytest.fixture(scope="session")
def lab(kernel_home: Path, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """``(address, folder)`` of a JupyterLab that serves the folder."""
    folder, log = tmp_path_factory.mktemp("notebooks"), kernel_home / "server.log"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.news_url="]
    command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with log.open("w") as stream:
        server = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)
        try:
            yield _address(server, kernel_home / "runtime", log), folder
        finally:
            server.terminate()
            server.wait(timeout=PATIENCE_S)


def _address(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and server.poll() is None:
        for told in runtime.glob("jpserver-*.json"):
            try:
                address = json.loads(told.read_text())["url"]
                urllib.request.urlopen(f"{address}api", timeout=2).close()
                return address
            except (OSError, ValueError):
                pass
        time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


class Notebook:
    """A notebook in JupyterLab; ``page`` fails its test for errors in the browser."""

    def __init__(self, page: Any, address: str, folder: Path, cells: tuple[str, ...]) -> None:
        import nbformat  # a second of grammars that no other test needs

        self.page, self.foreign = page, []
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
        book.metadata.kernelspec = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        name = f"{len(list(folder.iterdir()))}.ipynb"
        nbformat.write(book, folder / name)
        page.on("request", lambda asked: self._note(asked.url, address))
        page.set_viewport_size({"width": 1440, "height": 1400})
        page.goto(f"{address}lab/tree/{name}?reset")
        self.cells = page.locator(".jp-Notebook .jp-CodeCell")
        self.cells.nth(len(cells) - 1).wait_for()
        # It is called idle before it has a kernel, too; to run a cell then asks which one to take.
        page.locator(".jp-Toolbar-kernelName", has_text="Python 3").first.wait_for()
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first.wait_for()

    def _note(self, url: str, address: str) -> None:
        if not url.startswith((address, address.replace("http", "ws"), "data:", "blob:")):
            self.foreign.append(url)

    def run(self, at: int) -> list[str]:
        """Run a cell; the lines of what it prints."""
        cell = self.cells.nth(at)
        prompt = cell.locator(".jp-InputPrompt").first
        before = prompt.inner_text()
        deadline = time.monotonic() + 300
        asked_at, by_key = 0.0, True
        while not re.match(r"\[\d+\]", told := prompt.inner_text()) or told == before:
            now = time.monotonic()
            assert now < deadline, f"{told!r} {self._state()}"
            # A kernel that is not connected (yet, or any more: then what it was asked is forgotten)
            # hears nothing, nor does a notebook whose focus the view has just taken: it is asked
            # again, in the other way.
            if "*" not in told and now > asked_at + 5:
                cell.locator(".cm-content").click()
                if by_key:
                    self.page.keyboard.press("Control+Enter")
                else:
                    self.page.locator("[data-command='notebook:run-cell-and-select-next']").click()
                asked_at, by_key = time.monotonic(), not by_key
            self.page.wait_for_timeout(100)
        kind = "[data-mime-type='application/vnd.jupyter.stderr']"
        error = cell.locator(kind, has_text="Traceback")
        assert not error.count(), error.first.inner_text()
        printed = cell.locator("[data-mime-type='application/vnd.jupyter.stdout']")
        return printed.first.inner_text().splitlines() if printed.count() else []

    def _state(self) -> str:
        """What a notebook that does not run a cell says of itself."""
        kernel = self.page.locator(".jp-Notebook-ExecutionIndicator").first
        focus = self.page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        return f"kernel {kernel.get_attribute('data-status')}, focus {focus}"

    def view(self, at: int = 0) -> Any:
        """The view below a cell, once its pictures are there."""
        found = self.cells.nth(at).get_by_test_id("rivae-view")
        found.get_by_test_id("tile").nth(4).wait_for()
        return found


@pytest.fixture
def notebook(page: Any, lab: Any) -> Callable[..., Notebook]:
    """Opens a notebook of these cells."""
    return lambda *cells: Notebook(page, *lab, cells)
