"""What people get who install the app: one wheel that holds all of it, served from any folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from rivae.base.files import write_cache
from rivae.base.installed import (
    APP_FILES,
    CACHE,
    IN_WHEEL,
    app_files,
    cache_folder,
    how_to_install,
)
from tests.conftest import KITCHEN_AXES
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.xdist_group("wheel")


def test_the_apps_files_lie_in_the_package_or_beside_it(tmp_path, repo_root):
    assert repo_root == APP_FILES
    assert app_files(tmp_path / "rivae") == tmp_path
    (tmp_path / "rivae" / IN_WHEEL).mkdir(parents=True)
    assert app_files(tmp_path / "rivae") == tmp_path / "rivae" / IN_WHEEL


def test_caches_of_what_pip_installed_are_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    app = tmp_path / "site" / "rivae" / IN_WHEEL
    demo, own = app / "assets" / "demo" / "demo-synth", tmp_path / "runs" / "demo-synth"
    for folder in (demo, own):
        folder.mkdir(parents=True)
    assert cache_folder(own, app) == own / CACHE
    assert cache_folder(demo, app=tmp_path / "site") == demo / CACHE  # a checkout
    first = cache_folder(demo, app)
    assert first.parent == tmp_path / "caches" / "rivae" and first.parent.is_dir()
    assert cache_folder(demo, app) == first
    os.utime(demo, ns=(0, 0))  # pip installed it again
    assert cache_folder(demo, app) != first
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder(demo, app).is_relative_to(tmp_path / "home")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    nowhere = cache_folder(demo, app)
    write_cache(nowhere / "kept", lambda stream: stream.write(b"x"))
    assert not nowhere.exists()


def project_files(root: Path) -> list[str]:
    """What a checkout holds, and what is about to be added to it."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=False)
    return [name for name in done.stdout.split("\0") if (root / name).is_file()]


@pytest.fixture(scope="module")
def checkout(repo_root, tmp_path_factory):
    """A copy of the project, as it is built without leaving traces here."""
    folder, names = tmp_path_factory.mktemp("checkout"), project_files(repo_root)
    if not names:
        pytest.skip("what belongs to the project is known to git only")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(repo_root / name, folder / name)
    # The app keeps these beside its data; neither is for others.
    for cache in ("assets/kitchen", "assets/kitchen-rendered", "assets/demo/demo-synth"):
        (folder / cache / "cache").mkdir()
        (folder / cache / "cache" / "kept.npy").write_bytes(b"x")
    return folder


@pytest.fixture(scope="module")
def unpacked(checkout):
    """The wheel's content, built without a network by what builds it for everybody."""
    built = checkout / "built"
    command = [sys.executable, "-m", "pip", "wheel", ".", "--wheel-dir", str(built), "--quiet"]
    command += ["--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = built.glob("*.whl")
    assert wheel.stat().st_size < 45e6
    zipfile.ZipFile(wheel).extractall(built / "site")
    return built / "site"


@pytest.mark.slow
def test_the_wheel_and_the_sdist_hold_what_belongs_to_them(checkout, unpacked, repo_root):
    there = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    names = project_files(repo_root)
    shown = [n for n in names if n.startswith(("pages/", "assets/")) or n == "app.py"]
    shown += [".streamlit/config.toml", "benchmarks/results/results.parquet"]
    shown.remove("assets/screenshot.png")  # the README's
    assert [n for n in shown if f"rivae/{IN_WHEEL}/{n}" not in there] == []
    assert [n for n in names if n.startswith("rivae/") and n not in there] == []
    (listed,) = checkout.glob("*.egg-info/SOURCES.txt")  # what an sdist holds
    sdist = set(listed.read_text().splitlines())
    assert [n for n in names if n not in sdist and n != ".gitignore"] == []
    assert [n for n in there | sdist if "cache/" in n or "/tests" in n] == []
    (metadata,) = unpacked.glob("*.dist-info/METADATA")
    lines = re.findall(r"^Requires-Dist: (.+)$", metadata.read_text(), re.MULTILINE)
    alone = {re.match(r"[\w-]+", line)[0] for line in lines if "extra ==" not in line}
    with_app = {re.match(r"[\w-]+", line)[0] for line in lines if 'extra == "app"' in line}
    assert {"torch", "plotly"} <= alone and {"streamlit", "kaleido", "pacmap"} <= with_app
    assert not alone & with_app and "setuptools" not in alone  # only building needs the latter
    assert "rivae/py.typed" in there


def home(address: str) -> list:
    """All that the server sends to a browser that opens Home."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.sync.client import connect

    question, said = BackMsg(), []
    question.rerun_script.query_string = ""  # as a browser sends it
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], origin=address, max_size=None) as line:
        line.send(question.SerializeToString())
        while not said or said[-1].WhichOneof("type") != "script_finished":
            said.append(ForwardMsg.FromString(line.recv(timeout=PATIENCE_S)))
    return said


@pytest.mark.slow
def test_the_wheel_serves_the_whole_app_from_any_folder(
    unpacked, start_app, tmp_path, repo_root, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    app = unpacked / "rivae" / IN_WHEEL
    folders = [app, *(path for path in app.rglob("*") if path.is_dir())]
    installed = set(app.rglob("*"))
    here = tmp_path / "here"
    here.mkdir()
    (here / "random.py").write_text("raise ImportError('a file of the user')\n")
    page_code = (repo_root / "assets" / "components" / "page.js").read_text(encoding="utf-8")
    for folder in folders:
        folder.chmod(0o555)  # as an administrator installs it
    with start_app(here / "runs", tmp_path / "log", site=unpacked, here=here) as address:
        said = home(address)
        found = {}
        for run, z in (("demo-synth", "0,0"), ("demo-kitchen", "0," * KITCHEN_AXES)):
            topk = f"{address}/rivae/api/run/topk?run={run}&z={z}&k=3"
            with urllib.request.urlopen(topk, timeout=PATIENCE_S) as reply:
                found[run] = json.load(reply)
    for folder in folders:
        folder.chmod(0o755)
    (started,) = [m.new_session for m in said if m.WhichOneof("type") == "new_session"]
    assert Path(started.main_script_path).is_relative_to(unpacked.resolve())
    elements = [m.delta.new_element for m in said if m.WhichOneof("type") == "delta"]
    assert not [e for e in elements if e.WhichOneof("type") == "exception"]
    assert "RIVAE Explorer" in {e.heading.body for e in elements}
    pictures = " ".join(e.html.body for e in elements)
    named = " ".join(e.markdown.body for e in elements).replace("\\", "")
    for run in (repo_root / "assets" / "demo").iterdir():
        assert run.name in named
    for run in ("demo-kitchen", "demo-sprites", "demo-digits", "demo-synth"):
        assert f"/rivae/api/run/strip/{run}" in pictures
    assert any(page_code in e.bidi_component.js_content for e in elements)
    assert [len(answer["ids"]) for answer in found.values()] == [3, 3]
    assert {path for path in app.rglob("*") if "__pycache__" not in path.parts} == installed
    kept = {path.name.rpartition("-")[0] for path in (tmp_path / "caches" / "rivae").iterdir()}
    assert kept == {"kitchen-rendered", "demo-synth", "demo-kitchen"}
    assert [path.name for path in here.iterdir()] == ["random.py"], "no demo run is copied"


@pytest.mark.slow
def test_the_demo_runs_of_a_wheel_cannot_be_deleted(unpacked, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "rivae", "delete", "demo-synth", "--yes"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "comes with the project" in done.stderr
    assert (unpacked / "rivae" / IN_WHEEL / "assets" / "demo" / "demo-synth").is_dir()


# A process that has the wheel, and none of the packages of the app.
WITHOUT_APP = """
import runpy, sys
for package in ("streamlit", "kaleido", "pacmap", "starlette", "uvicorn"):
    sys.modules[package] = None
sys.argv[0] = "rivae"
runpy.run_module("rivae", run_name="__main__")
"""


@pytest.mark.slow
def test_the_library_of_the_wheel_trains_without_the_app(unpacked, tmp_path):
    def rivae(*words):
        return subprocess.run(
            [sys.executable, "-P", "-c", WITHOUT_APP, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(unpacked), "RIVAE_RUNS": str(tmp_path / "runs")},
            capture_output=True,
            text=True,
        )

    shown = rivae("--help")
    assert shown.returncode == 0 and "train" in shown.stdout, shown.stderr
    settings = ("init=cos-sim-lvm", "anchor=null", "dataset.n_pairs=150")
    settings += ("init_epochs=1", "ivae_epochs=1", "joint_epochs=1")
    words = [word for setting in settings for word in ("--set", setting)]
    trained = rivae("train", "synth", "--name", "mine", *words)
    assert trained.returncode == 0, trained.stderr
    measured = rivae("evaluate", "mine", "--json")
    assert measured.returncode == 0 and "recall_at_1" in measured.stdout, measured.stderr
    refused = rivae("serve")
    assert refused.returncode == 1 and how_to_install("app") in refused.stderr
