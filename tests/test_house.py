"""The house rules that a linter does not know, over every file of the project."""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

# In one process, which reads each file once.
pytestmark = pytest.mark.xdist_group("files of the house")

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


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@functools.cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parse(path)))


def calls(path: Path) -> list[ast.Call]:
    return [node for node in nodes(path) if isinstance(node, ast.Call)]


# One test for all files: a test for each would be most of this project's tests.


def test_streamlit_stays_in_the_user_interface():
    interface = ROOT / "rivae" / "app"
    below = [path for path in LIBRARY if not path.is_relative_to(interface)]
    assert len(below) > 200
    assert [name(path) for path in below if "streamlit" in imports(path)] == []


def test_no_cache_of_streamlit_ends_by_the_clock():
    """Where one ends between two looks at it, Streamlit 1.67 raises a KeyError."""
    every_call = [call for path in CODE for call in calls(path)]
    caches = [call for call in every_call if "st.cache_" in ast.unparse(call.func)]
    assert caches and not [call for call in caches for k in call.keywords if k.arg == "ttl"]


def test_no_pickle():
    pickles = {"pickle", "dill", "cloudpickle", "shelve", "joblib"}
    # One sends work to Dask's workers, which nothing else can, and no file; one counts the cores.
    known = ["rivae/base/cluster.py", "rivae/base/cluster_worker.py", "rivae/base/cores.py"]
    assert [name(path) for path in CODE if pickles & imports(path)] == known


def test_nothing_is_loaded_that_could_be_a_pickle():
    found = []
    for path in CODE:
        for call in calls(path):
            called = ast.unparse(call.func)
            keywords = {k.arg: ast.unparse(k.value) for k in call.keywords}
            unsafe = called == "torch.load" and keywords.get("weights_only") != "True"
            if called.endswith(("np.load", "numpy.load")):
                unsafe = keywords.get("allow_pickle", "False") != "False"
            if unsafe:
                found.append(f"{name(path)}:{call.lineno}")
    assert found == []


def test_files_are_short():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    most = {path: 350 if path in LIBRARY else 400 for path in lines}
    assert [name(p) for p, n in lines.items() if n > most[p]] == [], "one idea per file: split it"
    assert [name(p) for p in PAGES if lines[p] >= 150] == [], "a page is layout only"


def test_no_swallowed_errors_and_no_leftovers():
    bare = [
        f"{name(path)}:{node.lineno}"
        for path in CODE
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]
    assert bare == []
    assert [name(p) for p in CODE if LEFTOVERS.search(p.read_text(encoding="utf-8"))] == []


def public_modules() -> list[str]:
    import rivae

    found = [m.name for m in pkgutil.walk_packages(rivae.__path__, "rivae.")]
    # Two are scripts: what `python -m rivae` and Streamlit run, with no names for others.
    return ["rivae", *(m for m in found if not m.endswith(("__main__", "rivae.app.main")))]


def in_protocols(module: object) -> set[str]:
    """Names that a Protocol of this module documents: its implementations need not repeat that."""
    protocols = [c for c in vars(module).values() if getattr(c, "_is_protocol", False)]
    return {key for c in protocols for key, value in vars(c).items() if inspect.getdoc(value)}


@functools.cache
def lengths(path: Path) -> dict[int, int]:
    """Lines of each function of a file, by the line on which it or its first decorator begins."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        (first := min(part.lineno for part in (node, *node.decorator_list))): (
            (node.end_lineno or first) - first + 1
        )
        for node in nodes(path)
        if isinstance(node, functions)
    }


def n_lines(function: FunctionType) -> int:
    """As ``inspect.getsource`` has them, which takes seconds for all."""
    code = inspect.unwrap(function).__code__
    return lengths(Path(code.co_filename))[code.co_firstlineno]


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
            spared = key in known or n_lines(value) <= 6
            if not (inspect.isclass(owner) and spared) and not inspect.getdoc(getattr(owner, key)):
                missing.append(prefix + key)
    return missing


# Where the app and the command line say something. What is in RULES came from the library.
RULES = ("forms", "passwords.py", "serve.py", "demo.py")
SHOWN = [
    *PAGES,
    *(
        path
        for path in LIBRARY
        if (parts := path.relative_to(ROOT).parts)[1] in ("app", "cli") and parts[2] not in RULES
    ),
]
# Names and titles: data to a test, though they read like a text.
DATA = {"RIVAE without L_Reg", "chance: random items", "full of fruit", "A data set"}


@functools.cache
def literals(path: Path) -> list[ast.Constant]:
    """The strings of a file, without docstrings and without what an assertion says on failure."""
    spared: set[ast.AST] = set()
    for node in nodes(path):
        if isinstance(node, ast.Expr):
            spared.add(node.value)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            spared |= set(ast.walk(node.msg))
    return [
        node
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in spared
    ]


def phrases(text: str, n: int) -> set[str]:
    """Every ``n`` words in a row, without case and punctuation; numbers and codes are no words."""
    words = [word.strip(".,:;!?()[]'\"`*|\\^$").lower() for word in text.split()]
    runs = (words[i : i + n] for i in range(len(words) - n + 1))
    return {" ".join(run) for run in runs if all(re.search("[a-z]", word) for word in run)}


def test_no_test_repeats_a_text():
    """A copy edit breaks no test: CONTRIBUTING.md says what a test asks for instead.

    Tests of the app and of the command line repeat no text of the library either.
    """
    # Three words that are all that a test looks for count; within more words, four do.
    said = {
        (n, everywhere): {
            phrase for path in paths for node in literals(path) for phrase in phrases(node.value, n)
        }
        for n in (3, 4)
        for everywhere, paths in ((True, [*PAGES, *LIBRARY]), (False, SHOWN))
    }
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        everywhere = path.parent.name in ("app", "cli", "e2e")
        for node in literals(path):
            n = 3 if len(node.value.split()) <= 3 else 4
            if node.value not in DATA and phrases(node.value, n) & said[n, everywhere]:
                found.append(f"{name(path)}:{node.lineno}: {node.value[:60]!r}")
    assert found == [], "ask for facts, or for the constant of the module that shows the text"


def test_public_names_are_documented():
    missing = []
    for module in public_modules():
        loaded = importlib.import_module(module)
        if not loaded.__doc__:
            missing.append(module)
        missing += undocumented(loaded, module, f"{module}.", in_protocols(loaded))
    assert missing == []


def committed_files() -> list[Path]:
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
        text = path.read_text(encoding="utf-8")
        if MACHINE_PATHS.search(text):
            lines = enumerate(text.splitlines(), 1)
            found += [f"{name(path)}:{n}" for n, line in lines if MACHINE_PATHS.search(line)]
    assert found == []


def test_the_demo_runs_stay_small():
    demo = ROOT / "assets" / "demo"
    files = [f for f in demo.rglob("*") if f.is_file() and "cache" not in f.parts]
    total = sum(f.stat().st_size for f in files)
    assert total < 15e6


def rooms() -> list[Path]:
    return sorted(p.parent for p in (ROOT / "rivae").glob("*/__init__.py"))


def test_the_house_opens_on_few_rooms():
    entries = {
        path.name
        for path in (ROOT / "rivae").iterdir()
        # A folder that an older version left behind holds compiled files alone.
        if not path.name.startswith("__") and (path.is_file() or any(path.rglob("*.py")))
    }
    assert len(entries) <= 18, "put it into a room"


def test_every_room_says_what_lives_there_who_may_import_it_and_where_to_begin():
    assert len(rooms()) > 12
    for room in rooms():
        text = ast.get_docstring(parse(room / "__init__.py")) or ""
        assert 3 <= len(text.splitlines()) <= 7, name(room)
        what, _, rest = text.partition("\n\n")
        assert what and re.search(r"\b(import|stands? on|ask)", rest, re.IGNORECASE), name(room)
        begin = re.search(r"\bBegin\s+with\s+``([\w./]+?)(?:\.py)?``", rest)
        assert begin, name(room)
        # `layouts.make` is a name in a module, `methods/rivae` a file in a folder of the room.
        first = begin[1].replace("/", ".").split(".")[0]
        assert (room / first).is_dir() or (room / f"{first}.py").is_file(), (name(room), begin[1])


def test_importing_the_package_waits_for_nothing():
    heavy = ("numpy", "torch", "pandas", "streamlit", "pydantic", "plotly", "sklearn")
    code = f"import sys, rivae; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
