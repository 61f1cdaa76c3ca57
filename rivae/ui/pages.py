"""Where the page files are, for navigation and links between pages."""

from rivae.installed import APP_FILES

_PAGES = APP_FILES / "pages"

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
