"""The widget: the panel of an exported page, tied to Python by anywidget.

The browser holds the run and searches by itself; z, the query, the number of results and the items
searched belong to both sides. What is found follows from them, here as there.
"""

from __future__ import annotations

import json
from functools import cached_property
from html import escape
from numbers import Integral
from typing import Any
from uuid import uuid4

import anywidget
import IPython.display
import numpy as np
import pandas as pd
import traitlets
from numpy.typing import ArrayLike

from rivae.api.axes import RunAxes
from rivae.base.arrays import Ints, axis_labels, check_order
from rivae.base.errors import ConfigError, RivaeError
from rivae.base.scripts import library, source, styles
from rivae.exploring.axes.adding import typed_spec
from rivae.exploring.explorer import MAX_K, Explorer, Vector
from rivae.exploring.sliders import added_sliders
from rivae.exploring.words.item_words import has_texts
from rivae.figures.page.document import PANEL_STYLES, as_json
from rivae.notebook.pairs import ROW, has_plain_labels
from rivae.notebook.rows import numbered, rows_of
from rivae.retrieval.retriever import Retriever

ALONE = (
    "The sliders of {} ({:,} items) need a running kernel: open this notebook and run this cell."
)


def script() -> str:
    """The front end as anywidget loads it. Each view has its modules for itself, because they keep
    their run in a place of their own (``assets/components/reach.js``).
    """
    parts = {
        "worker": json.dumps(source("engine_worker.js")),
        "style": json.dumps(styles(*PANEL_STYLES, "notebook.css")),
        "library": library(),
    }
    arguments = ", ".join(f"{name}: {text}" for name, text in parts.items())
    return (
        f"const opened = () => {{\n{source('notebook.js')}\nreturn showView\n}}\n"
        f"export default {{ render: (shown) => opened()(shown, {{ {arguments} }}) }}\n"
    )


class View(anywidget.AnyWidget):
    """A run in a cell: query, sliders, results and map. Made by ``rivae.explore``.

    ``z``, ``query``, ``k`` and ``selection`` can be read and set, and follow what is done in the
    browser; ``observe`` calls a function when ``z``, ``k`` or ``ids`` change.

    Attributes:
        z: (d,) what is searched with; not changed in place: assign ``view.z = view.z + 1``.
        k: how many items are found, 1 to 30.
        ids: (k,) the rows of the data that are found, best first. Follows from the others.
        source: the ``Run`` or ``PairModel`` that is shown.

    Example:
        >>> import rivae
        >>> view = rivae.explore("demo-digits", progress=False)
        >>> view.z = view.z + 0.5
        >>> view.ids.shape, list(view.selection.columns[:2])
        ((10,), ['title', 'text'])
    """

    _esm = script()
    _content = traitlets.Bytes().tag(sync=True)
    _query = traitlets.Int(allow_none=True).tag(sync=True)
    _still = traitlets.Unicode().tag(sync=True)  # class of what stands here without a kernel
    _chosen = traitlets.List(traitlets.Int(), allow_none=True, default_value=None).tag(sync=True)
    _added = traitlets.List(traitlets.Dict()).tag(sync=True)  # the axes that were added to the run
    z = traitlets.Any().tag(
        sync=True,
        to_json=lambda z, view: None if z is None else z.tolist(),
        from_json=lambda z, view: np.array(z, dtype=np.float64),
    )
    k = traitlets.Int(10, min=1, max=MAX_K).tag(sync=True)
    ids = traitlets.Any()

    def __init__(
        self,
        explorer: Explorer,
        content: dict[str, Any],
        source: Any,
        k: int = 10,
        table: pd.DataFrame | None = None,
    ) -> None:
        self._explorer, self.source, self._table = explorer, source, table
        self._retriever: Retriever = explorer.retriever
        first = explorer.first_item
        content = content | {"asksPython": isinstance(source, RunAxes) and has_texts(explorer.data)}
        super().__init__(
            _content=as_json(content).encode(),
            _added=content["addedAxes"],
            _query=first,
            _still=f"rivae-still-{uuid4().hex}",
            k=k,
            z=self._start_of(first),
        )
        self._alone = ALONE.format(content["title"], len(explorer.search_rows))
        self.on_msg(self._heard)
        if isinstance(source, RunAxes):
            source._watchers.add(self)

    def show_axes(self) -> None:
        """Show the axes that are added to the run now; ``run.add_axis`` and its kin call this."""
        self._added = added_sliders(self._explorer)

    def _heard(self, _: Any, message: Any, __: Any) -> None:
        """Add or remove the axis that the box of the view asks for; a sentence says why not."""
        answer = {}
        try:
            if isinstance(lines := message.get("add"), dict):
                spec = typed_spec(str(lines.get("high", "")), str(lines.get("low", "")))
                self.source.add_axis(spec.high, spec.low)
            elif isinstance(axis_id := message.get("remove"), str):
                self.source.remove_axis(axis_id)
        except RivaeError as error:
            answer["error"] = str(error)
        self.send(answer)

    @property
    def query(self) -> int | None:
        """The row of the data that asks; None for the mean of all. Setting it moves z there.

        Raises:
            ConfigError: there is no such row among those that are searched.
        """
        return self._query

    @query.setter
    def query(self, row: int | None) -> None:
        if row is not None:
            if isinstance(row, bool) or not isinstance(row, Integral):
                raise ConfigError(f"the query is the number of a row, or None, not {row!r:.60}")
            row = int(self._rows_of([row])[0])
        z = self._explorer.mean if row is None else self._start_of(row)
        with self.hold_sync():
            self._query = row
            self.z = z

    @property
    def selection(self) -> pd.DataFrame:
        """The items that are searched, as rows of ``items``: those inside the lasso and with the
        words of the filter, or those that were set; all where nothing was chosen.

        Set it to rows of the data, to a mask with a place for each row of ``items``, to a part of
        ``items``, or to None for all.

        Raises:
            ConfigError: an item is not among those of the view, none is left, or it is not clear
                which rows are meant.
        """
        numbers = self._chosen
        rows = self._explorer.search_rows if numbers is None else np.array(numbers, dtype=np.int64)
        return self.items.loc[rows]

    @selection.setter
    def selection(
        self, value: pd.DataFrame | pd.Series[Any] | pd.Index[Any] | ArrayLike | None
    ) -> None:
        if value is None:
            self.set_trait("_chosen", None)
            return
        rows = self._rows_of(value)
        if not len(rows):
            raise ConfigError("an empty selection leaves nothing to search: use None for all items")
        self._chosen = np.unique(rows).tolist()

    @cached_property
    def items(self) -> pd.DataFrame:
        """All items of the view: their title, text and factors, and where they lie on each axis.

        The index, "item", is the row of the data, as in ``ids``: ``items.loc[view.ids]`` is what is
        found. Of arrays it is the table that was given, with the axes as further columns, and
        labels of its rows, where it has some, as first ones.
        """
        explorer, data = self._explorer, self._explorer.data
        rows = explorer.search_rows
        if self._table is None:
            columns: dict[str, Any] = {
                "title": [data.title(int(i)) for i in rows],
                "text": [data.text(int(i)) for i in rows],
            }
            for j, spec in enumerate(data.factor_specs if data.factors is not None else ()):
                columns[spec.name] = [data.factor_text(int(i), j) for i in rows]
            table = pd.DataFrame(columns, index=pd.Index(rows, name=ROW))
        else:
            table = numbered(self._table, explorer.axis_ids)
        axes = dict(zip(explorer.axis_ids, explorer.positions.T, strict=True))
        return table.assign(**{name: at for name, at in axes.items() if name not in table})

    def _start_of(self, row: int) -> Vector:
        """z of a query, with the four decimals that the panel uses."""
        return np.round(self._explorer.encode(row), 4)

    def _rows_of(self, selection: Any) -> Ints:
        are_numbers = self._table is None or has_plain_labels(self._table)
        return rows_of(selection, self.items, are_numbers)

    def _ipython_display_(self, **_: Any) -> None:
        """Show the view, and a sentence that it hides: in a page that is saved without its kernel,
        or that cannot fetch what draws widgets, nothing else stands there.
        """
        show: Any = IPython.display.display
        bundle = self._repr_mimebundle_()
        assert bundle is not None
        data, metadata = bundle
        show(data | {"text/plain": ""}, metadata=metadata, raw=True)
        note = f'<p class="{self._still}">{escape(self._alone)}</p>'
        show({"text/plain": self._alone, "text/html": note}, raw=True)

    @traitlets.validate("z")
    def _checked_z(self, proposal: Any) -> Vector:
        proposed_z = proposal["value"]
        try:  # a row of ``items`` that is turned round would move other axes
            check_order(self._explorer.axis_ids, axis_labels(proposed_z), "z")
        except ValueError as error:
            raise ConfigError(str(error)) from None
        z = np.array(self._explorer.checked_z(proposed_z))
        z.setflags(write=False)
        return z

    @traitlets.observe("z", "k", "_chosen")
    def _search(self, change: Any) -> None:
        whole = self._explorer.retriever
        if self._chosen == []:  # no item has the words
            self.ids = np.empty(0, dtype=np.int64)
            return
        if change["name"] == "_chosen":
            self._retriever = whole if self._chosen is None else whole.subset(self._chosen)
        self.ids = self._retriever.search(
            np.array([self.z]), min(self.k, len(self._retriever.ids))
        ).ids[0]
