"""Align to labels: choose factors, see what held-out items gain, keep the result as a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from rivae.errors import RunError
from rivae.ui.metrics import session
from rivae.ui.metrics.labels_table import gains_payload
from rivae.ui.metrics.table import RESULTS
from rivae.ui.panels.links import CompareLink
from rivae.ui.shared import runs
from rivae.ui.shared.charts import headline
from rivae.ui.shell import cache, keys
from rivae.ui.shell.pages import COMPARE, EXPLORE
from rivae.ui.shell.text import markdown
from rivae.ui.work import report
from rivae.ui.work.tasks import Task, Tasks, start_process

if TYPE_CHECKING:
    from collections.abc import Collection

    from rivae.labels.run_scores import Labelled
    from rivae.retrieval.base import Floats, Ints
    from rivae.runs import Run
    from rivae.ui.metrics.labels_data import Found
    from rivae.ui.work.tasks import Task

PLACE = "metrics_align"
GOOD = 30  # labelled items with which an alignment is worth its while
TOO_FEW = "No factor has different labels of at least {} items yet; {} do much more."
GAIN_UNKNOWN = (
    "The labels are too few, or too alike, to hold some of them out: the gain of this "
    "alignment is unknown."
)


def panel(run: Run, found: Found, known: Labelled) -> None:
    """Everything about aligning ``run`` to the labels of now."""
    headline("Align to labels")
    st.caption(
        "Changes the axes by an invertible linear map, so that each chosen factor gets its own "
        "axis. The search finds the same items as before, and this run is not changed."
    )
    report.show(PLACE)
    aligning, keeping = job_of("align", run), job_of("keep", run)
    if running := [job for job in (aligning, keeping) if job is not None and job.running]:
        report.watch(running, PLACE)
        return
    usable = _choice(run, found, known)
    if aligning is not None and usable:
        _outcome(run, aligning, found)
    if keeping is not None:
        _kept(run, keeping)


def _choice(run: Run, found: Found, known: Labelled) -> bool:
    """Which factors, and the button; whether there is any that can be aligned to."""
    from rivae.labels.align import MIN_LABELS

    ids, counts, usable = found.guideline.ids, known.counts(), known.usable()
    if not usable:
        st.write(TOO_FEW.format(MIN_LABELS, GOOD))
        return False
    names = dict(zip(ids, found.names(ids), strict=True))
    key = f"{keys.METRICS_ALIGN_FACTORS}_{run.id}"
    before = st.session_state.get(key, ids)
    # Labels that were taken back may have left a factor with too few.
    st.session_state[key] = [factor for factor in usable if factor in before]
    chosen = st.multiselect(
        "Factors, in the order of the new axes",
        usable,
        format_func=lambda f: f"{names[f]} ({counts[ids.index(f)]})",
        key=key,
        help="Behind a name: how many items have a level.",
    )
    st.button(
        "Align",
        icon=":material/straighten:",
        type="primary",
        disabled=not chosen,
        key=keys.METRICS_ALIGN_START,
        on_click=_start,
        args=(run, found, known, tuple(chosen)),
    )
    st.caption(markdown(_basis(found, known, usable)))
    return True


def _basis(found: Found, known: Labelled, usable: Collection[str]) -> str:
    """Which labels an alignment would take."""
    import numpy as np

    tested = int(np.isin(known.rows, found.opened.data.splits["test"]).sum())
    by = "one annotator" if known.n_annotators == 1 else f"{known.n_annotators} annotators"
    text = (
        f"Takes all labels of this data set, whatever their plan: {len(known.rows):,} items by "
        f"{by}, the median of their levels, verdicts in its place."
    )
    if tested:
        text += (
            f" {tested:,} of them are test items: on those, D, C and I of the aligned run are "
            "kinder than on others."
        )
    missing = [factor for factor in found.guideline.ids if factor not in usable]
    if missing:
        text += f" Too few different labels: {', '.join(found.names(missing))}."
    return text


def _start(run: Run, found: Found, known: Labelled, factors: tuple[str, ...]) -> None:
    own = known.of(factors)
    forget("keep", run)
    report.begin(PLACE, lambda: align(run, own.rows, own.levels, factors, found.guideline.version))


def _outcome(run: Run, job: Task, found: Found) -> None:
    """What was found, and the way to keep it."""
    from rivae.labels.derive import MAX_ID, free_name

    if job.error or job.result is None:
        st.warning(markdown(job.error or "stopped before it finished"), icon=":material/info:")
        return
    result: dict[str, Any] = job.result
    record = result["record"]
    known = set(found.guideline.ids)
    names = {f: found.guideline.factor(f).name if f in known else f for f in record["factors"]}
    if record["held_out"]:
        before = runs.names_of(run, len(result["matrix"]))
        RESULTS(gains_payload(record["held_out"], names, before), key=f"{keys.METRICS_TABLE}_gains")
        st.caption(
            "Axes fitted to 70 % of the labelled items, measured on the others; the saved run is "
            "fitted to all of them."
        )
    else:
        st.info(
            GAIN_UNKNOWN,
            icon=":material/info:",
        )
    st.caption(markdown(f"{result['note'][:1].upper()}{result['note'][1:]}."))
    key = f"{keys.METRICS_ALIGN_NAME}_{run.id}"
    free = free_name(f"{run.id}-aligned", {r.id for r in cache.runs()})
    st.session_state.setdefault(key, free)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of the new run", key=key, max_chars=MAX_ID, width=320)
        st.button(
            "Save as a run",
            icon=":material/save:",
            key=keys.METRICS_ALIGN_KEEP,
            on_click=_keep,
            args=(run, result, [names[f] for f in record["factors"]], key),
        )


def _keep(run: Run, result: dict[str, Any], names: list[str], key: str) -> None:
    name = str(st.session_state[key]).strip()
    report.begin(PLACE, lambda: keep(run, result, names, name))


def _kept(run: Run, job: Task) -> None:
    if job.error or job.result is None:
        st.warning(markdown(job.error or "stopped before it finished"), icon=":material/info:")
        return
    made = str(job.result["run"])
    st.success(
        f"Saved {markdown(made)}. Its first axes are named after the factors.",
        icon=":material/check:",
    )
    with st.container(horizontal=True):
        st.page_link(
            EXPLORE, label="Open in Explore", icon=":material/tune:", query_params={"run": made}
        )
        st.page_link(
            COMPARE,
            label="Compare with the original",
            icon=":material/view_column:",
            query_params=CompareLink(runs=(run.id, made)).write(),
        )
        st.button(
            "Evaluate it",
            icon=":material/speed:",
            type="tertiary",
            key=keys.METRICS_ALIGN_EVALUATE,
            on_click=session.show_run,
            args=(made,),
        )


TITLES = {"align": "Aligning", "keep": "Writing", "suggest": "Suggestions for"}

BUSY = "the machine is busy aligning other axes: try again in a minute"

tasks = Tasks(20, RunError, BUSY, at_once=2)


def job_of(what: str, run: Run) -> Task | None:
    """The newest task of this kind on the run's present model, running or done, or None."""
    return tasks.get(_key(what, run))


def forget(what: str, run: Run) -> None:
    """No more of this work is shown."""
    tasks.forget(_key(what, run))


def align(run: Run, items: Ints, levels: Floats, factors: Sequence[str], guideline: str) -> Task:
    """Begin to align ``run`` to the (m, K) levels of data rows (see ``align_run``).

    Its result is what :func:`keep` takes. Raises RunError as :func:`keep`.
    """
    return _begin(
        run,
        "align",
        items=items.tolist(),
        levels=levels.tolist(),
        factors=list(factors),
        guideline=guideline,
    )


def keep(run: Run, found: dict[str, Any], names: Sequence[str], name: str) -> Task:
    """Begin to write the derived run ``name``; its result is {"run": its id}.

    Args:
        found: the result of :func:`align`.
        names: of the first axes.

    Raises:
        RunError: too many such processes are at work.
    """
    from rivae.runs import runs_root

    kept = {part: found[part] for part in ("matrix", "offset", "note", "record")}
    return _begin(
        run, "keep", **kept, names=list(names), name=name, root=str(runs_root().resolve())
    )


def suggest(run: Run, labelled: Ints, n_items: int) -> Task:
    """Begin to look for the items to label next; its result is {"rows", "pool", "n_pool"}.

    Raises RunError as :func:`keep`.
    """
    return _begin(run, "suggest", labelled=labelled.tolist(), n_items=n_items)


def _begin(run: Run, what: str, **spec: Any) -> Task:
    key, title = _key(what, run), f"{TITLES[what]} {run.id}"
    spec["run"] = str(run.path.resolve())
    work = f"rivae.ui.metrics.work:{what}"
    return tasks.start(key, lambda: start_process(key, title, work, spec), again=True)


def _key(what: str, run: Run) -> str:
    return f"{what}|{run.path.resolve()}|{run.content_hash}"
