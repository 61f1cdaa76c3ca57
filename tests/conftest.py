"""What several test files share: the optional data, a browser, a running app."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

# Before torch is imported anywhere: two test processes on two cores, one thread each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What a shell starts in the background ignores Ctrl-C, and so would all that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest
from hypothesis import HealthCheck, settings

from rivae.base.browser import HOW_TO, find_browser
from tests.waiting import PATIENCE_S, until

# The same draws in every run, without a clock (the machine may be busy); tests/fuzz.py draws more.
settings.register_profile(
    "ci",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
if examples := os.environ.get("RIVAE_FUZZ_EXAMPLES"):
    settings.register_profile(
        "fuzz", settings.get_profile("ci"), max_examples=int(examples), derandomize=False
    )
settings.load_profile("fuzz" if examples else "ci")

ROOT = Path(__file__).resolve().parents[1]
DEMO_KITCHEN = json.loads((ROOT / "assets" / "demo" / "demo-kitchen" / "config.json").read_text())
KITCHEN_AXES: int = DEMO_KITCHEN["method"]["settings"]["n_components"]
REQUIRE_BROWSER = os.environ.get("RIVAE_REQUIRE_BROWSER") == "1"
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Pages of tests are young: compiling what runs often once more takes a tenth of a browser's time.
YOUNG = "--js-flags=--no-opt --no-maglev"


# Which tests run: ``quick`` leaves out the slow ones, ``all`` runs every one; otherwise all but
# the rare among the slow ones, which repeat another with one more death or form of shared training.
WHICH = os.environ.get("RIVAE_TESTS", "")
# Where `make test` finds how many slow tests were left out, because its last line says so.
LEFT_OUT = os.environ.get("RIVAE_LEFT_OUT")


def is_left_out(item: pytest.Item) -> bool:
    """Whether ``RIVAE_TESTS`` leaves the test out."""
    slow = item.get_closest_marker("slow")
    if slow is None or WHICH == "all":
        return False
    return WHICH == "quick" or bool(slow.kwargs.get("rare"))


def browser_group(path: Path) -> str:
    """Browser tests run in two processes, so that in each one app and one browser serve its files.
    A file stays whole; the names of files halve the time about evenly (see `--durations`)."""
    return "browser" if path.parent.name == "e2e" and path.name < "test_m" else "browser 2"


def pytest_configure() -> None:
    """Tests that are being collected are no garbage; pytest_collection_finish turns this on."""
    gc.disable()


@pytest.hookimpl(wrapper=True, tryfirst=True)  # pytest-xdist reads the groups in the same hook
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Group the browser tests; leave out, of what was asked for, what ``RIVAE_TESTS`` says."""
    for item in items:
        # What names another fixture or parameter "page" needs none.
        if "browser_path" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            item.add_marker(pytest.mark.xdist_group(browser_group(item.path)))
        elif "server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("server"))
    yield
    left_out = [item for item in items if is_left_out(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item)]
    if LEFT_OUT and os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0":
        Path(LEFT_OUT).write_text(f"{len(left_out)}\n")


def pytest_collection_finish() -> None:
    """Eight thousand collected tests stay until the end: no collection of garbage has to read them.
    With that, and collections less often, the tests of pages take a sixth less time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say it loudly when the browser tests did not run."""
    skipped = terminalreporter.stats.get("skipped", [])
    missing = [r for r in skipped if "no browser:" in str(r.longrepr)]
    if missing:
        terminalreporter.section("BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(
            f"{len(missing)} tests need Chromium (Debian: apt-get install chromium) and Playwright."
        )


@pytest.fixture(autouse=True)
def _environment() -> Iterator[None]:
    """What a test, or the code it calls, leaves in the environment would change later tests. So
    would the last script of Streamlit's tests, which new processes of Dask take for the program.
    """
    before, program = dict(os.environ), sys.modules["__main__"]
    yield
    sys.modules["__main__"] = program
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update({name: text for name, text in before.items() if os.environ.get(name) != text})


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of optional development data (original dSprites, MNIST); skips without it."""
    folder = Path(os.environ.get("RIVAE_SHARED") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no development data in {folder}: set RIVAE_SHARED to its folder")
    return folder


def _no_browser(reason: str) -> None:
    if REQUIRE_BROWSER:
        pytest.fail(f"RIVAE_REQUIRE_BROWSER=1, but no browser: {reason}")
    pytest.skip(f"no browser: {reason}")


@pytest.fixture(scope="session")
def browser_path() -> str:
    """The path of the Chromium that tests drive; skips (or fails, see .ci/run) without one."""
    path = find_browser()
    if path is None:
        _no_browser(HOW_TO)
    return path


@pytest.fixture(scope="session")
def browser(browser_path: str) -> Iterator[Any]:
    """A Playwright browser on the system's Chromium; skips (or fails, see .ci/run) without one."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _no_browser("Playwright is not installed")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(
                executable_path=browser_path, args=[*CHROMIUM_ARGS, YOUNG]
            )
        except Error as error:
            _no_browser(f"{browser_path} does not start ({str(error).splitlines()[0]})")
        yield started
        started.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A fresh browser page; a script error that nobody caught fails the test that saw it, and so
    does what the content policy stops.
    """
    context = browser.new_context(viewport={"width": 1360, "height": 900})
    context.set_default_timeout(1000 * PATIENCE_S)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(f"{error} ({opened.url})"))
    opened.on(
        "console",
        lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None,
    )
    yield opened
    context.close()
    assert not errors, f"uncaught errors in the page: {errors}"


def _wait_until_healthy(address: str, server: subprocess.Popen[str], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the app did not start (exit status {server.poll()}):\n{log.read_text()}")


@pytest.fixture(scope="session")
def app_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of runs that ``app_server`` shows beside the demo runs; empty at first."""
    return tmp_path_factory.mktemp("app-runs")


@pytest.fixture(scope="session")
def app_labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of labels of ``app_server``; empty at first."""
    return tmp_path_factory.mktemp("app-labels") / "labels.db"


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running_app(
    runs: Path,
    log: Path,
    labels: Path | None = None,
    port: int | None = None,
    handles: list[subprocess.Popen[str]] | None = None,
    site: Path = ROOT,
    here: Path = ROOT,
) -> Iterator[str]:
    """The address of the real app, started as `make run` does; ended by its handle.

    Labels are kept beside the log, and the port is a free one, unless they are given; the handle
    is added to ``handles``. The package is taken from ``site``, and the app is started in ``here``.
    """
    port = free_port() if port is None else port
    command = [sys.executable, "-m", "rivae.app.serve", "--port", str(port), "--headless"]
    env = {**os.environ, "RIVAE_RUNS": str(runs), "PYTHONPATH": str(site)}
    env["RIVAE_LABELS"] = str(labels or log.with_name("labels.db"))
    with log.open("w") as stream:
        server = subprocess.Popen(
            command, cwd=here, env=env, stdout=stream, stderr=subprocess.STDOUT, text=True
        )
        if handles is not None:
            handles.append(server)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_healthy(address, server, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@pytest.fixture(scope="session")
def app_server(
    tmp_path_factory: pytest.TempPathFactory, app_runs: Path, app_labels: Path
) -> Iterator[str]:
    """The address of an app that all browser tests share, with the runs in ``app_runs``."""
    log = tmp_path_factory.mktemp("app") / "server.log"
    with running_app(app_runs, log, app_labels) as address:
        yield address


@pytest.fixture(scope="session")
def start_app() -> Callable[..., AbstractContextManager[str]]:
    """``running_app`` for tests that need an app of their own: (folder of runs, log file, …)."""
    return running_app


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., Any]:
    """``tests.waiting.until``."""
    return until


def draw_pairs(folder: Path, n: int) -> Path:
    """An import of ``n`` drawn pairs: a square whose brightness and place stand in the text."""
    import io

    import numpy as np
    from PIL import Image

    from rivae.data.base import Recipe
    from rivae.data.store import FactorColumn, StoreItem, StoreWriter

    writer = StoreWriter(folder, {"kind": "test"}, ("light", "place"), chunk_items=5 * n // 12)
    rng = np.random.default_rng(0)
    for i in range(n):
        light, place = int(rng.integers(5)), int(rng.integers(4))
        pixels = rng.integers(0, 40, (48, 48, 3)).astype(np.uint8)
        pixels[12 * place : 12 * place + 12] += np.uint8(40 + 40 * light)
        buffer = io.BytesIO()
        Image.fromarray(pixels).save(buffer, "JPEG", quality=90)
        words = ["dark", "dim", "grey", "light", "bright"][light]
        where = ["top", "upper", "lower", "bottom"][place]
        recipe = Recipe(
            f"r{i}",
            f"A {words} bar {i}",
            (f"{light + 1} cups {words} paint", f"1 {where} brush"),
            (f"Paint it {words} and {where}.",),
            tags=(words, where),
        )
        factors = {"light": float(light), "place": float(place)}
        writer.add(StoreItem(recipe, buffer.getvalue(), factors=factors), i + 1)
    columns = (
        FactorColumn(name="light", kind="ordinal", levels=("1", "2", "3", "4", "5")),
        FactorColumn(name="place", kind="ordinal", levels=("1", "2", "3", "4")),
    )
    manifest = {
        "name": "small",
        "title": "Small bars",
        "created": "2026-01-01T00:00:00+00:00",
        "picture_side": 48,
        "factors": columns,
    }
    return writer.finish(manifest, n)


@pytest.fixture(scope="session")
def small_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,200 pairs of ``draw_pairs``, which nothing changes for good."""
    return draw_pairs(tmp_path_factory.mktemp("data") / "small", 1200)


@pytest.fixture(scope="session")
def few_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """96 of them, for networks that look at each picture."""
    return draw_pairs(tmp_path_factory.mktemp("data") / "few", 96)


@pytest.fixture
def undescribed_store(few_pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of ``few_pairs``, without features; statistics are fitted to few of its pictures."""
    import shutil

    from rivae.data.features.sources import statistics

    monkeypatch.setattr(statistics, "MAX_FIT", 60)
    monkeypatch.setattr(statistics, "N_PATCHES", 16)
    monkeypatch.setattr(statistics, "COMPONENTS", (20, 20))
    folder = tmp_path / "pairs"
    shutil.copytree(few_pairs, folder)
    return folder
