"""The session-state keys of Data, named once."""

from __future__ import annotations

from typing import Final

WAY: Final = "data_way"
UPLOAD: Final = "data_upload"  # begins the keys of what a browser sent
TABLE: Final = "data_table"
IMAGES: Final = "data_images"
TAGS: Final = "data_tags"
ENCODING: Final = "data_encoding"
ROLE: Final = "data_role"  # begins the key of every column chooser
FACTORS: Final = "data_factors"
NAME: Final = "data_name"
SUGGESTED: Final = "data_suggested"  # (table, the name that was filled in for it)
TITLE: Final = "data_title"
SIDE: Final = "data_side"
FILTER: Final = "data_filter"
CHANGE: Final = "data_change"
DETAILS: Final = "data_details"
OPEN: Final = "data_open"
CHECK: Final = "data_check"
IMPORT: Final = "data_import"
TASK: Final = "data_task"  # begins the keys of the running import
CLOSE: Final = "data_close"
EXPLORE: Final = "data_explore"  # begins the key of the button that opens a run on an import
QUICK: Final = "data_quick"  # begins the keys of "Train and explore"
QUICK_TASK: Final = "data_quick_task"  # what this visitor started with it
TRAIN: Final = "data_train"  # begins the key of the button that trains on an import
