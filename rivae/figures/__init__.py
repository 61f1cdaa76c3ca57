"""Figures, picture sheets, pages and exported Python, from arrays; no page or session is known.

It may import ``evaluation`` and what is below; the app, notebooks and the command line import it.
Begin with ``sheet.Sheet`` (a picture sheet) and ``export.save`` (any figure as a file). Import the
module you need: this room imports nothing by itself, so that Plotly waits until a chart is drawn.
"""
