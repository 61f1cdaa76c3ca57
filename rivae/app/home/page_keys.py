"""The session-state keys of Home, named once."""

from __future__ import annotations

from typing import Final

HERO: Final = "hero"  # the query of its panel, and the number of changes
HERO_ANSWER: Final = "hero_answer"  # through the session, where the route is missing
HERO_OPEN: Final = "hero_open"  # the address of Explore to go on to
HERO_OWN: Final = "hero_own"  # whether the visitor goes to the own pictures
HERO_PANEL: Final = "hero_panel"
