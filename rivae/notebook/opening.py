"""``rivae.explore``: a run, or arrays of one's own, in a cell of a notebook."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rivae.api.estimator import PairModel, fit
from rivae.api.run import Run, load_run
from rivae.base.arrays import is_count, refuse_masked, refuse_other_order, row_labels
from rivae.base.config import Asks, Rows
from rivae.base.errors import ConfigError
from rivae.base.installed import how_to_install
from rivae.exploring.explorer import MAX_K, Explorer
from rivae.figures.page.content import MOST, TOO_MANY, content_of
from rivae.models.arguments import EPOCHS
from rivae.notebook.pairs import ArrayPairs, refuse_no_numbers, table_of
from rivae.notebook.pictures import check_pictures

if TYPE_CHECKING:
    from rivae.notebook.view import View

STEPS = 1_500  # of a training that is only to be looked at, in so many epochs at least and at most
FEWEST, MOST_EPOCHS = 10, 190
SHOWN_AFTER_S = 0.4  # of a bar
NEEDED = f"a view in a notebook needs more packages: {how_to_install('notebook')}"
WHAT = "say what to explore: a run, as in rivae.explore('demo-kitchen'), or embeddings=(A, B)"


def explore(
    run: str | Path | Run | PairModel | None = None,
    *,
    embeddings: tuple[ArrayLike, ArrayLike] | None = None,
    items: pd.DataFrame | Mapping[str, Any] | Sequence[Any] | None = None,
    images: str | None = None,
    rows: Rows | None = None,
    asks: Asks | None = None,
    k: int = 10,
    progress: bool = True,
    **params: Any,
) -> View:
    """Show a run in a cell of Jupyter, VS Code or marimo: sliders, results, map.

    Arrays are trained on first, for some 1,500 steps unless ``epochs`` says otherwise. All their
    rows are trained on and searched, so judge a model by ``rivae.fit`` and ``score`` on rows that
    it has not seen.

    Args:
        run: a run's name or folder, a ``Run``, or a fitted ``PairModel`` to show on ``embeddings``.
        embeddings: pairs of vectors, A (n, p) to ask and B (n, q) to be found.
        items: a table of n rows about the pairs: their names, texts and factors. Columns by name
            or a list of titles will do.
        images: its column of pictures: paths, bytes, PIL pictures, or arrays (height, width) or
            (height, width, channels) of 0 ... 255, of floats 0 ... 1, or of uint16.
        rows: of a run: which rows are searched, "test" (by default) or "all".
        asks: of a run: which view is the query, "first" (by default), "second" or "both".
        k: how many items are found at first, 1 to 30.
        progress: show a bar while training and while pictures are made.
        params: of ``PairModel``, for arrays.

    Rows belong together by their order; where two of A, B and ``items`` have the same row labels in
    another order, nothing is guessed.

    Raises:
        ConfigError: anywidget is missing, a setting is unknown or out of range, arguments do not go
            together, ``items`` has the row labels of an array in another order, a pandas table of
            vectors has an index, ids or labels among its columns, or there are more than 50,000
            items.
        RunError: there is no such run, or the training diverged.
        DataError: a picture cannot be read; raised before the training.
        ValueError: the arrays are no finite numbers, are masked, or do not go together.

    Example:
        >>> import numpy as np, pandas as pd, rivae
        >>> view = rivae.explore("demo-digits", progress=False)
        >>> view.z = 0 * view.z
        >>> view.ids.shape
        (10,)
        >>> A = np.random.default_rng(0).normal(size=(40, 3))
        >>> named = pd.DataFrame({"title": [f"pair {i}" for i in range(40)]})
        >>> arrays = (A, A @ A[:3])
        >>> view = rivae.explore(
        ...     embeddings=arrays, items=named, n_components=2, epochs=5, progress=False
        ... )
        >>> view.selection.columns.tolist()
        ['title', 'z1', 'z2']
    """
    try:
        from rivae.notebook.view import View
    except ImportError:
        raise ConfigError(NEEDED) from None
    if not (is_count(k) and k <= MAX_K):
        raise ConfigError(f"k must lie between 1 and {MAX_K}, got {k!r:.60}")
    if embeddings is None:
        if run is None or isinstance(run, PairModel):
            raise ConfigError(WHAT if run is None else "give embeddings=(A, B) to show a model on")
        unknown = {"items": items, "images": images} | params
        if extra := [name for name, value in unknown.items() if value is not None]:
            raise ConfigError(f"{extra[0]} goes with embeddings=(A, B), not with a run")
        explored_run = _run(run, rows, asks)
        with _bar("Opening", progress) as tell:
            content = content_of(explored_run.explorer, explored_run.id, [], tell)
        return View(explored_run.explorer, content, explored_run, k)
    if rows or asks:
        raise ConfigError("rows and asks go with a run, not with embeddings")
    model, explorer, table = _of_arrays(run, embeddings, items, images, progress, params)
    with _bar("Preparing", progress) as tell:
        content = content_of(explorer, explorer.data.name, [], tell)
    return View(explorer, content, model, k, table)


def _run(run: str | Path | Run, rows: Rows | None, asks: Asks | None) -> Run:
    if not isinstance(run, Run):
        return load_run(run, rows=rows or "test", asks=asks or "first")
    if rows or asks:
        raise ConfigError("a Run has its rows and asks already: give them to rivae.load_run")
    return run


def _of_arrays(
    model: str | Path | Run | PairModel | None,
    embeddings: tuple[ArrayLike, ArrayLike],
    items: Any,
    images: str | None,
    progress: bool,
    params: dict[str, Any],
) -> tuple[PairModel, Explorer, pd.DataFrame | None]:
    """A model, trained here unless it is given, its rows ready to be explored, and their table."""
    if model is not None and not isinstance(model, PairModel):
        raise ConfigError("give a run or embeddings, not both")
    if model is not None and params:
        raise ConfigError(f"{next(iter(params))} is a setting of training: this model is trained")
    try:
        a, b = embeddings
    except ValueError:
        raise ConfigError("embeddings are two arrays of pairs: embeddings=(A, B)") from None
    if unknown := params.keys() - PairModel().get_params().keys():
        raise ConfigError(f"PairModel has no setting '{min(unknown)}': see help(rivae.PairModel)")
    if not (np.ndim(a) and np.ndim(b)):
        raise ConfigError("embeddings are two arrays of pairs: embeddings=(A, B)")
    # All is checked before a training that would be lost.
    refuse_masked(A=a, B=b)
    if model is None:
        refuse_no_numbers("A", a)
        refuse_no_numbers("B", b)
    refuse_other_order(A=a, B=b)
    n = len(np.asarray(a))
    if n > MOST:
        raise ConfigError(TOO_MANY.format(n, MOST))
    table = None
    if items is not None or images is not None:
        table = table_of(items, n, images)
        labels = table if _has_labels(items) else None
        refuse_other_order(ConfigError, A=a, items=labels)
        refuse_other_order(ConfigError, B=b, items=labels)
    if model is None:
        if table is not None and images is not None:
            with _bar("Reading pictures", progress) as tell:
                check_pictures(table, images, tell)
        with _bar("Training", progress) as tell:
            model = fit(a, b, progress=tell, **(_length(n, params) | params))
    x1, x2 = model.views(a, b)
    # As a trained run's: float32 for the data, and the search makes its own copy in float64.
    method = copy.deepcopy(model.method_).float()
    return model, Explorer(method, ArrayPairs(x1, x2, table, images)), table


def _has_labels(items: Any) -> bool:
    """Whether the table brings labels of its own for its rows."""
    columns = items.values() if isinstance(items, Mapping) else ()
    return any(row_labels(part) is not None for part in (items, *columns))


def _length(n: int, params: Mapping[str, Any]) -> dict[str, int]:
    """Epochs for n rows, unless settings say how long a stage is."""
    settings = params.get("settings")
    if isinstance(settings, Mapping) and any(str(name).endswith(EPOCHS) for name in settings):
        return {}
    per_epoch = max(1, n // PairModel().batch_size)
    return {"epochs": min(max(STEPS // per_epoch, FEWEST), MOST_EPOCHS)}


@contextmanager
def _bar(title: str, visible: bool) -> Iterator[Callable[[float], None]]:
    """A bar that takes the share done, and goes at the end; where something failed it stays."""
    import IPython.display
    from tqdm.auto import tqdm
    from tqdm.notebook import tqdm as notebook_tqdm

    show: Any = IPython.display.display
    form = "{desc} {percentage:3.0f} %|{bar}| {elapsed}, {remaining} left"
    options = {"total": 100, "desc": title, "leave": False, "disable": not visible}
    place: list[Any] = []
    start = time.monotonic()
    in_page = visible and issubclass(tqdm, notebook_tqdm)
    if in_page:
        bar = tqdm(**options, bar_format=form, display=False)
    else:
        bar = tqdm(**options, bar_format=form, delay=SHOWN_AFTER_S)

    def tell(share: float) -> None:
        # What is over at once shows no bar: the notebook's page fails over one that goes while it
        # is being drawn.
        if in_page and not place and time.monotonic() - start > SHOWN_AFTER_S:
            place.append(show(bar.container, display_id=True))
        bar.update(round(100 * share) - bar.n)

    with bar:
        yield tell
        bar.update(bar.total - bar.n)  # one that is not full stays, in red
    if place:
        place[0].update({"text/plain": ""}, raw=True)  # else its text is kept in the file
