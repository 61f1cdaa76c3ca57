"""The session-state keys of Label, named once; the bound ones are names in the address as well."""

from __future__ import annotations

from typing import Final

BY: Final = "by"  # who labels
SAME: Final = "label_same"  # names that are somebody else's than the known ones like them
WHOLE: Final = "label_whole"  # shared plans of which everything is labelled all the same
TAGS: Final = "tags"  # whether suggestions from tags are shown
METER: Final = "label_meter"
PANEL: Final = "label_panel"
PAYLOAD: Final = "label_payload"  # what the panel was last sent, rebuilt on a new rev
ANSWER: Final = "label_answer"  # which events are stored
OLDER: Final = "label_older"  # older events to undo
LOOK: Final = "label_look"  # what other pages of the annotator have stored meanwhile
DRAFTS: Final = "label_drafts"  # guidelines of the new plan, by what they started from
EDITED: Final = "label_edited"  # the plan whose factors are open
NEW: Final = "label_new"  # begins the key of every field of the new plan
BEGIN: Final = "label_begin"  # begins the key of every field of the two questions
STARTING: Final = "label_starting"  # the task that makes this visitor's plan, or None
CARD: Final = "label_card"  # begins the key of every button of a plan
FACTORS: Final = "label_factors"  # begins the key of every field of factors
REVIEW: Final = "label_review"  # begins the key of every button of the Review view
CASES: Final = "label_cases"
CASE_FACTOR: Final = "label_case_factor"
OPEN_ONLY: Final = "label_open_only"
PAGE: Final = "label_page"
FILE: Final = "label_file"
FILE_ROWS: Final = "label_file_rows"
FILE_NAMES: Final = "label_file_names"  # whose the names in the file are
LOOKED: Final = "label_looked"  # rivae.app.label.exchange.CheckedFile, or None
AXES: Final = "label_axes"  # begins the key of every control of the Axes view
ADD: Final = "label_add"
