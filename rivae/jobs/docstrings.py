"""What a docstring says about the arguments of its function."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any


def described_arguments(function: Callable[..., Any]) -> dict[str, str]:
    """What the section "Args:" says about each argument, on one line; {} without one."""
    found: dict[str, str] = {}
    _, _, rest = (inspect.getdoc(function) or "").partition("Args:\n")
    names: list[str] = []
    for line in rest.splitlines():
        if not line.strip():
            break
        match = re.match(r" {4}([\w, ]+): (.*)", line)
        if match is not None:
            names = [name.strip() for name in match[1].split(",")]
            found |= dict.fromkeys(names, match[2])
        else:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
    return found
