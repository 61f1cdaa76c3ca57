"""What the README promises: its files are there, its commands exist, its Python runs."""

import re

import pytest

from rivae.cli import main


@pytest.fixture(scope="module")
def readme(repo_root):
    return (repo_root / "README.md").read_text(encoding="utf-8")


def test_linked_files_exist(readme, repo_root):
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", readme)
    assert len(links) >= 2
    assert [link for link in links if not (repo_root / link).exists()] == []


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
