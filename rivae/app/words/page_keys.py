"""The session-state keys of Words, named once; the bound ones are names in the address as well."""

from __future__ import annotations

from typing import Final

SAID: Final = "words_said"  # one sentence about a name that was just changed
PANEL: Final = "words_panel"
COUNTS: Final = "words_counts"
CONTRAST: Final = "words_contrast"
TAGS: Final = "words_tags"
LIST: Final = "words_list"
PAGE: Final = "words_page"
NAME: Final = "words_name"  # begins the key of every field of the axis names
FILE: Final = "words_file"
VIEW: Final = "part"
DIM: Final = "dim"
WIDTH: Final = "width"
RELATE: Final = "relate"
EVERYDAY: Final = "everyday"
FACTOR: Final = "factor"
