"""Figures, picture sheets, pages and exported Python, from arrays; no page or session is known.

It may import ``evaluation`` and what is below; the app, notebooks and the command line import it.
Begin with ``sheet.Sheet`` (a picture sheet) and ``export.save`` (any figure as a file). Import the
module you need: this room imports nothing by itself, so that Plotly waits until a chart is drawn.
"""

from typing import TYPE_CHECKING

from rivae.base.deprecation import moved_names

if not TYPE_CHECKING:  # a checker would believe every name
    __getattr__ = moved_names(
        __name__, dict.fromkeys(("PLOT_QUERIES", "write_traversals"), "rivae.figures.of_run")
    )
