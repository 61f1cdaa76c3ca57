"""What labels say of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rivae.api.opened import OpenedRun

if TYPE_CHECKING:
    from rivae.labels.early.estimates import LabelEstimates


class RunLabels(OpenedRun):
    """The part of ``rivae.Run`` that reads labels."""

    def label_estimates(
        self,
        plan: str | None = None,
        factors: Sequence[str] | None = None,
        store: str | Path = "",
    ) -> LabelEstimates:
        """D, C, I and MCC from the labels of a part of the items, with 90 % intervals.

        Args:
            plan: a plan made with ``rivae labels plan NAME RUN --minutes 20``; the newest of the
                run by default.
            factors: ids; all of the plan by default.
            store: where labels are kept; ``$RIVAE_LABELS`` or ``labels/labels.db`` by default.

        Returns:
            ``scores`` by name, each with ``value``, ``low`` and ``high``, or the ``reason`` why
            there is none; ``table``, ``low`` and ``high`` (axes, factors) of the correlations.

        Raises:
            LabelError: there is no such plan or factor, or the store cannot be opened.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-kitchen")
            >>> found = run.label_estimates("first")  # doctest: +SKIP
            >>> print(found.scores["disentanglement"])  # doctest: +SKIP
            0.41 – 0.63
        """
        # Here, because a data base would be loaded with every `import rivae`.
        from rivae.labels.early.of_run import estimates_of_run
        from rivae.labels.opening import open_labels

        with open_labels(str(store)) as opened:
            return estimates_of_run(opened, self._folder, plan, factors)
