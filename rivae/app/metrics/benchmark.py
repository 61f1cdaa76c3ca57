"""The first view of the Metrics page: the benchmark's tables, or why they cannot be shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from rivae.app.metrics import exports, page_keys, session
from rivae.app.metrics.results_table import RESULTS, payload
from rivae.app.shared import frame
from rivae.app.shared.charts import chart, headline, is_dark
from rivae.app.shell.text import markdown
from rivae.base.errors import DataError
from rivae.base.installed import APP_FILES
from rivae.base.paths import variable_path
from rivae.benchmark.table_views import TableView, dots, presets_of, table_views
from rivae.retrieval.ranges import PAPER, second_range
from rivae.retrieval.ranges import title as title_of

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from rivae.benchmark.summary import SummaryLine

NO_RESULTS = "No benchmark results yet"
DOTS = "Dot plot"
HEIGHT = 420  # of a place where tables will stand
ROOMS = (20, 15, 10, 5)  # rows for which the frame's style keeps room until they are drawn
AGAIN = "run the benchmark again"
FOREIGN = "{} is not a table of benchmark results: " + AGAIN
HOW_TO_READ = (
    "Dots are means with their 95 % interval, diamonds the paper's numbers, dotted lines chance. "
    "In the tables: mean ± s.d. over all n runs, below it the 95 % interval of the mean (wide for "
    "two runs), cut at the range of the metric. The best of our means in a column is "
    "bold and underlined; chance levels take no part. ↑ higher is better, ↓ lower. Click a heading "
    "to sort, again to reverse, again for the paper's order."
)


def tables() -> None:
    """The tables of one data set."""
    try:
        found, presets = contents()
    except DataError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return
    if not found:
        st.subheader(NO_RESULTS, anchor=False)
        st.write(
            "Run the benchmark to fill these tables: `rivae benchmark` trains and measures the "
            "methods of the paper on this machine, which takes hours to days (see "
            "docs/results.md). Scores of single runs are under *This run*."
        )
        return
    names = _dataset_names(found)
    ranges = {title_of(key): key for key in (PAPER, second_range(PAPER))}
    with frame.tools():
        title = st.segmented_control(
            "Data set",
            list(names),
            default=next(iter(names)),
            required=True,
            key=page_keys.DATASET,
            bind="query-params",
            label_visibility="collapsed",
        ) or next(iter(names))
    with frame.details("How to read", ":material/menu_book:"):
        st.caption(HOW_TO_READ)
    with frame.details():
        choice = st.segmented_control(
            "Range of z",
            list(ranges),
            default=title_of(PAPER),
            required=True,
            key=page_keys.RANGE,
            bind="query-params",
            help="The paper's −10 … 10, which depends on the scale that training gave z, or "
            "mean ± 3 s.d. of the model's own prior. The paper has numbers for its own range only.",
        )
        preset = st.selectbox(
            "Preset",
            ["all", *presets],
            key=page_keys.PRESET,
            bind="query-params",
            width=130,
            help="Our settings (default), or the paper's.",
        )
        paper = st.toggle("Paper's numbers", value=True, key=page_keys.PAPER, bind="query-params")
    try:
        with st.skeleton(height=HEIGHT):
            lines = summary(names[title])
    except DataError as error:
        st.warning(markdown(str(error)), icon=":material/info:")
        return
    views = table_views(
        lines,
        names[title],
        where=ranges.get(choice or "", PAPER),
        preset=preset if preset in presets else None,
        paper=paper,
    )
    made_of = (_version(), names[title], choice, preset, paper)
    for view in views:
        _table(view, title, names[title], made_of)


def _dataset_names(found: list[str]) -> dict[str, str]:
    """Titles of the data sets, each with its own name; a foreign name is its own title."""
    from rivae.benchmark.tables import dataset_titles

    titles = dataset_titles()
    return {titles.get(name, name): name for name in found}


def _table(view: TableView, title: str, dataset: str, made_of: tuple[object, ...]) -> None:
    """A table and its figure; ``made_of`` is the file and what was chosen of it."""
    headline(view.title)
    exports.table_panel(view, dataset)
    data = payload(view, session.sort_of(view.id), f"{title}: {view.title}")
    room = next((n for n in ROOMS if n <= len(view.lines)), 0)
    with st.container(key=f"room_{room}_{view.id}"):
        RESULTS(
            data,
            key=f"{page_keys.TABLE}_{view.id}",
            sort=lambda column: session.clicked_heading(view.id, column),
        )
    st.caption(markdown(view.note))
    if view.has_dots:
        with session.fold(DOTS, f"dots_{view.id}") as is_open:
            if is_open:
                figure = _dots((view.id, *made_of), is_dark(), view)
                chart(figure, f"{page_keys.DOTS}_{dataset}_{view.id}")


@st.cache_resource(max_entries=48, show_spinner=False)
def _dots(made_of: tuple[object, ...], dark: bool, _view: TableView) -> Figure:
    """Drawn once, however often a table is sorted; a cached figure must not be changed."""
    return dots(_view, dark=dark)


# A row is about 100 bytes; the report has a few thousand of them.
MAX_BYTES, MAX_ROWS = 64 * 2**20, 500_000
TEXTS = ("dataset", "method", "state", "metric")
NUMBERS = ("score", "seed", "draw")


def results_file() -> Path:
    """``$RIVAE_RESULTS/results.parquet``, else that of the project itself."""
    folder = variable_path("RIVAE_RESULTS", str(APP_FILES / "benchmarks" / "results"))
    return folder / "results.parquet"


def contents() -> tuple[list[str], list[str]]:
    """The names of the data sets and of the presets; none where no benchmark has run yet.

    Raises:
        DataError: the file is damaged, too large, or no table of results.
    """
    version = _version()
    return _contents(*version) if version else ([], [])


def summary(dataset: str) -> list[SummaryLine]:
    """The lines of the tables of a data set; none where no benchmark has run yet.

    Raises:
        DataError: as of ``contents``.
    """
    version = _version()
    return _summary(*version, dataset) if version else []


def _version() -> tuple[str, int, int] | None:
    """Path, time and size of the file; None where there is none."""
    path = results_file()
    try:
        status = path.stat()
    except OSError:
        return None
    return str(path), status.st_mtime_ns, status.st_size


@st.cache_resource(max_entries=2, show_spinner=False)
def _contents(path: str, written: int, size: int) -> tuple[list[str], list[str]]:
    from rivae.benchmark.rows import read_names
    from rivae.benchmark.summary import datasets_of

    check(Path(path), size)
    datasets, presets = read_names(Path(path).parent)
    return datasets_of(datasets), presets_of(presets)


@st.cache_resource(max_entries=16, show_spinner=False)
def _summary(path: str, written: int, size: int, dataset: str) -> list[SummaryLine]:
    from rivae.benchmark.rows import read_rows
    from rivae.benchmark.summary import summarise

    check(Path(path), size)
    try:
        lines = summarise(read_rows(Path(path).parent, dataset))
        return [line for line in lines if line.dataset == dataset]
    except (ValueError, TypeError, KeyError, OverflowError):
        raise _foreign(Path(path)) from None


def check(path: Path, size: int) -> None:
    """Look at the file's own description before its rows are read.

    Raises:
        DataError: the file is damaged, too large, or no table of results.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if size > MAX_BYTES:
        raise DataError(f"{path.name} is larger than {MAX_BYTES >> 20} MB: {AGAIN}")
    try:
        with pq.ParquetFile(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
    except (OSError, pa.ArrowException):
        raise DataError(f"{path.name} is damaged: delete it and {AGAIN}") from None
    if n_rows > MAX_ROWS:
        raise DataError(f"{path.name} has more than {MAX_ROWS:,} rows: {AGAIN}")
    types = {field.name: field.type for field in schema}
    is_text = (pa.types.is_string, pa.types.is_large_string)
    is_number = (pa.types.is_integer, pa.types.is_floating)
    for names, is_allowed in ((TEXTS, is_text), (NUMBERS, is_number)):
        if not all(name in types and any(f(types[name]) for f in is_allowed) for name in names):
            raise _foreign(path)


def _foreign(path: Path) -> DataError:
    return DataError(FOREIGN.format(path.name))
