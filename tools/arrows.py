"""Check the one-way arrows of the house plan (``[tool.importlinter]`` in pyproject.toml).

The same as ``lint-imports``, without its logo and without the script that pip installs.
"""

import sys
from pathlib import Path

from importlinter.cli import lint_imports

if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    sys.exit(lint_imports(no_logo=True))
