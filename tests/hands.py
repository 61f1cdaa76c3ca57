"""What a hand does in a browser."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

DROP = """(box, [name, type, content]) => {
  const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0))
  const data = new DataTransfer()
  data.items.add(new File([bytes], name, { type }))
  const options = { bubbles: true, cancelable: true, composed: true }
  if (name) box.dispatchEvent(new DragEvent("drop", { ...options, dataTransfer: data }))
  else box.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: data }))
}"""


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


def png(picture: Image.Image) -> str:
    """A picture as a PNG file, in base64."""
    out = io.BytesIO()
    picture.save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def drop(box: Any, name: str, content: str) -> None:
    """Drop a picture with this base64 content on ``box``; paste it where it has no name."""
    box.evaluate(DROP, [name, "image/png", content])
