"""The structure of the package at two revisions: files, lines, names, imports.

    python benchmarks/house.py 62b1693 HEAD [--tests 1120 380]

Counts what CONTRIBUTING.md asks of names and imports. Writes ``benchmarks/results/house.md`` and
keeps what stands there below the table.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "house.md"
# Past participles that do not end in "ed", and words in "ed" that are none.
IRREGULAR = """
    asked bound bought broken brought built chosen come done drawn driven fallen fed felt found
    frozen given gone grown heard held hidden kept known laid led left lent lost made meant met own
    paid said seen sent shown shut sold spent spoken stood stuck taken taught thought thrown told
    torn understood won worn written
"""
NO_PARTICIPLES = "embed feed need red seed speed bed exceed proceed hundred"
ROWS = {
    "entries": "folders and modules in `rivae/`",
    "files": "Python files",
    "code": "lines of code",
    "imports": "lines of imports",
    "prose": "lines of docstrings and comments",
    "blank": "blank lines",
    "one_importer": "files that one other file imports",
    "names": "names that are bound",
    "participles": "of these, bare participles",
    "participles_app": "of these, in the app",
    "lazy": "imports inside of functions",
    "typing": "`if TYPE_CHECKING` blocks",
}


def is_participle(name: str) -> bool:
    """Whether a name is nothing but a past participle, as ``found``."""
    word = name.lstrip("_")
    regular = re.fullmatch("[a-z]{2,}ed", word) and word not in NO_PARTICIPLES.split()
    return word in IRREGULAR.split() or bool(regular)


def bound_names(tree: ast.AST) -> list[str]:
    """Variables, parameters and attributes that a file stores to."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.append(node.attr)
    return names


def kinds_of_lines(text: str, tree: ast.Module) -> Counter[str]:
    """How many lines are code, imports, prose and blank."""
    kind: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kind |= dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), "imports")
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            kind |= dict.fromkeys(range(first.lineno, (first.end_lineno or 0) + 1), "prose")
    counts: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped:
            counts["blank"] += 1
        else:
            counts["prose" if stripped.startswith("#") else kind.get(number, "code")] += 1
    return counts


def modules_imported(tree: ast.AST) -> set[str]:
    """The dotted names that a file may import, modules or names in them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def measure(folder: Path) -> Counter[str]:
    """All rows of the package in ``folder``."""
    package = folder / "rivae"
    out: Counter[str] = Counter()
    visible = [p for p in package.iterdir() if not p.name.startswith((".", "__"))]
    out["entries"] = len([p for p in visible if p.is_dir() or p.suffix == ".py"])
    importers: dict[str, set[Path]] = defaultdict(set)
    modules = {}
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        out["files"] += 1
        out += kinds_of_lines(text, tree)
        names = bound_names(tree)
        participles = sum(map(is_participle, names))
        out["names"] += len(names)
        out["participles"] += participles
        if path.relative_to(package).parts[0] in ("app", "ui"):
            out["participles_app"] += participles
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                inside = [n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)]
                out["lazy"] += len(inside)
            out["typing"] += isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        dotted = ".".join(path.relative_to(folder).with_suffix("").parts)
        modules[dotted.removesuffix(".__init__")] = path
        for name in modules_imported(tree):
            importers[name].add(path)
    out["one_importer"] = sum(
        len(importers[name] - {path}) == 1
        for name, path in modules.items()
        if path.name != "__init__.py"
    )
    return out


def at(revision: str) -> Counter[str]:
    """The rows of a revision of this repository."""
    command = ["git", "archive", revision, "rivae"]
    archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        return measure(Path(folder))


def main() -> None:
    """Measure both revisions and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("revisions", nargs=2, metavar="REVISION")
    parser.add_argument(
        "--tests", nargs=2, type=int, metavar="SECONDS", help="what `make test` took at each"
    )
    options = parser.parse_args()
    before, now = map(at, options.revisions)
    lines = [
        "# The structure of the package, before and after",
        "",
        f"`python benchmarks/house.py {' '.join(options.revisions)}`; {time.strftime('%Y-%m-%d')}.",
        "",
        "| | before | after |",
        "|---|---|---|",
        *(f"| {title} | {before[key]:,} | {now[key]:,} |" for key, title in ROWS.items()),
    ]
    if options.tests:
        lines.append("| seconds of `make test` | {:,} | {:,} |".format(*options.tests))
    # What is written below the table stays.
    stored = RESULTS.read_text(encoding="utf-8").split("\n\n") if RESULTS.exists() else []
    notes = "".join(f"\n{part}\n" for part in stored[3:]).rstrip("\n") + "\n" if stored[3:] else ""
    RESULTS.write_text("\n".join(lines) + "\n" + notes, encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
