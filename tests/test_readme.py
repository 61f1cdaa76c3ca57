"""What README and docs promise: their files are there, their commands exist, their Python runs, and
the version they name is the one installed.
"""

import re

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
    chapters |= {"screens", "sharing"}
    linked = set(re.findall(r"\]\(docs/([a-z-]+)\.md", texts["README.md"]))
    assert linked == chapters == {path[5:-3] for path in texts if path.startswith("docs/")}


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
    assert re.findall(r"^## \[([^]]+)\]", changes, re.MULTILINE)[0] == __version__
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [__version__]


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
    assert 1 <= len(walk) <= 8
    for path, where in walk:
        for function in re.findall(r"`(\w+)`", where):
            as_python, as_script = rf"^ *(?:async )?def {function}\(", rf"^  {function}\(.*\) {{$"
            assert re.search(f"{as_python}|{as_script}", code(path), re.MULTILINE), function


def test_a_data_set_is_one_file(texts):
    code, *_ = python(texts["docs/extending.md"])
    scope = {}
    exec(compile(code, "waves.py", "exec"), scope)
    data = scope["load"](scope["Settings"](n_pairs=60))
    assert len(data) == 60 and data.picture(3).size == (160, 40)
    assert data.text(0).startswith("frequency ")


def test_the_python_of_the_api_runs(texts, capsys):
    for code in python(texts["docs/api.md"]):
        exec(compile(code, "api.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) > 8


def test_weights_from_elsewhere_become_a_run(texts, tmp_path, monkeypatch):
    from safetensors.torch import save_file

    from rivae.jobs.launch import make_config
    from rivae.models.registry import build_method
    from rivae.runs import find_run

    *_, code = python(texts["docs/extending.md"])
    monkeypatch.chdir(tmp_path)
    settings = make_config("sprites", name="any").method.settings
    weights = build_method("rivae", settings, (1, 64, 64), (1, 64, 64), seeds=[5]).state_dict()
    save_file(weights, "weights.safetensors")
    exec(compile(code, "extending.md", "exec"), {})
    opened = find_run("mine", [tmp_path / "runs"]).load_method().state_dict()
    assert all((opened[key] == value).all() for key, value in weights.items())
