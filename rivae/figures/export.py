"""Charts and picture sheets as files: PNG, SVG, HTML and CSV.

Picture sheets need only Pillow. PNG and SVG of a chart are drawn by a Chrome or Chromium on
this machine through kaleido; HTML and CSV of a chart need neither.
"""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import plotly.graph_objects as go
from PIL import Image

from rivae.base.browser import HOW_TO, find_browser
from rivae.base.csv_text import to_csv
from rivae.base.errors import RivaeError
from rivae.base.files import why_not, write_atomic
from rivae.base.installed import how_to_install
from rivae.figures import cloud_sheet as clouds
from rivae.figures import sheet as sheets
from rivae.figures import tables
from rivae.figures.chart_letters import leave_out_letters
from rivae.figures.cloud_sheet import CloudSheet
from rivae.figures.sheet import Sheet
from rivae.figures.snippets import snippet
from rivae.figures.theme import alt_text, surface_of

if TYPE_CHECKING:
    Figure: TypeAlias = go.Figure | Sheet | CloudSheet

__all__ = [
    "MIME",
    "ExportError",
    "Format",
    "chart_html",
    "export_bytes",
    "png_bytes",
    "save",
    "snippet",
]

Format = Literal["png", "svg", "html", "csv"]
MIME: dict[str, str] = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "html": "text/html",
    "csv": "text/csv",
}
WIDTH = 900  # pixels of a chart without a fixed width
SECONDS = 30.0  # until a browser that does not answer counts as failed
_browser = threading.Lock()  # one browser at a time


class ExportError(RivaeError):
    """A figure cannot be written in this format here."""


def export_bytes(
    figure: Figure,
    format: str,  # noqa: A002  # the word everyone uses for it
    *,
    scale: float = 2.0,
    dark: bool | None = None,
    transparent: bool = False,
    width: int | None = None,
    title: str = "",
    rows: Sequence[Mapping[str, Any]] | None = None,
) -> bytes:
    """A Plotly figure, a picture sheet or word clouds as the content of a file.

    Args:
        format: "png", "svg", "html" or "csv".
        scale: pixels of a PNG per pixel of the figure.
        dark: the theme of a sheet; None follows the reader's system in HTML and is light in PNG
            and SVG. A chart keeps the theme it was drawn for.
        transparent: no background in PNG and SVG.
        width: of a chart in PNG and SVG; its own, or 900, when None.
        title: of the HTML page.
        rows: the content of a CSV; the figure's data when None.

    Raises:
        ExportError: the format is unknown, or this machine cannot draw charts as pictures.
    """
    if format not in get_args(Format):
        raise ExportError(f"there is no format '{format}': choose {', '.join(get_args(Format))}")
    if format == "csv":
        return to_csv(rows_of(figure) if rows is None else rows).encode()
    if isinstance(figure, CloudSheet):
        return _cloud_bytes(figure, format, scale, bool(dark), transparent, title)
    if isinstance(figure, Sheet):
        return _sheet_bytes(figure, format, scale, dark, transparent, title)
    if format == "html":
        return chart_html(figure, title=title).encode()
    return _chart_picture(figure, format, scale, transparent, width)


def rows_of(figure: Figure) -> Sequence[Mapping[str, Any]]:
    """What a figure shows, as rows of a table."""
    if isinstance(figure, Sheet | CloudSheet):
        return figure.rows
    return tables.figure_rows(figure)


def save(figure: Figure, path: str | Path, **options: Any) -> Path:
    """Write a figure to ``path``, in the format of its ending; options as ``export_bytes``.

    Raises:
        ExportError: as ``export_bytes``, or the file cannot be written.
    """
    path = Path(path)
    content = export_bytes(figure, path.suffix.lstrip(".").lower(), **options)
    try:
        write_atomic(path, content)
    except OSError as error:
        raise ExportError(f"{path} cannot be written: {why_not(error)}") from None
    return path


def png_bytes(image: Image.Image) -> bytes:
    """A picture as a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def chart_html(figure: go.Figure, *, title: str = "") -> str:
    """A chart as a complete HTML page that works offline (it carries Plotly, about 5 MB)."""
    from plotly.io import to_html

    colors, alt = surface_of(figure), escape(alt_text(figure))
    chart = to_html(
        figure,
        full_html=False,
        include_plotlyjs=True,
        include_mathjax=False,
        config={"responsive": True, "displaylogo": False},
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title or 'RIVAE Explorer')}</title><style>body{{margin:16px;"
        f"background:{colors.surface};color:{colors.text};font-family:system-ui,sans-serif}}"
        f"figure{{margin:0}}figcaption{{font-size:14px}}</style></head><body>"
        f'<figure role="group" aria-label="{alt}">{chart}<figcaption>{alt}</figcaption></figure>'
        f"</body></html>\n"
    )


def _sheet_bytes(
    sheet: Sheet, kind: str, scale: float, dark: bool | None, transparent: bool, title: str
) -> bytes:
    if kind == "html":
        return sheets.to_html(sheet, title=title, dark=dark).encode()
    if kind == "svg":
        return sheets.to_svg(sheet, dark=bool(dark), transparent=transparent).encode()
    return png_bytes(sheets.to_image(sheet, scale=scale, dark=bool(dark), transparent=transparent))


def _cloud_bytes(
    figure: CloudSheet, kind: str, scale: float, dark: bool, transparent: bool, title: str
) -> bytes:
    if kind == "html":
        return clouds.to_html(figure, title=title, dark=dark).encode()
    if kind == "svg":
        return clouds.to_svg(figure, dark=dark, transparent=transparent).encode()
    return png_bytes(clouds.to_image(figure, scale=scale, dark=dark, transparent=transparent))


def _drawn(
    figure: dict[str, Any], options: dict[str, Any], open_browser: Callable[[], Any]
) -> bytes:
    """The picture of a chart, by a browser of its own, which ``open_browser`` starts and ends.

    Kaleido's own limit does not hold while the browser starts or ends, and one that dies then is
    waited for forever. So the picture counts as soon as it is there, and the thread that waits for
    the end may be left alone.

    Raises:
        TimeoutError: there is no picture in time.
    """
    future: Future[bytes] = Future()

    async def draw() -> None:
        async with open_browser() as drawer:
            future.set_result(bytes(await drawer.calc_fig(figure, opts=options)))

    def run() -> None:
        try:
            asyncio.run(draw())
        except BaseException as error:  # noqa: BLE001  (raised in the thread that waits)
            if not future.done():
                future.set_exception(error)

    threading.Thread(target=run, name="chart", daemon=True).start()
    try:
        return future.result(SECONDS)
    except TimeoutError as error:
        if future.done():
            raise  # it is the drawing's own
        raise TimeoutError(f"no answer in {SECONDS:.0f} s") from error


def _chart_picture(
    figure: go.Figure, kind: str, scale: float, transparent: bool, width: int | None
) -> bytes:
    instead = "or export HTML, which always works"
    try:
        from kaleido import Kaleido
    except ImportError:
        raise ExportError(
            f"{kind.upper()} of a chart needs kaleido: run {how_to_install('app')}, {instead}"
        ) from None
    browser = find_browser()
    if browser is None:
        raise ExportError(f"{kind.upper()} of a chart needs a browser: {HOW_TO}, {instead}")
    open_browser = partial(Kaleido, n=1, path=browser, mathjax=False, timeout=SECONDS)
    chart = figure.to_dict()
    # The text of an SVG is drawn by its reader.
    taller = leave_out_letters(chart, surface_of(figure).text) if kind == "png" else 0
    layout = chart["layout"]
    if not transparent:
        layout["paper_bgcolor"] = surface_of(figure).surface
    options = {
        "format": kind,
        "scale": scale,
        "width": width or layout.get("width") or WIDTH,
        "height": (layout.get("height") or 450) + taller,
    }
    try:
        with _browser:
            # MathJax would be fetched from the internet, and no text here needs it.
            try:
                return _drawn(chart, options, open_browser)
            except TimeoutError:
                return _drawn(chart, options, open_browser)  # a second browser, once
    except (RuntimeError, OSError, TimeoutError) as error:
        # Some of these errors carry a tuple of lines; the first one is the reason.
        reason = str((error.args or [type(error).__name__])[0]).splitlines()[0].rstrip(".")
        raise ExportError(
            f"the browser did not draw the chart ({reason}): try again, {instead}"
        ) from error
