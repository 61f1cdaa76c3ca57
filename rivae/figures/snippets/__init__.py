"""Python snippets that reproduce a panel of the app from the id of its run.

Every panel has a template here. A page asks ``snippet(run_id, "strips", query=12, k=3)`` and
offers the text with the panel; the tests run every template. A query of which only z is known (an
upload) is given as ``query=None, z=...``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rivae.base.errors import ConfigError
from rivae.data import IMPORTED
from rivae.data.sets.split_mnist import FOLDER_VARIABLE as MNIST
from rivae.data.store.manifest import ROOT_VARIABLE as DATA
from rivae.data.store.manifest import data_root
from rivae.figures.snippets.measures import MEASURES
from rivae.figures.snippets.pictures import PICTURES, WORDS
from rivae.figures.snippets.writing import Template, literal
from rivae.runs import Run, folders

__all__ = ["PANELS", "literal", "places_of", "snippet"]

PANELS: dict[str, Template] = {**PICTURES, **MEASURES, **WORDS}


def places_of(*runs: Run) -> dict[str, str]:
    """Environment variables that make these runs and their data known in any folder.

    The demo runs are found from everywhere; others lie in one folder of runs.
    """
    places: dict[str, str] = {}
    for run in runs:
        folder, dataset = run.path.absolute().parent, run.config.dataset
        if folder.resolve() != folders.DEMO_ROOT.resolve():
            places[folders.ROOT_VARIABLE] = str(folder)
        store = dataset.settings.get("store")
        if dataset.name == IMPORTED and isinstance(store, str) and not Path(store).is_absolute():
            places[DATA] = str(data_root().absolute())
        if dataset.name == "split-mnist" and not dataset.settings.get("folder"):
            places |= {MNIST: os.environ[MNIST]} if os.environ.get(MNIST) else {}
    return places


def snippet(run_id: str, call: str, places: Mapping[str, str] | None = None, **kwargs: Any) -> str:
    """The snippet of panel ``call`` for a run; a keyword left out has the panel's default.

    Args:
        run_id: name or path of the run, as ``rivae.load_run`` takes it.
        call: a name in ``PANELS``.
        places: from :func:`places_of`; the snippet sets these variables.
        **kwargs: numbers, text, None, and lists or arrays of them.

    Raises:
        ConfigError: the panel or a keyword is unknown, or a value cannot be written as Python.
    """
    if call not in PANELS:
        raise ConfigError(f"there is no panel '{call}': choose one of {', '.join(PANELS)}")
    template = PANELS[call]
    # Every panel of an opened run, or of its evaluation, shows it as one of its views asks.
    usual = {**template.defaults, **({"asks": "first"} if template.asked else {})}
    unknown = set(kwargs) - set(usual)
    if unknown:
        raise ConfigError(
            f"panel '{call}' takes no {', '.join(sorted(unknown))}: it takes "
            f"{', '.join(usual) or 'nothing'}"
        )
    settings = {**usual, **kwargs}
    values = {name: literal(value) for name, value in settings.items()}
    asks = settings.get("asks", "first")
    only = settings.get("only", "")
    values["narrowed"] = f", only={literal(only)}" if only else ""
    values["asked"] = "" if asks == "first" else f", asks={literal(asks)}"
    rows = settings.get("rows", "test")
    values["opened"] = ("" if rows == "test" else f", rows={literal(rows)}") + values["asked"]
    if "z" in settings:
        side = {"second": 2, "both": 0}.get(asks, 1)
        values |= _query(settings["query"], settings["z"], side)
    body = f"run = rivae.load_run({literal(run_id)}{values['opened']})\n"
    body += template.body.format(**values)
    head = "\n".join(["import rivae", *sorted(template.imports)])
    if "np." in body:
        head = f"import numpy as np\n\n{head}"
    if places:
        lines = (f"os.environ[{literal(name)}] = {literal(at)}" for name, at in places.items())
        head = f"import os\n\n{head}\n\n" + "\n".join(lines)
    return f"{head}\n\n{body}"


def _query(row: int | None, z: Any, side: int) -> dict[str, str]:
    """Where a traversal starts: at a given z, or at that of a data row, shown by its ``side``."""
    if row is None and z is None:
        raise ConfigError("a snippet of this panel needs a query row or a z to start from")
    is_item = row is not None
    return {
        "start": f"run.encode({literal(row)})" if z is None else f"np.array({literal(z)})",
        "query_picture": f"data.picture({literal(row)}, {side})" if is_item else "None",
        "query_title": f"data.title({literal(row)})" if is_item else repr("query"),
        "marked": f"[{literal(row)}]" if is_item else "[]",
    }
