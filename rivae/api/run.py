"""A run in Python: open it, encode a query, search with any z, move along axes, measure.

``Run`` is the stable part of what the app itself does with a run; what it returns are plain arrays
and small records. The exported Python of every panel calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from rivae.api.axes import Axis as Axis
from rivae.api.axes import RunAxes
from rivae.api.labels import RunLabels
from rivae.api.selections import RunSelections
from rivae.base.arrays import checked_z, require_count
from rivae.base.config import Asks, Rows
from rivae.base.errors import DataError
from rivae.base.progress import Progress
from rivae.evaluation.of_run import evaluate
from rivae.exploring.axis_effects import AxisEffects
from rivae.exploring.effects import AxisLike, EffectMeasure, shown_effects
from rivae.exploring.explorer import Hits, Vector
from rivae.exploring.traversing import traverse_axes
from rivae.retrieval.ranges import PAPER, Range
from rivae.retrieval.traversal import Traversal
from rivae.runs import find_run
from rivae.runs.evaluation_file import Evaluation

Query = int | Sequence[int] | NDArray[np.integer] | str | Image.Image

SLOW_SHUFFLES = 20  # most shuffles of what has to be fitted again for each


class Run(RunAxes, RunSelections, RunLabels):
    """A run, ready to be asked. Data, model and search are opened on first use.

    Made by ``rivae.load_run``. Every method raises ``rivae.base.errors.RunError``, ``DataError`` or
    ``ConfigError`` with one sentence where the run, its data or an argument cannot be used.

    Example:
        >>> import rivae
        >>> run = rivae.load_run("demo-digits")
        >>> z = run.encode(run.items[0])
        >>> hits = run.topk(z, k=3)
        >>> hits.ids.shape, bool(hits.scores[0] >= hits.scores[1])
        ((3,), True)
    """

    @property
    def evaluation(self) -> Evaluation | None:
        """What ``rivae evaluate`` stored of this run; None before it has run.

        Example:
            >>> import rivae
            >>> rivae.load_run("demo-digits").evaluation.score("recall_at_10") > 0.4
            True
        """
        return self._folder.evaluation_of(self._asks)

    def encode(self, query: Query) -> Vector:
        """The z of a query.

        Args:
            query: a row of the data, of any split; several rows; a text; or a picture.

        Returns:
            (d,) the mean of P(z|query), or (n, d) for several rows.

        Raises:
            ConfigError: there is no such row, or the model cannot be asked with a text.
            DataError: the data take no such query, or cannot read it.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> run.encode(3).shape, run.encode([3, 5]).shape
            ((10,), (2, 10))
        """
        if isinstance(query, str):
            return self.explorer.encode_text(query)
        if isinstance(query, Image.Image):
            return self.explorer.encode_upload(query)
        rows = np.asarray(query)
        if rows.ndim == 0 and np.issubdtype(rows.dtype, np.integer):
            return self.explorer.encode(int(rows))
        return self.explorer.retriever.encode(rows)[0]

    def topk(self, z: ArrayLike, k: int = 10, only: str = "") -> Hits:
        """The items that fit z best.

        Args:
            z: (d,), or (n, d) for n searches at once.
            k: how many, at least 1; fewer where there are fewer items.
            only: conditions that items must meet, as in the app: ``lemon #easy fruit >= 3``.

        Returns:
            ``ids`` (rows of the data, best first), ``squared_distances`` and ``scores``, each (k,),
            or (n, k) for several z.

        Raises:
            ConfigError: a condition cannot be read, or no item meets it.
            DataError: z has another width, is masked, not finite or too large to search with, or k
                is no whole number of at least 1.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> run.topk(run.encode([3, 5]), k=4).ids.shape
            (2, 4)
        """
        retriever = self.explorer.retriever
        if only:
            retriever = retriever.subset(self.explorer.find(only))
        require_count(DataError, k=k)
        hits = retriever.search(checked_z(z, self.n_components, DataError), k)
        if np.ndim(z) == 1:
            return Hits(hits.ids[0], hits.squared_distances[0], hits.scores[0])
        return Hits(hits.ids, hits.squared_distances, hits.scores)

    def traverse(
        self,
        z: ArrayLike,
        over: Range = "data",
        dims: Sequence[int | str] | None = None,
        k: int = 1,
        progress: Callable[[float], None] | None = None,
    ) -> Traversal:
        """Move each axis alone, and see which items are found.

        Args:
            z: (d,) or (q, d) where the other axes stay.
            over: "data" (the central 99 % of the queries), "prior" (mean ± 3 s.d.), "sigma" (± 10
                s.d.), "paper" (-10 ... 10), or two numbers.
            dims: the axes to move, from 0, or ids of added ones ("a1"); all of z by default.
            k: items per point.
            progress: called with the share done, in (0, 1].

        Returns:
            ``values`` (J, T), ``ids`` and ``squared_distances`` (q, J, T, k).

        Raises:
            ConfigError: there is no such range or axis.
            DataError: z has another width or is not finite, or k < 1.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> run.traverse(run.mean, over=(-1, 1), dims=[0, 2]).ids.shape
            (1, 2, 201, 1)
        """
        return traverse_axes(self.explorer, z, over, dims, k, progress)

    def effects(self, axis: AxisLike) -> AxisEffects:
        """What moving along one axis changes among the items found, beside what chance changes.

        Args:
            axis: a latent by number from 0, id ("z3") or name, moved as it is shown; a direction of
                z (d,); or an object with directions ``moves`` and ``reads``.

        Example:
            >>> import rivae
            >>> rivae.load_run("demo-synth").effects("z1").table().columns.tolist()
            ['kind', 'name', 'change', 'chance', 'measurable']
        """
        return shown_effects(self._effect_measure, self.explorer, axis)

    @cached_property
    def _effect_measure(self) -> EffectMeasure:
        return EffectMeasure(self.explorer.retriever)

    def evaluate(
        self,
        *,
        over: Range = PAPER,
        n_queries: int | None = None,
        shuffles: int = 100,
        random_state: int = 0,
        save: bool = False,
        progress: Progress | None = None,
    ) -> Evaluation:
        """Measure retrieval and factors on the test rows, as ``rivae evaluate`` does.

        Args:
            over: the range of the traversals, as in ``traverse``.
            n_queries: traversed queries; by default 100, and 1,000 for digits.
            shuffles: of the factors, for the level of chance; 0 for none.
            random_state: seed of everything that is drawn.
            save: also write it into the run's folder, where ``evaluation`` and the app find it.
            progress: called with a stage and the share done.

        Raises:
            ConfigError: a number is out of range.
            RunError: ``save``, and the folder cannot be written: known before any work; where it
                fails afterwards, the error names the file that holds the results instead.

        Example:
            >>> import rivae
            >>> run = rivae.load_run("demo-digits")
            >>> result = run.evaluate(n_queries=5, shuffles=0)
            >>> result.score("recall_at_10") > 0.4
            True
        """
        if save:
            self._folder.require_evaluation_room()
        result = evaluate(
            self.explorer.method,
            self.data,
            n_queries=n_queries,
            traversal=over,
            null_permutations=shuffles,
            null_permutations_slow=min(shuffles, SLOW_SHUFFLES),
            random_state=random_state,
            asks=self._asks,
            progress=progress,
        )
        if save:
            self._folder.write_evaluation(result, or_elsewhere=True)
        return result


def load_run(run: str | Path, *, rows: Rows = "test", asks: Asks = "first") -> Run:
    """The run of this name among the runs of this folder and the demo runs, or at this path.

    Args:
        run: a name that ``rivae runs`` lists, or the path of a run's folder.
        rows: which rows are searched: "test", or "all".
        asks: which view of a row is the query: "first", "second" or "both". Other views than the
            first need a model that was trained for it.

    Raises:
        RunError: there is no such run.

    Example:
        >>> import rivae
        >>> rivae.load_run("demo-digits")
        rivae.Run('demo-digits')
    """
    return Run(find_run(str(run)), rows, asks)
