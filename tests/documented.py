"""The examples of ``docs/extending.md``, taken out of it and added in each of the three ways."""

import importlib
import re
import sys
from contextlib import contextmanager

from tests.conftest import ROOT

WAYS = ("file", "installed", "registered")


def example(heading):
    """The first block of Python under a heading."""
    text = (ROOT / "docs" / "extending.md").read_text()
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]


@contextmanager
def added(parts, way, name, code, folder):
    """The part ``name`` of ``code`` while the block runs: in a file of the package itself, in an
    installed package, or registered. A file that the package has of it (``test_whole_suite``) is
    not seen meanwhile.
    """
    own = parts._parts.pop(name, None)
    _scan_anew(parts, name)
    assert name not in parts
    try:
        with _adding(parts, way, name, code, folder):
            yield
        assert name not in parts
    finally:
        _scan_anew(parts)
        if own is not None:
            parts._parts[name] = own


@contextmanager
def _adding(parts, way, name, code, folder):
    file = name.replace("-", "_")
    if way == "file":
        with _forgotten(parts, name, module := f"{parts.package}.{file}"):
            places = importlib.import_module(parts.package).__path__
            with _searched(places, folder):
                (folder / f"{file}.py").write_text(code)
                _scan_anew(parts)
                yield
            vars(sys.modules[parts.package]).pop(file, None)
        return
    module = f"stranger_{file}"
    (folder / f"{module}.py").write_text(code)
    with _forgotten(parts, name, module), _searched(sys.path, folder):
        if way == "installed":
            _install(folder, parts.group, name, module)
            _scan_anew(parts, name)
            yield
            return
        values = vars(importlib.import_module(module)).values()
        parts.register(next(v for v in values if parts.fits(v) and getattr(v, "name", "") == name))
        yield
        parts.unregister(name)


def _install(folder, group, name, module):
    """What pip writes of a package; the part is the last of its name in the module."""
    code = (folder / f"{module}.py").read_text()
    value = re.findall(r"^(?:class )?(\w+)\b(?=.*[=:(]).*$", code, re.MULTILINE)[-1]
    info = folder / "stranger-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}:{value}\n")


@contextmanager
def _searched(places, folder):
    places.append(str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        places.remove(str(folder))


@contextmanager
def _forgotten(parts, name, module):
    """Afterwards nobody knows the part any more."""
    try:
        yield
    finally:
        sys.modules.pop(module, None)
        parts._parts.pop(name, None)
        parts.unregister(name)
        _scan_anew(parts, name)


def _scan_anew(parts, unseen=""):
    """Look for parts again, but not for a file of the name ``unseen``."""
    for scan in ("_files", "_offered", "_installed"):
        parts.__dict__.pop(scan, None)
    parts._files.pop(unseen, None)
