"""What the README promises: its files are there, its commands exist, its Python runs. What stands
beside it names the version that is installed.
"""

import re

import pytest

from rivae import __version__
from rivae.cli import main


@pytest.fixture(scope="module")
def readme(repo_root):
    return (repo_root / "README.md").read_text(encoding="utf-8")


def test_linked_files_exist(repo_root):
    found = {}
    for name in ("README.md", "CONTRIBUTING.md", "NOTICE.md", "CHANGELOG.md"):
        text = (repo_root / name).read_text(encoding="utf-8")
        found[name] = re.findall(r"\]\((?!https?:|#)([^)]+)\)", text)
    assert {"CONTRIBUTING.md", "NOTICE.md", "CHANGELOG.md", "CITATION.cff"} <= {*found["README.md"]}
    links = [link for some in found.values() for link in some]
    assert [link for link in links if not (repo_root / link).exists()] == []


def test_one_version(repo_root):
    changes = (repo_root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (repo_root / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^## \[([^]]+)\]", changes, re.MULTILINE)[0] == __version__
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [__version__]


def test_commands_exist(readme, capsys):
    commands = set(re.findall(r"`rivae ([a-z][a-z-]*)", readme))
    assert {"train", "resume", "evaluate", "traverse", "serve"} <= commands
    for command in commands:
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0, command
    capsys.readouterr()


def test_make_targets_exist(readme, repo_root):
    makefile = (repo_root / "Makefile").read_text()
    targets = set(re.findall(r"(?:`|^)make ([a-z]+)", readme, flags=re.MULTILINE))
    assert {"run", "test"} <= targets
    assert [t for t in targets if f"\n{t}:" not in makefile] == []


def test_weights_from_elsewhere_become_a_run(readme, tmp_path, monkeypatch):
    from safetensors.torch import save_file

    from rivae.launch import make_config
    from rivae.methods import build_method
    from rivae.runs import find_run

    (code,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    settings = make_config("sprites", name="any").method.settings
    weights = build_method("rivae", settings, (1, 64, 64), (1, 64, 64), seeds=[5]).state_dict()
    save_file(weights, "weights.safetensors")
    exec(compile(code, "README.md", "exec"), {})
    opened = find_run("mine", [tmp_path / "runs"]).load_method().state_dict()
    assert all((opened[key] == value).all() for key, value in weights.items())
