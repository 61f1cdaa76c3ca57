"""Figures and picture sheets, given arrays; nothing here knows about pages or sessions.

Import the module you need (``rivae.figures.heatmap``, ``rivae.figures.traversals``, ...): this
package imports nothing by itself, so that Plotly is loaded only where a chart is drawn.
"""
