"""What pyproject.toml cannot say: a wheel holds the app's files, which lie beside the package.

They are copied to ``rivae/_app``, where ``rivae.base.installed`` looks for them first. Editable
installations need no copy.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

# Plain files of these folders only: what the app keeps in a `cache` below them stays out.
APP_FILES = (
    "app.py",
    "pages/*.py",
    ".streamlit/config.toml",
    "assets/icon.png",
    "assets/components/*",
    "assets/demo/*/*",
    "assets/demo/*/computed/*",
    "assets/factors/*",
    "assets/kitchen*/*",
    "assets/libraries/*",
    "benchmarks/results/results.parquet",
)


class BuildWithApp(build_py):
    """Builds the package and puts the app's files into it."""

    def run(self) -> None:
        """Build; an editable installation is left as it is."""
        if not self.editable_mode:  # files that were removed since the last build must not return
            shutil.rmtree(Path(self.build_lib, "rivae"), ignore_errors=True)
        super().run()
        if self.editable_mode:
            return
        for pattern in APP_FILES:
            found = [p for p in sorted(Path().glob(pattern)) if p.is_file() and p.name[0] != "."]
            if not found:
                raise FileNotFoundError(f"{pattern} is missing: build from a whole checkout")
            for path in found:
                target = Path(self.build_lib, "rivae", "_app", path)
                self.mkpath(str(target.parent))
                self.copy_file(str(path), str(target))


setup(cmdclass={"build_py": BuildWithApp})
