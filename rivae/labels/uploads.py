"""Labels from a file whose content is in memory, as a browser sends it."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from rivae.errors import LabelError
from rivae.labels.known_items import KnownItems
from rivae.labels.merge import ImportReport, import_labels
from rivae.labels.store import LabelStore

MAX_MEGABYTES = 64
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def import_content(
    store: LabelStore,
    name: str,
    content: bytes,
    *,
    items: KnownItems | None = None,
    dry_run: bool = False,
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
        return import_labels(store, path, items=items, dry_run=dry_run)
