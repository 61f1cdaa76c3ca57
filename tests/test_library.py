"""The library without the app: what it imports, and what it says where the app would be needed."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from rivae.app import serve
from rivae.base.errors import ConfigError
from rivae.base.installed import PROJECT, how_to_install
from rivae.cli import main
from rivae.exploring.layouts import lay_out
from rivae.figures.export import ExportError, export_bytes
from rivae.figures.heatmap import correlation_heatmap

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = packages_distributions()  # what is imported -> what pip installs
# What comes with a requirement and is imported itself.
BROUGHT = {
    "annotated-types": "pydantic",
    "choreographer": "kaleido",
    "huggingface-hub": "transformers",
    "ipython": "anywidget",
    "joblib": "scikit-learn",
    "mlflow": "mlflow-skinny",
    "packaging": "pytest",
    "pydantic-core": "pydantic",
    "traitlets": "anywidget",
}
# Rooms that need an extra as a whole.
ROOM_EXTRAS = {"app": "app", "notebook": "notebook"}
# Files of others that do; nothing loads them before that extra is known to be there.
FILE_EXTRAS = {"rivae/base/cluster_worker.py": "cluster"}
# Streamlit brings these; nothing below the app imports them.
SERVER = {"anyio", "starlette", "uvicorn"}


def names(lines):
    return {Requirement(line).name.lower() for line in lines}


@pytest.fixture(scope="module")
def project():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]


def imported(path):
    """What a file imports of others: (package, whether loading the file does)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        words = []
        if isinstance(node, ast.Import):
            words = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            words = [node.module]
        for word in words:
            top = word.split(".")[0]
            if node not in typing and top != "rivae" and top not in sys.stdlib_module_names:
                distribution = PACKAGES.get(top, [top])[0].lower().replace("_", "-")
                yield BROUGHT.get(distribution, distribution), node in tree.body


def test_the_library_imports_only_what_it_brings(project):
    library = names(project["dependencies"])
    extras = {
        extra: names(lines)
        for extra, lines in project["optional-dependencies"].items()
        if extra != "dev"
    }
    optional = set().union(*extras.values())
    wrong = []
    for path in sorted((ROOT / "rivae").rglob("*.py")):
        room = path.relative_to(ROOT / "rivae").parts[0]
        file = path.relative_to(ROOT).as_posix()
        own = extras.get(ROOM_EXTRAS.get(room) or FILE_EXTRAS.get(file, ""), set())
        own |= SERVER if room == "app" else set()
        for package, at_once in imported(path):
            allowed = library | own | (set() if at_once else optional)
            if package not in allowed:
                wrong.append(f"{file}: {package}")
    assert wrong == [], "add it to a list of pyproject.toml, or import it where it is used"


@pytest.mark.slow
def test_the_library_brings_only_what_it_imports(project):
    files = list((ROOT / "rivae").rglob("*.py"))
    used = {p for path in files for p, _ in imported(path)}
    # Weights are read from their package, whose code does not run.
    used |= {p for path in files for p in re.findall(r'package="([\w-]+)"', path.read_text())}
    assert names(project["dependencies"]) - used == set()
    assert names(project["optional-dependencies"]["app"]) - used == set()


@pytest.fixture
def without_app(monkeypatch, project):
    for package in ("streamlit", "kaleido", "pacmap", "starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, package, None)


def one_sentence(said):
    assert said.count("\n") <= 1 and how_to_install("app") in said
    return True


@pytest.mark.parametrize("command", [["serve"], ["open", "table.csv", "--images", "photos"]])
def test_commands_of_the_app_name_its_extra(command, without_app, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    (tmp_path / "table.csv").write_text("title,image\na,b.png\n")
    assert main(command) == 1
    assert one_sentence(capsys.readouterr().err)
    assert not (tmp_path / "data").exists(), "nothing is imported for an app that is not there"


def test_the_launcher_names_the_extra(without_app, capsys):
    assert serve.main([]) == 1
    assert one_sentence(capsys.readouterr().err)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_chart_as_a_picture_names_the_extra(kind, without_app):
    chart = correlation_heatmap(np.ones((2, 2)), ["a", "b"])
    with pytest.raises(ExportError) as refused:
        export_bytes(chart, kind)
    assert one_sentence(str(refused.value))
    assert export_bytes(chart, "html")


def test_a_layout_names_the_extra(without_app):
    points = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    with pytest.raises(ConfigError) as refused:
        lay_out(len(points), points.__getitem__)
    assert one_sentence(str(refused.value))


def test_the_extra_that_is_named_exists(project):
    assert project["name"] == PROJECT
    code = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "rivae").rglob("*.py"))
    named = set(re.findall(r"how_to_install\(['\"](\w+)['\"]\)", code))
    assert "app" in named and named <= project["optional-dependencies"].keys()


# What another project sees: the command line and every room but the app, in a new process.
ALONE = """
import sys
for package in {hidden}:
    sys.modules[package] = None
import pkgutil, importlib, rivae
for module in pkgutil.walk_packages(rivae.__path__, "rivae."):
    if not module.name.startswith(("rivae.app", "rivae.notebook", "rivae.__main__")):
        importlib.import_module(module.name)
"""


@pytest.mark.slow
def test_every_room_of_the_library_loads_without_the_app(project):
    hidden = sorted(names(project["optional-dependencies"]["app"]) | SERVER)
    code = ALONE.format(hidden=hidden)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
