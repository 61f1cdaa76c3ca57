"""The session-state keys of Train, named once; the bound ones are names in the address as well."""

from __future__ import annotations

from typing import Final

MANAGE: Final = "train_manage"  # begins the key of every field and button of one run
IMPORT: Final = "train_import"  # begins the keys of the import of a run
RUN: Final = "run"
SCALE: Final = "scale"
AXIS: Final = "axis"
TERM: Final = "term"
OVER: Final = "curves"  # the runs whose curves are compared
TERMS: Final = "terms"  # whether the terms of the loss are unfolded
OTHER_WORK: Final = "train_other_work"
BUTTON: Final = "train_button"  # begins the key of every button of a run or job
PRIORITY: Final = "train_priority"  # begins the key of every choice of a priority
QUEUE_ALL: Final = "train_queue_all"
FIND: Final = "train_find"
WHICH: Final = "train_which"
PAGE: Final = "train_page"
EPOCH: Final = "train_epoch"  # begins the key of the choice of a picture, by run
LOG: Final = "train_log"
DRAFT: Final = "train_draft"  # rivae.app.forms.draft.Draft, the run that is being prepared
CLONED: Final = "train_cloned"  # the run that the address last asked to clone
NEW: Final = "train_new"  # the entry just queued, to be scrolled into view
FIELD: Final = "train_field"  # begins the key of every field and button of a new run
