"""The session-state keys of Evidence, named once.

The bound ones are names in the address as well.
"""

from __future__ import annotations

from typing import Final

TABLE: Final = "metrics_table"  # begins the key of every table
DOTS: Final = "metrics_dots"  # begins the key of every dot plot
EVALUATE: Final = "metrics_evaluate"
HEATMAP: Final = "metrics_heatmap"
EFFECTS: Final = "metrics_effects"
AXES: Final = "axes"  # whether the map has all axes
FOLD: Final = "open"  # begins the names of the parts that are folded at first
SCATTER: Final = "metrics_scatter"
CURVE: Final = "metrics_curve"
TRANSITIONS: Final = "metrics_transitions"
COVERAGE: Final = "metrics_coverage"
RANGES: Final = "metrics_ranges"
DATASET: Final = "data"
PRESET: Final = "preset"
RANGE: Final = "values"
PAPER: Final = "printed"
ALONG: Final = "along"
ALPHA: Final = "alpha"
LABELS: Final = "metrics_labels"  # which labels are shown, since when, at which cost
LABELS_EVALUATE: Final = "metrics_labels_evaluate"
LABELS_HEATMAP: Final = "metrics_labels_heatmap"
LABELS_CURVE: Final = "metrics_labels_curve"
SUGGEST_N: Final = "metrics_suggest_n"
SUGGEST_START: Final = "metrics_suggest_start"
SUGGEST_NAME: Final = "metrics_suggest_name"
SUGGEST_KEEP: Final = "metrics_suggest_keep"
SUGGEST_OPEN: Final = "metrics_suggest_open"
