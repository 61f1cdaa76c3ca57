"""The house rules that a linter does not know, over every file of the project."""

import ast
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = sorted((ROOT / "rivae").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
CODE = [
    *LIBRARY,
    *PAGES,
    *ROOT.glob("*.py"),
    *(ROOT / "tests").rglob("*.py"),
    *(ROOT / "benchmarks").rglob("*.py"),
]
TEXT_SUFFIXES = {".py", ".md", ".toml", ".txt", ".json", ".jsonl", ".js", ".css", ".sh", ".html"}
# Built at run time so that this file does not contain what it looks for.
_FOLDERS = ("work/", r"home/\w", "root/", "tmp/rv", r"Users/\w")
MACHINE_PATHS = re.compile("|".join(rf"(?<![\w.])/{folder}" for folder in _FOLDERS))
LEFTOVERS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@pytest.mark.parametrize("path", LIBRARY, ids=name)
def test_streamlit_stays_in_the_user_interface(path):
    if path.is_relative_to(ROOT / "rivae" / "ui"):
        return
    assert "streamlit" not in imports(parse(path))


@pytest.mark.parametrize("path", CODE, ids=name)
def test_no_pickle(path):
    tree = parse(path)
    assert not {"pickle", "dill", "cloudpickle", "shelve", "joblib"} & imports(tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = ast.unparse(call.func)
        keywords = {k.arg: ast.unparse(k.value) for k in call.keywords}
        if called == "torch.load":
            assert keywords.get("weights_only") == "True", f"line {call.lineno}"
        if called.endswith(("np.load", "numpy.load")):
            assert keywords.get("allow_pickle", "False") == "False", f"line {call.lineno}"


@pytest.mark.parametrize("path", CODE, ids=name)
def test_files_are_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 350, "one idea per file: split it"
    if path in PAGES:
        assert lines < 150, "a page is layout only"


@pytest.mark.parametrize("path", CODE, ids=name)
def test_no_swallowed_errors_and_no_leftovers(path):
    text = path.read_text(encoding="utf-8")
    for handler in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ExceptHandler)):
        assert handler.type is not None, f"line {handler.lineno}: a bare except"
    assert not LEFTOVERS.search(text)


def public_modules() -> list[str]:
    import rivae

    found = [m.name for m in pkgutil.walk_packages(rivae.__path__, "rivae.")]
    return ["rivae", *(m for m in found if not m.endswith("__main__"))]


def in_protocols(module: object) -> set[str]:
    """Names that a Protocol of this module documents: its implementations need not repeat that."""
    protocols = [c for c in vars(module).values() if getattr(c, "_is_protocol", False)]
    return {key for c in protocols for key, value in vars(c).items() if inspect.getdoc(value)}


def undocumented(owner: object, module: str, prefix: str, known: set[str]) -> list[str]:
    missing = []
    for key, value in vars(owner).items():
        if key.startswith("_") or getattr(value, "__module__", module) != module:
            continue
        if inspect.isclass(value):
            if not inspect.getdoc(value):
                missing.append(prefix + key)
            missing += undocumented(value, module, f"{prefix}{key}.", known)
        elif inspect.isfunction(value):
            # An override inherits its text; a short method may speak for itself.
            spared = key in known or len(inspect.getsource(value).splitlines()) <= 6
            if not (inspect.isclass(owner) and spared) and not inspect.getdoc(getattr(owner, key)):
                missing.append(prefix + key)
    return missing


@pytest.mark.parametrize("module", public_modules())
def test_public_names_are_documented(module):
    loaded = importlib.import_module(module)
    assert loaded.__doc__, "the module has no docstring"
    assert undocumented(loaded, module, f"{module}.", in_protocols(loaded)) == []


def committed_files() -> list[Path]:
    import subprocess

    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    names = [n for n in done.stdout.split("\0") if n]
    if not names:  # an unpacked archive: no git
        return CODE
    return [ROOT / n for n in names if (ROOT / n).is_file()]


def test_no_path_of_one_machine():
    found = []
    for path in committed_files():
        if path.suffix not in TEXT_SUFFIXES and path.name not in ("Makefile", "run"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if MACHINE_PATHS.search(line):
                found.append(f"{name(path)}:{number}")
    assert found == []


def test_the_demo_runs_stay_small():
    total = sum(f.stat().st_size for f in (ROOT / "assets" / "demo").rglob("*") if f.is_file())
    assert total < 15e6
