"""Every session-state key of the app, named once.

Values that are not widgets are listed first; widget keys follow and start with the page's name, so
that two pages never share one by accident.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Self


class PanelKeys(NamedTuple):
    """The keys of a page with a panel (rivae.app.shared.session), each beginning with its name."""

    state: str  # what the page shows
    payload: str  # what the panel was last sent, rebuilt on a new rev
    answer: str  # answer through the session, where the route is missing
    link: str  # query parameters as last read or written
    item: str  # item at the side, or None
    choosing: str  # whether the query gallery is open
    notice: str  # one sentence about a link that was only partly usable
    panel: str  # the panel itself

    @classmethod
    def of(cls, page: str) -> Self:
        """The keys of one page."""
        return cls(*(f"{page}_{name}" for name in cls._fields))


# The name of the page shown by the last run of the script.
PAGE: Final = "page"
# Whether this run of the script is the first one on its page.
NEWER: Final = "newer_weights"  # shows those of a run in training
ENTERED: Final = "entered"
# What the visitor last looked at, as in an address (rivae.app.shared.address.in_hand).
IN_HAND: Final = "in_hand"
# On a page that was reached with an uploaded picture but cannot use it: the query shown instead, ""
# before it is known (rivae.app.shared.address.instead_of_upload); else None.
INSTEAD: Final = "instead_of_upload"
# The address of every page as it was left, by page.
ADDRESSES: Final = "addresses"
VIEW_ADDRESSES: Final = "view_addresses"  # the same by page and view
GO: Final = "go"  # the page, and its parameters, that a hit of the search leads to
VIEW: Final = "shown_view"  # the title of the view that is shown
LAST_VIEWS: Final = "last_views"  # the tab where the visitor last was, by place
LIVE_JOBS: Final = "live_jobs"  # runs of the queue that have not ended yet, by job
ASKS: Final = "asks"  # which view is the query, on every page that has one
SHARED: Final = "shared"  # what the page that is shown offers to take away
SHARE: Final = "share"  # whether that menu is open
SHARE_PANEL: Final = "share_panel"
SHARE_PAGE: Final = "share_page"  # the making of a page
REVEAL: Final = "reveal"  # the part that a click opened, and the number of such clicks
DOCK_CLOSE: Final = "dock_close"

# Home
HERO: Final = "hero"  # the query of its panel, and the number of changes
HERO_ANSWER: Final = "hero_answer"  # through the session, where the route is missing
HERO_OPEN: Final = "hero_open"  # the address of Explore to go on to
HERO_OWN: Final = "hero_own"  # whether the visitor goes to the own pictures
HERO_PANEL: Final = "hero_panel"

# Explore
EXPLORE: Final = PanelKeys.of("explore")
EXPLORE_RUN: Final = "explore_run"
EXPLORE_ROWS: Final = "explore_rows"
EXPLORE_AWAY: Final = "explore_away"  # whether the next page is Label
EXPLORE_ORDER: Final = "explore_order"  # what stands first where the best axes do
EXPLORE_LAYOUT: Final = "explore_layout"  # progress of the map's layout
EXPLORE_MODEL: Final = "explore_model"  # the run and the weights that were shown last
EXPLORE_ADDING: Final = "explore_adding"  # which axis, or "Add an axis", stands at the side
EXPLORE_DRAFT: Final = "explore_draft"  # the axis that was asked for and is not kept yet
EXPLORE_RENEWED: Final = "explore_renewed"  # whether the panel has other axes to show
EXPLORE_SELECTION: Final = "explore_selection"  # the run and the selection removed last
EXPLORE_REMOVED: Final = "explore_removed"  # the run and the axis that was removed last
AXIS_FROM: Final = "axis_from"
AXIS_HIGH: Final = "axis_high"
AXIS_LOW: Final = "axis_low"
AXIS_SELECTION: Final = "axis_selection"
AXIS_AGAINST: Final = "axis_against"
AXIS_TARGET: Final = "axis_target"
AXIS_NAME: Final = "axis_name"  # begins the keys of names and buttons of drafts
DRAWER_QUERY: Final = "drawer_query"
DRAWER_MOVE: Final = "drawer_move"

GALLERY_PANEL: Final = "gallery_panel"
GALLERY_TEXT: Final = "gallery_text"
GALLERY_FACTOR: Final = "gallery_factor"
GALLERY_LEVELS: Final = "gallery_levels"
GALLERY_RANGE: Final = "gallery_range"
GALLERY_PAGE: Final = "gallery_page"
GALLERY_UPLOAD: Final = "gallery_upload"

# Compare
COMPARE: Final = PanelKeys.of("compare")
COMPARE_RUNS: Final = "compare_runs"
COMPARE_LEFT_OUT: Final = "compare_left_out"

# Traverse; the bound ones are names in the address as well
TRAVERSE_MATRIX: Final = "plots"  # whether all plots are shown
TRAVERSE_CELL: Final = "traverse_cell"  # (dimension, factor) whose scatter is open, or None
TRAVERSE_ITEM: Final = "traverse_item"  # the item at the side and where it was found, or None
TRAVERSE_SHEET: Final = "traverse_sheet"
TRAVERSE_RUN: Final = "traverse_run"
TRAVERSE_QUERY: Final = "traverse_query"
TRAVERSE_RANDOM: Final = "traverse_random"
TRAVERSE_AVERAGE: Final = "traverse_average"
TRAVERSE_WHOLE: Final = "traverse_whole"
TRAVERSE_HEATMAP: Final = "traverse_heatmap"
TRAVERSE_SCATTER: Final = "traverse_scatter"
TRAVERSE_TRANSITIONS: Final = "traverse_transitions"
TRAVERSE_CELL_DIM: Final = "traverse_cell_dim"
TRAVERSE_CELL_FACTOR: Final = "traverse_cell_factor"
TRAVERSE_RANGE: Final = "range"
TRAVERSE_LOW: Final = "from"
TRAVERSE_HIGH: Final = "to"
TRAVERSE_DIMS: Final = "dims"
TRAVERSE_CARD: Final = "axis"
TRAVERSE_K: Final = "top"
TRAVERSE_CHANGES: Final = "changes"
TRAVERSE_QUERIES: Final = "queries"
TRAVERSE_WAY: Final = "way"
TRAVERSE_WAY_KIND: Final = "kind"
TRAVERSE_WAY_POINTS: Final = "steps"
TRAVERSE_WAY_TEXT: Final = "traverse_way_text"
TRAVERSE_WAY_ADD: Final = "traverse_way_add"
TRAVERSE_A: Final = "a"
TRAVERSE_B: Final = "b"
TRAVERSE_POINTS: Final = "points"

# Steer
STEER: Final = PanelKeys.of("steer")
STEER_WORDS: Final = "steer_words"  # the answer for word clouds
STEER_RUN: Final = "steer_run"
STEER_USE: Final = "steer_use"
STEER_TOUR: Final = "steer_tour"  # id of the tour in hand: flags add to it
STEER_TOUR_FIELD: Final = "steer_tour_field"  # begins the key of every field and button of tours
TOUR_PANEL: Final = "tour_panel"
TOUR_NOTICE: Final = "tour_notice"
TOUR_ANSWER: Final = "tour_answer"
TOUR_WORDS: Final = "tour_words"

# Metrics; the bound ones are names in the address as well
METRICS_RUN: Final = "metrics_run"
METRICS_TABLE: Final = "metrics_table"  # begins the key of every table
METRICS_DOTS: Final = "metrics_dots"  # begins the key of every dot plot
METRICS_EVALUATE: Final = "metrics_evaluate"
METRICS_HEATMAP: Final = "metrics_heatmap"
METRICS_EFFECTS: Final = "metrics_effects"
METRICS_AXES: Final = "axes"  # whether the map has all axes
METRICS_FOLD: Final = "open"  # begins the names of the parts that are folded at first
METRICS_SCATTER: Final = "metrics_scatter"
METRICS_CURVE: Final = "metrics_curve"
METRICS_TRANSITIONS: Final = "metrics_transitions"
METRICS_COVERAGE: Final = "metrics_coverage"
METRICS_RANGES: Final = "metrics_ranges"
METRICS_DATASET: Final = "data"
METRICS_PRESET: Final = "preset"
METRICS_RANGE: Final = "values"
METRICS_PAPER: Final = "printed"
METRICS_ALONG: Final = "along"
METRICS_ALPHA: Final = "alpha"
METRICS_LABELS: Final = "metrics_labels"  # which labels are shown, since when, at which cost
METRICS_LABELS_EVALUATE: Final = "metrics_labels_evaluate"
METRICS_LABELS_HEATMAP: Final = "metrics_labels_heatmap"
METRICS_LABELS_CURVE: Final = "metrics_labels_curve"
METRICS_SUGGEST_N: Final = "metrics_suggest_n"
METRICS_SUGGEST_START: Final = "metrics_suggest_start"
METRICS_SUGGEST_NAME: Final = "metrics_suggest_name"
METRICS_SUGGEST_KEEP: Final = "metrics_suggest_keep"
METRICS_SUGGEST_OPEN: Final = "metrics_suggest_open"

# Data
DATA_WAY: Final = "data_way"
DATA_UPLOAD: Final = "data_upload"  # begins the keys of what a browser sent
DATA_TABLE: Final = "data_table"
DATA_IMAGES: Final = "data_images"
DATA_TAGS: Final = "data_tags"
DATA_ENCODING: Final = "data_encoding"
DATA_ROLE: Final = "data_role"  # begins the key of every column chooser
DATA_FACTORS: Final = "data_factors"
DATA_NAME: Final = "data_name"
DATA_SUGGESTED: Final = "data_suggested"  # (table, the name that was filled in for it)
DATA_TITLE: Final = "data_title"
DATA_SIDE: Final = "data_side"
DATA_FILTER: Final = "data_filter"
DATA_CHANGE: Final = "data_change"
DATA_DETAILS: Final = "data_details"
DATA_OPEN: Final = "data_open"
DATA_CHECK: Final = "data_check"
DATA_IMPORT: Final = "data_import"
DATA_TASK: Final = "data_task"  # begins the keys of the running import
DATA_CLOSE: Final = "data_close"
DATA_EXPLORE: Final = "data_explore"  # begins the key of the button that opens a run on an import
DATA_QUICK: Final = "data_quick"  # begins the keys of "Train and explore"
DATA_QUICK_TASK: Final = "data_quick_task"  # what this visitor started with it
DATA_TRAIN: Final = "data_train"  # begins the key of the button that trains on an import

# Words; the bound ones are names in the address as well
WORDS_OPEN: Final = "words_open"  # rivae.app.words.session.DrawerContent, or None
WORDS_SAID: Final = "words_said"  # one sentence about a name that was just changed
WORDS_RUN: Final = "words_run"
WORDS_PANEL: Final = "words_panel"
WORDS_COUNTS: Final = "words_counts"
WORDS_CONTRAST: Final = "words_contrast"
WORDS_TAGS: Final = "words_tags"
WORDS_LIST: Final = "words_list"
WORDS_PAGE: Final = "words_page"
WORDS_NAME: Final = "words_name"  # begins the key of every field of the axis names
WORDS_FILE: Final = "words_file"
WORDS_VIEW: Final = "part"
WORDS_DIM: Final = "dim"
WORDS_WIDTH: Final = "width"
WORDS_RELATE: Final = "relate"
WORDS_EVERYDAY: Final = "everyday"
WORDS_FACTOR: Final = "factor"

# Label; the bound ones are names in the address as well
LABEL_PLAN: Final = "plan"
LABEL_BY: Final = "by"  # who labels
LABEL_SAME: Final = "label_same"  # names that are somebody else's than the known ones like them
LABEL_WHOLE: Final = "label_whole"  # shared plans of which everything is labelled all the same
LABEL_TAGS: Final = "tags"  # whether suggestions from tags are shown
LABEL_METER: Final = "label_meter"
LABEL_PANEL: Final = "label_panel"
LABEL_PAYLOAD: Final = "label_payload"  # what the panel was last sent, rebuilt on a new rev
LABEL_ANSWER: Final = "label_answer"  # which events are stored
LABEL_OLDER: Final = "label_older"  # older events to undo
LABEL_LOOK: Final = "label_look"  # what other pages of the annotator have stored meanwhile
OUTCOME: Final = "outcome"  # begins the key of the message about the visitor's last action
LABEL_DRAFTS: Final = "label_drafts"  # guidelines of the new plan, by what they started from
LABEL_CHOSEN: Final = "label_chosen"  # items chosen on a map, for a plan of them
LABEL_EDITED: Final = "label_edited"  # the plan whose factors are open
LABEL_NEW: Final = "label_new"  # begins the key of every field of the new plan
LABEL_BEGIN: Final = "label_begin"  # begins the key of every field of the two questions
LABEL_STARTING: Final = "label_starting"  # the task that makes this visitor's plan, or None
LABEL_CARD: Final = "label_card"  # begins the key of every button of a plan
LABEL_FACTORS: Final = "label_factors"  # begins the key of every field of factors
LABEL_REVIEW: Final = "label_review"  # begins the key of every button of the Review view
LABEL_CASES: Final = "label_cases"
LABEL_CASE_FACTOR: Final = "label_case_factor"
LABEL_OPEN_ONLY: Final = "label_open_only"
LABEL_PAGE: Final = "label_page"
LABEL_FILE: Final = "label_file"
LABEL_FILE_ROWS: Final = "label_file_rows"
LABEL_FILE_NAMES: Final = "label_file_names"  # whose the names in the file are
LABEL_LOOKED: Final = "label_looked"  # rivae.app.label.exchange.CheckedFile, or None
LABEL_AXES: Final = "label_axes"  # begins the key of every control of the Axes view
LABEL_ADD: Final = "label_add"

# Train; the bound ones are names in the address as well
TRAIN_ON: Final = "on"  # in the address: the data set of the new run
ACCESS: Final = "access"  # proof that this session gave the password; begins its keys
TRAIN_MANAGE: Final = "train_manage"  # begins the key of every field and button of one run
TRAIN_IMPORT: Final = "train_import"  # begins the keys of the import of a run
TRAIN_RUN: Final = "run"
TRAIN_SCALE: Final = "scale"
TRAIN_AXIS: Final = "axis"
TRAIN_TERM: Final = "term"
TRAIN_OVER: Final = "curves"  # the runs whose curves are compared
TRAIN_TERMS: Final = "terms"  # whether the terms of the loss are unfolded
TRAIN_BUTTON: Final = "train_button"  # begins the key of every button of a run or job
TRAIN_PRIORITY: Final = "train_priority"  # begins the key of every choice of a priority
TRAIN_QUEUE_ALL: Final = "train_queue_all"
TRAIN_FIND: Final = "train_find"
TRAIN_WHICH: Final = "train_which"
TRAIN_PAGE: Final = "train_page"
TRAIN_EPOCH: Final = "train_epoch"  # begins the key of the choice of a picture, by run
TRAIN_LOG: Final = "train_log"
TRAIN_DRAFT: Final = "train_draft"  # rivae.app.forms.draft.Draft, the run that is being prepared
TRAIN_CLONED: Final = "train_cloned"  # the run that the address last asked to clone
TRASH: Final = "trash"  # begins the keys of deleted things and of their buttons
TRAIN_NEW: Final = "train_new"  # the entry just queued, to be scrolled into view
TRAIN_FIELD: Final = "train_field"  # begins the key of every field and button of a new run
