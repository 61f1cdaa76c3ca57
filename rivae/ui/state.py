"""Every session-state key of the app, named once.

Values that are not widgets are listed first; widget keys follow and start with the page's name, so
that two pages never share one by accident.
"""

from __future__ import annotations

from typing import Final

# The page shown by the last run of the script.
PAGE: Final = "page"
# Whether this run of the script is the first one on its page.
ENTERED: Final = "entered"
# The run the visitor last looked at; Explore and Traverse open it when the link names none.
RUN: Final = "run"

# Explore
EXPLORE: Final = "explore_state"  # rivae.ui.explore.ExploreState
EXPLORE_PAYLOAD: Final = "explore_payload"  # what the panel was last sent, rebuilt on a new rev
EXPLORE_ANSWER: Final = "explore_answer"  # answer through the session, where the route is missing
EXPLORE_LINK: Final = "explore_link"  # query parameters as last read or written
EXPLORE_ITEM: Final = "explore_item"  # item in the drawer, or None
EXPLORE_CHOOSING: Final = "explore_choosing"  # whether the query gallery is open
EXPLORE_NOTICE: Final = "explore_notice"  # one sentence about a link that was only partly usable

EXPLORE_PANEL: Final = "explore_panel"
EXPLORE_RUN: Final = "explore_run"
EXPLORE_ROWS: Final = "explore_rows"
DRAWER_QUERY: Final = "drawer_query"
DRAWER_MOVE: Final = "drawer_move"

GALLERY_PANEL: Final = "gallery_panel"
GALLERY_BY: Final = "gallery_by"
GALLERY_TEXT: Final = "gallery_text"
GALLERY_FACTOR: Final = "gallery_factor"
GALLERY_LEVELS: Final = "gallery_levels"
GALLERY_RANGE: Final = "gallery_range"
GALLERY_PAGE: Final = "gallery_page"
GALLERY_UPLOAD: Final = "gallery_upload"

# Traverse
TRAVERSE: Final = "traverse_state"
TRAVERSE_CELL: Final = "traverse_cell"  # (latent, factor) whose scatter is open, or None
TRAVERSE_RUN: Final = "traverse_run"
TRAVERSE_QUERY: Final = "traverse_query"
TRAVERSE_RANGE: Final = "traverse_range"
TRAVERSE_SIGMAS: Final = "traverse_sigmas"
TRAVERSE_LOW: Final = "traverse_low"
TRAVERSE_HIGH: Final = "traverse_high"
TRAVERSE_K: Final = "traverse_k"
TRAVERSE_DIMS: Final = "traverse_dims"
TRAVERSE_VIEW: Final = "traverse_view"
TRAVERSE_PAIR: Final = "traverse_pair"
TRAVERSE_HEATMAP: Final = "traverse_heatmap"
