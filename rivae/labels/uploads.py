"""Labels from a file whose content is in memory, as a browser sends it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from rivae.errors import LabelError
from rivae.labels.kept_plans import kept_plan, plan_guideline, plan_names
from rivae.labels.merge import ImportReport, import_labels
from rivae.labels.store import LabelStore

MAX_MEGABYTES = 64
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def known_factors(store: LabelStore) -> frozenset[str] | None:
    """The factors of all plans, which a file may speak of; None, so any, where there is no plan.

    A factor that no plan has would be shown nowhere.
    """
    factors: set[str] = set()
    for name in plan_names(store):
        factors |= set(plan_guideline(store, kept_plan(store, name)).ids)
    return frozenset(factors) or None


def import_content(
    store: LabelStore, name: str, content: bytes, *, dry_run: bool = False
) -> ImportReport:
    """``import_labels`` of a file that only has a name.

    Raises:
        RivaeError: it is too large, or a row cannot be read; nothing is stored then.
    """
    if len(content) > MAX_MEGABYTES << 20:
        raise LabelError(f"a file of labels has at most {MAX_MEGABYTES} MB: split it")
    # The name is a stranger's; its end says what kind of file it is.
    safe = _ODD.sub("_", name)[-80:].lstrip(".") or "labels"
    with tempfile.TemporaryDirectory(prefix="rivae-labels-") as folder:
        path = Path(folder) / safe
        path.write_bytes(content)
        return import_labels(store, path, factors=known_factors(store), dry_run=dry_run)
