"""Where this installation lies: the package, and the files of the app.

In a checkout the app's files (``app.py``, ``pages/``, ``assets/``) lie beside the package and are
edited there. A wheel has one folder only, so ``setup.py`` puts a copy of them into it.
"""

from __future__ import annotations

from pathlib import Path

# What a new process must have on its path to import this package, also from a bare checkout.
PACKAGE_ROOT = Path(__file__).resolve().parents[1]
IN_WHEEL = "_app"  # their folder in the package; setup.py writes it


def app_files(package: Path = PACKAGE_ROOT / "rivae") -> Path:
    """The folder that holds ``app.py``, ``pages`` and ``assets``."""
    inside = package / IN_WHEEL
    return inside if inside.is_dir() else package.parent


APP_FILES = app_files()
