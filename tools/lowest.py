"""Writes a requirements file with the lowest versions that the library promises to run with.

CONTRIBUTING.md says how to make an environment of them and which tests to run in it. The app stays
out: it takes one minor version of Streamlit.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("pytest", "pytest-xdist", "hypothesis")  # what the library's tests import


def name_of(requirement: str) -> str:
    """The package that a requirement names."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def lowest(requirement: str) -> str:
    """``numpy==2.0`` for ``numpy>=2.0,<3``."""
    return re.sub(r"^(\S+?)>=([^,;\s]+)[^;]*", r"\1==\2", requirement)


def lines() -> list[str]:
    """The library at its lowest versions, and the tools that test it as developers have them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = [each for each in project["optional-dependencies"]["dev"] if name_of(each) in TOOLS]
    return [*map(lowest, project["dependencies"]), *tools]


if __name__ == "__main__":
    print("\n".join(lines()))
