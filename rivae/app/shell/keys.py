"""The session-state keys that several pages use, named once.

Those of one page stand in its own ``page_keys``. Keys start with the page's name, so that two pages
never share one by accident.
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
ENTERED: Final = "entered"  # whether this run of the script is the first one on its page
SESSION: Final = "session"  # tells this session from others of the same visitor
NEWER: Final = "newer_weights"  # shows those of a run in training
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

# Explore
EXPLORE: Final = PanelKeys.of("explore")
EXPLORE_RUN: Final = "explore_run"
EXPLORE_ROWS: Final = "explore_rows"
EXPLORE_AWAY: Final = "explore_away"  # whether the next page is Label
EXPLORE_ADDING: Final = "explore_adding"  # which axis, or "Add an axis", stands at the side

GALLERY_PANEL: Final = "gallery_panel"
GALLERY_TEXT: Final = "gallery_text"
GALLERY_FACTOR: Final = "gallery_factor"
GALLERY_LEVELS: Final = "gallery_levels"
GALLERY_RANGE: Final = "gallery_range"
GALLERY_PAGE: Final = "gallery_page"
GALLERY_UPLOAD: Final = "gallery_upload"

# Compare
COMPARE: Final = PanelKeys.of("compare")
COMPARE_LEFT_OUT: Final = "compare_left_out"

# Traverse
TRAVERSE_RUN: Final = "traverse_run"
TRAVERSE_CARD: Final = "axis"

# Steer
STEER: Final = PanelKeys.of("steer")
STEER_WORDS: Final = "steer_words"  # the answer for word clouds
STEER_RUN: Final = "steer_run"

# Metrics
METRICS_RUN: Final = "metrics_run"

# Words
WORDS_OPEN: Final = "words_open"  # rivae.app.words.session.DrawerContent, or None
WORDS_RUN: Final = "words_run"

# Label
LABEL_PLAN: Final = "plan"
OUTCOME: Final = "outcome"  # begins the key of the message about the visitor's last action
LABEL_CHOSEN: Final = "label_chosen"  # items chosen on a map, for a plan of them

# Train
TRAIN_ON: Final = "on"  # in the address: the data set of the new run
ACCESS: Final = "access"  # proof that this session gave the password; begins its keys
TRASH: Final = "trash"  # begins the keys of deleted things and of their buttons
