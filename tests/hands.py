"""What a hand does in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def press_thumb(page: Any, slider: Any) -> Callable[[float, int], None]:
    """Press on the thumb of a slider (an input of type range); the button stays down.

    Returns:
        What moves it: to a share in [0, 1] of the slider's width, in so many steps.
    """
    slider.scroll_into_view_if_needed()
    low, high = (float(slider.get_attribute(name)) for name in ("min", "max"))
    at = (float(slider.input_value()) - low) / (high - low)
    size = slider.bounding_box()
    across = min(max(at * size["width"], 1), size["width"] - 1)
    # Waits until the slider stands still, say beside a map that is opening.
    slider.hover(position={"x": across, "y": size["height"] / 2})
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2

    def move(share: float, steps: int) -> None:
        page.mouse.move(box["x"] + share * box["width"], y, steps=steps)

    page.mouse.down()
    return move
