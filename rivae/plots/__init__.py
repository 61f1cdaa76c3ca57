"""Figures and picture sheets, given arrays; nothing here knows about pages or sessions.

Import the module you need (``rivae.plots.heatmap``, ``rivae.plots.traversals``, ...): this package
imports nothing by itself, so that Plotly is loaded only where a chart is drawn.
"""
