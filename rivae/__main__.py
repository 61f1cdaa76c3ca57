"""``python -m rivae``."""

import sys

from rivae.cli import main

sys.exit(main())
