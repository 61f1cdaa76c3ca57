"""The session-state keys of Explore, named once."""

from __future__ import annotations

from typing import Final

ORDER: Final = "explore_order"  # what stands first where the best axes do
LAYOUT: Final = "explore_layout"  # progress of the map's layout
MODEL: Final = "explore_model"  # the run and the weights that were shown last
DRAFT: Final = "explore_draft"  # the axis that was asked for and is not kept yet
RENEWED: Final = "explore_renewed"  # whether the panel has other axes to show
SELECTION: Final = "explore_selection"  # the run and the selection removed last
REMOVED: Final = "explore_removed"  # the run and the axis that was removed last
AXIS_FROM: Final = "axis_from"
AXIS_HIGH: Final = "axis_high"
AXIS_LOW: Final = "axis_low"
AXIS_SELECTION: Final = "axis_selection"
AXIS_AGAINST: Final = "axis_against"
AXIS_TARGET: Final = "axis_target"
AXIS_NAME: Final = "axis_name"  # begins the keys of names and buttons of drafts
DRAWER_QUERY: Final = "drawer_query"
DRAWER_MOVE: Final = "drawer_move"
