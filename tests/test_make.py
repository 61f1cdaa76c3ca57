"""The Makefile and its helper, without installing anything."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest

pytestmark = pytest.mark.skipif(
    os.name != "posix" or shutil.which("make") is None, reason="no make on this machine"
)


def find_python(root: Path, *args: str, path: Path | None = None):
    env = dict(os.environ)
    if path is not None:
        env["PATH"] = str(path)
    script = str(root / "tools" / "find-python.sh")
    return subprocess.run(["/bin/sh", script, *args], env=env, capture_output=True, text=True)


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def test_a_python_that_fits_is_found(repo_root, tmp_path):
    program(tmp_path / "bin", "python3.13", f'exec "{sys.executable}" "$@"')
    done = find_python(repo_root, path=tmp_path / "bin")
    assert (done.returncode, done.stdout) == (0, "python3.13\n")


def test_a_shim_that_cannot_start_is_passed_over(repo_root, tmp_path):
    program(tmp_path / "bin", "python3", "exit 127")
    program(tmp_path / "bin", "python3.12", f'exec "{sys.executable}" "$@"')
    assert find_python(repo_root, path=tmp_path / "bin").stdout == "python3.12\n"


def test_a_path_with_spaces(repo_root, tmp_path):
    program(tmp_path / "my bin", "py", f'exec "{sys.executable}" "$@"')
    wanted = str(tmp_path / "my bin" / "py")
    assert find_python(repo_root, wanted).stdout == wanted + "\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        # an old Python: refuses the version test, answers the question for its version
        ('case "$2" in *platform*) echo 3.9.2;; *) exit 1;; esac', "python3 is Python 3.9.2"),
        # a Debian Python without python3-venv
        ('case "$2" in *venv*) exit 1;; *) exit 0;; esac', "lacks the venv module"),
        ("exit 127", "no working Python found"),
    ],
)
def test_what_is_missing_is_said_in_one_line(repo_root, tmp_path, script, message):
    program(tmp_path / "bin", "python3", script)
    done = find_python(repo_root, path=tmp_path / "bin")
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("target", ["run", "test", "test-all", "lint", "demo", "clean", "help"])
def test_every_target_is_known(repo_root, target):
    done = subprocess.run(["make", "-n", target], cwd=repo_root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def checkout(repo_root, tmp_path):
    """A copy of what `make` reads, with a Python that only writes down what it is asked."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(repo_root / name, tmp_path / name)
    shutil.copytree(repo_root / "tools", tmp_path / "tools")
    (tmp_path / ".venv").mkdir()
    program(tmp_path / ".venv" / "bin", "python", f'echo "$@" >> "{tmp_path}/asked"')
    return tmp_path


def asked(checkout, target):
    (checkout / "asked").write_text("")
    done = subprocess.run(
        ["make", target, "PIP_ARGS="], cwd=checkout, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = (checkout / "asked").read_text().splitlines()
    return [line for line in lines if "pip install" in line or "rivae" in line]


def test_the_package_is_installed_once_and_again_when_it_is_described_anew(checkout):
    package = "-m pip install --quiet --no-deps --no-build-isolation --editable ."
    first = asked(checkout, "run")
    compiled = "-m compileall -q rivae"
    assert first[:3] == ["-m pip install --quiet -r requirements.txt", package, compiled]
    assert first[3].startswith("-m rivae.app.serve")
    assert asked(checkout, "run") == first[3:], "a second run is instant"
    later = (checkout / ".venv" / "ready-package").stat().st_mtime + 10
    os.utime(checkout / "pyproject.toml", (later, later))
    assert asked(checkout, "run") == first[1:]


def last_line(checkout, target, failing=""):
    """The last line of a target, whose pytest says in the file it is given what was left out."""
    counts = 'case "$*" in *pytest*) echo $RIVAE_TESTS 7 > "$RIVAE_LEFT_OUT";; esac'
    program(checkout / ".venv" / "bin", "python", f"{counts}\n{failing}")
    # Neither what this run of the tests leaves out nor the flags of a make around it.
    outer = {"RIVAE_TESTS", "MAKEFLAGS", "MAKELEVEL"}
    env = {k: v for k, v in os.environ.items() if k not in outer}
    done = subprocess.run(
        ["make", target, "PIP_ARGS="], cwd=checkout, env=env, capture_output=True, text=True
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_the_last_line_says_how_many_slow_tests_were_left_out(checkout):
    code, line = last_line(checkout, "test")
    assert code == 0 and line.startswith("quick 7 ") and "make test-all" in line
    code, line = last_line(checkout, "test-all")
    assert code == 0 and "7" not in line


def test_a_failed_test_fails_the_target(checkout):
    for target in ("test", "test-all"):
        code, _ = last_line(checkout, target, 'case "$*" in *pytest*) exit 1;; esac')
        assert code != 0


def test_files_of_the_tests_are_in_memory_and_gone_at_the_end(checkout):
    text = 'case "$*" in *pytest*) echo "$TMPDIR" > "$RIVAE_LEFT_OUT"; touch "$TMPDIR/one";; esac'
    (checkout / "tools" / "memory-folder.sh").write_text(
        f"mkdir '{checkout}/memory' && echo '{checkout}/memory'"
    )
    _, line = last_line(checkout, "test", text)
    assert line.startswith(f"{checkout}/memory ")
    assert not (checkout / "memory").exists()


def memory_folder(root, place):
    line = ["/bin/sh", str(root / "tools" / "memory-folder.sh"), str(place)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()


def test_a_folder_in_memory_is_new_and_empty_or_none(repo_root, tmp_path):
    if made := memory_folder(repo_root, tmp_path):  # a small machine has no room
        assert Path(made).parent == tmp_path and not list(Path(made).iterdir())
        assert Path(made).stat().st_mode & 0o777 == 0o711, "a database of another user is in it"
        assert memory_folder(repo_root, tmp_path) != made
    assert memory_folder(repo_root, tmp_path / "missing") == ""
    assert memory_folder(repo_root, "/proc") == ""


@pytest.mark.parametrize(
    ("which", "left_out"), [("", ["rare"]), ("quick", ["slow", "rare"]), ("all", [])]
)
def test_which_tests_are_left_out(monkeypatch, which, left_out):
    marks = {"any": None, "slow": pytest.mark.slow.mark, "rare": pytest.mark.slow(rare=True).mark}
    monkeypatch.setattr(conftest, "WHICH", which)
    items = {
        name: SimpleNamespace(get_closest_marker={"slow": mark}.get) for name, mark in marks.items()
    }
    assert [name for name, item in items.items() if conftest.is_left_out(item)] == left_out


def test_what_builds_the_package_comes_with_pytorch():
    """So `make run` installs it without a download and no requirement of ours names it."""
    from importlib.metadata import requires, version

    from packaging.requirements import Requirement

    brought = {each.name: each for each in map(Requirement, requires("torch") or [])}
    assert brought["setuptools"].marker is None
    assert not brought["setuptools"].specifier.contains("76.1")  # pyproject.toml asks for 77
    assert brought["setuptools"].specifier.contains(version("setuptools"))


def requirements(lines):
    """By name and marker: one package may stand twice, for different systems."""
    from packaging.requirements import Requirement

    read = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {(each.name.lower(), str(each.marker)): each for each in read}


@pytest.fixture
def described(repo_root):
    """What pyproject.toml says of the project, and the lines of requirements.txt."""
    text = (repo_root / "pyproject.toml").read_text(encoding="utf-8")
    lines = (repo_root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return tomllib.loads(text)["project"], lines


def test_requirements_agree_with_what_the_tests_run_on(described):
    """The ranges were tested: what is installed lies in them."""
    from importlib.metadata import version

    project, lines = described
    extras = project["optional-dependencies"]
    tools = [line for line in extras["dev"] if not line.startswith(project["name"])]
    wanted = [*requirements(lines).values(), *requirements(tools).values()]
    wanted += requirements(project["dependencies"]).values()
    assert len(wanted) > 40
    for requirement in wanted:
        assert requirement.specifier.contains(version(requirement.name)), requirement


def ends(specifier):
    """Where a range begins and ends: `==2.13.*` begins at 2.13 and ends before 2.14."""
    from packaging.version import Version

    if str(specifier).startswith("==") and str(specifier).endswith(".*"):
        major, minor = map(int, str(specifier)[2:-2].split("."))
        return Version(f"{major}.{minor}"), Version(f"{major}.{minor + 1}")
    by_operator = {each.operator: Version(each.version) for each in specifier}
    if "==" in by_operator:  # weights: one release
        return by_operator["=="], by_operator["=="]
    return by_operator[">="], by_operator["<"]


def test_requirements_txt_is_the_library_and_the_app(described):
    """The same packages; each range, that of the published numbers, lies in the library's."""
    project, lines = described
    both = project["dependencies"] + project["optional-dependencies"]["app"]
    wide, narrow = requirements(both), requirements(lines)
    assert wide.keys() == narrow.keys()
    for key, requirement in narrow.items():
        (low, high), (lowest, highest) = ends(requirement.specifier), ends(wide[key].specifier)
        assert lowest <= low <= high <= highest, f"{requirement} is not within {wide[key]}"
        assert requirement.extras == wide[key].extras


def test_the_library_alone_brings_no_package_of_the_app(described):
    project, _ = described
    library = {name for name, _ in requirements(project["dependencies"])}
    app = {name for name, _ in requirements(project["optional-dependencies"]["app"])}
    assert {"streamlit", "kaleido", "pacmap"} <= app and not app & library


def test_dev_brings_every_extra_whose_packages_the_tests_ask_for(described):
    from packaging.requirements import Requirement

    project, _ = described
    extras = project["optional-dependencies"]
    own = Requirement(next(line for line in extras["dev"] if line.startswith(project["name"])))
    # MLflow's tests take a stand-in: it is large.
    assert own.extras == extras.keys() - {"dev", "mlflow"}


def test_the_lowest_versions_are_those_of_the_ranges(repo_root, described):
    script = [sys.executable, str(repo_root / "tools" / "lowest.py")]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pins = requirements(done.stdout.splitlines())
    for key, requirement in requirements(described[0]["dependencies"]).items():
        low, _ = ends(requirement.specifier)
        assert str(pins[key].specifier) == f"=={low}"
    assert ("pytest", "None") in pins and ("streamlit", "None") not in pins
