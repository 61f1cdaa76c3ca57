"""Where the page files are, for navigation and links between pages."""

from pathlib import Path

_PAGES = Path(__file__).resolve().parents[2] / "pages"

HOME = _PAGES / "home.py"
EXPLORE = _PAGES / "explore.py"
TRAVERSE = _PAGES / "traverse.py"
STEER = _PAGES / "steer.py"
COMPARE = _PAGES / "compare.py"
WORDS = _PAGES / "words.py"
LABEL = _PAGES / "label.py"
METRICS = _PAGES / "metrics.py"
TRAIN = _PAGES / "train.py"
DATA = _PAGES / "data.py"
