"""What README and docs promise: their files are there, their commands exist, their Python runs, and
the version they name is the one installed.
"""

import re
from pathlib import Path

import pytest

from rivae import __version__
from rivae.cli import main

BESIDE = ("CONTRIBUTING.md", "NOTICE.md", "CHANGELOG.md")


@pytest.fixture(scope="module")
def texts(repo_root):
    """Every Markdown file a reader meets, by its path."""
    found = [repo_root / "README.md", *sorted((repo_root / "docs").glob("*.md"))]
    return {str(p.relative_to(repo_root)): p.read_text(encoding="utf-8") for p in found}


@pytest.fixture(scope="module")
def prose(texts):
    return "\n".join(texts.values())


def python(text):
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_a_newcomer_reads_it_to_the_end(texts):
    assert len(texts["README.md"].splitlines()) <= 250
    chapters = {"api", "command-line", "training", "labels", "results", "security", "extending"}
    chapters |= {"screens", "sharing", "operating"}
    linked = set(re.findall(r"\]\(docs/([a-z-]+)\.md", texts["README.md"]))
    assert linked == chapters == {path[5:-3] for path in texts if path.startswith("docs/")}


def test_the_tests_that_are_named_exist(texts, repo_root):
    named = re.findall(r"`(tests/[\w/.]+\.py)(?:::(\w+))?`", "\n".join(texts.values()))
    assert len(named) > 20
    for path, name in named:
        assert (repo_root / path).is_file(), path
        assert not name or f"def {name}(" in (repo_root / path).read_text(), (path, name)


def headings(text):
    """The anchors of a file, as GitHub makes them."""
    lines = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def test_links_lead_somewhere(texts, repo_root):
    found = {}
    for name in (*texts, *BESIDE):
        text = (repo_root / name).read_text(encoding="utf-8")
        links = found[name] = re.findall(r"\]\((?!https?:)([^)]+)\)", text)
        for link in links:
            path, _, anchor = link.partition("#")
            target = (repo_root / name).parent / path if path else repo_root / name
            assert target.exists(), (name, link)
            assert not anchor or anchor in headings(target.read_text(encoding="utf-8")), link
    assert {*BESIDE, "CITATION.cff"} <= {*found["README.md"]}


def test_one_version(repo_root):
    changes = (repo_root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (repo_root / "CITATION.cff").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d[^]]*)\]", changes, re.MULTILINE)
    assert released[0] == __version__
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [__version__]


def test_the_changelog_is_one_of_versions(repo_root):
    """Groups of Keep a Changelog under versions; what happened on which day is in git."""
    changes = (repo_root / "CHANGELOG.md").read_text(encoding="utf-8")
    groups = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known gaps"}
    assert set(re.findall(r"^### (.+)$", changes, re.MULTILINE)) <= groups
    assert changes.index("## [Unreleased]") < changes.index(f"## [{__version__}]")
    assert not re.search(r"^- (?:\*\*)?\d{4}-\d\d-\d\d", changes, re.MULTILINE)


def test_commands_exist(prose, capsys):
    commands = set(re.findall(r"(?:`|^)rivae ([a-z][a-z-]*)", prose, flags=re.MULTILINE))
    assert {"train", "resume", "evaluate", "traverse", "serve"} <= commands
    for command in commands:
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0, command
    shown = capsys.readouterr().out
    # ... and none is left out of the reference.
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = set(re.findall(r"^    ([a-z][a-z-]+)(?:  |$)", capsys.readouterr().out, re.MULTILINE))
    assert listed <= commands and "usage: rivae train" in shown


def test_make_targets_exist(prose, repo_root):
    makefile = (repo_root / "Makefile").read_text()
    targets = set(re.findall(r"(?:`|^)make ([a-z]+)", prose, flags=re.MULTILINE))
    assert {"run", "test"} <= targets
    assert [t for t in targets if f"\n{t}:" not in makefile] == []


def test_settings_in_variables_exist(prose, repo_root):
    code = "\n".join(p.read_text(encoding="utf-8") for p in (repo_root / "rivae").rglob("*.py"))
    named = set(re.findall(r"\bRIVAE_[A-Z_]+", prose))
    assert len(named) >= 8
    assert [name for name in named if f'"{name}"' not in code] == []


def test_named_code_exists(texts, repo_root):
    """Paths, names said to lie in a file, and each step of the newcomer's walk."""

    def code(path):
        return (repo_root / path).read_text(encoding="utf-8")

    for name, text in texts.items():
        for path in re.findall(r"`((?:rivae|assets|tests|pages)/[\w./-]+)`", text):
            assert "NAME" in path or (repo_root / path).exists(), (name, path)
        for first, second, path in re.findall(
            r"`(\w+)`(?: (?:and|or) `(\w+)`)? (?:in|of)\s+`(rivae/[\w/]+\.py)`", text
        ):
            assert first in code(path) and second in code(path), (name, path)
    walk = re.findall(
        r"^\| \d \| `([^`]+)` \| ([^|]+) \|", texts["docs/extending.md"], re.MULTILINE
    )
    assert 1 <= len(walk) <= 14
    for path, where in walk:
        for function in re.findall(r"`(\w+)`", where):
            as_python, as_script = rf"^ *(?:async )?def {function}\(", rf"^  {function}\(.*\) {{$"
            assert re.search(f"{as_python}|{as_script}", code(path), re.MULTILINE), function


# How a name gets its value: in Python (also as one of several) or TOML, in a script, in a style.
MADE = r"^ *(?:async )?(?:def|class) {0}\b|^ *(?:\w+, )*{0}(?:, \w+)*(?::[^=\n]+)? = "
MADE_BY_SCRIPTS = r"^(?:export )?(?:const|function|class) {0}\b|^  {0}\(.*\) {{$"
MADE_BY_STYLES = r"^ *{0}: "


def test_each_file_of_where_is_what_decides_what_is_said_of_it(texts, repo_root):
    table = texts["docs/extending.md"].split("\n## Where is what\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| .+ \| [^|]*`([^`]+)` \| `([^`]+)` \|$", table, re.MULTILINE)
    assert len(rows) >= 20 and len(rows) == table.count("\n| ") - 1, "all but the heading"
    for path, name in rows:
        made = {".js": MADE_BY_SCRIPTS, ".css": MADE_BY_STYLES}.get(Path(path).suffix, MADE)
        text = (repo_root / path).read_text(encoding="utf-8")
        places = re.findall(made.format(re.escape(name)), text, re.MULTILINE)
        assert len(places) == 1, (path, name, places)


@pytest.mark.slow
def test_the_python_of_the_api_runs(texts, capsys):
    for code in python(texts["docs/api.md"]):
        exec(compile(code, "api.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) > 8


def test_weights_from_elsewhere_become_a_run(texts, tmp_path, monkeypatch):
    from safetensors.torch import save_file

    from rivae.jobs.launch import make_config
    from rivae.models.registry import build_method
    from rivae.runs import find_run

    (code,) = (c for c in python(texts["docs/extending.md"]) if "load_file" in c)
    monkeypatch.chdir(tmp_path)
    settings = make_config("sprites", name="any").method.settings
    weights = build_method("rivae", settings, (1, 64, 64), (1, 64, 64), seeds=[5]).state_dict()
    save_file(weights, "weights.safetensors")
    exec(compile(code, "extending.md", "exec"), {})
    opened = find_run("mine", [tmp_path / "runs"]).load_method().state_dict()
    assert all((opened[key] == value).all() for key, value in weights.items())
