"""The session-state keys of Combinations, named once."""

from __future__ import annotations

from typing import Final

USE: Final = "steer_use"
TOUR: Final = "steer_tour"  # id of the tour in hand: flags add to it
TOUR_FIELD: Final = "steer_tour_field"  # begins the key of every field and button of tours
TOUR_PANEL: Final = "tour_panel"
TOUR_NOTICE: Final = "tour_notice"
TOUR_ANSWER: Final = "tour_answer"
TOUR_WORDS: Final = "tour_words"
