"""``rivae open TABLE --images FOLDER``: from your own pairs to sliders, in one command."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from rivae.app.serve import (
    DEFAULT_PORT,
    App,
    add_browser_option,
    check_streamlit,
    is_free,
    prepare,
)
from rivae.base.errors import RunError
from rivae.cli.common import Steps, add_command
from rivae.cli.data import add_source_options, plan_of
from rivae.runs import Run, runs_root

LOOK_S = 0.3
START_S = 120.0  # for the app to listen, on a busy machine
STOP_S = 10.0  # for it to end


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = add_command(
        commands,
        "open",
        _open,
        "import your own pairs, train a model on them and explore it",
        "  rivae open recipes.csv --images photos/\n"
        "  rivae open recipes.csv --images photos.zip --name mine --no-browser\n"
        "  rivae open table.csv --images photos --map picture=file --map title=dish\n"
        "The same command again imports and trains nothing twice. What may become better than the\n"
        "first model trains in the queue: Ctrl-C stops this command and the app, not the queue.",
    )
    parser.add_argument("--name", default="", help="of the data set and its run")
    add_source_options(parser)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="the first port to try")
    add_browser_option(parser)


def _open(args: argparse.Namespace) -> int:
    check_streamlit()  # before minutes of import and training
    args.resume_hint = "the same command continues"
    root = runs_root()
    with contextlib.ExitStack() as stack:
        steps = stack.enter_context(Steps("open", f"opening {args.source.name}", quiet=args.json))
        folder = _imported(args, steps)
        # It starts while the model is made, which leaves one of two cores idle now and then.
        app = prepare(args.port, headless=True)
        process = stack.enter_context(_running(app))
        from rivae.app.forms.quick import describe, quick_run, wait_for_model

        steps.keep(f"a model of {describe(folder)}")
        quick = quick_run(folder, root, args.name, steps)
        steps.keep(quick.sentence)
        run = Run(root / quick.name)
        args.resume_hint = lambda: _after(run)
        wait_for_model(quick.name, root, steps)
        _wait_until_it_listens(app, process)
        steps.close()
        url = f"{app.url}/explore?run={quote(run.id)}"
        if args.json:
            print(json.dumps({"import": folder.name, "run": run.id, "url": url}), flush=True)
        else:
            print(f"RIVAE Explorer: {url}  (Ctrl-C stops the app)", flush=True)
        if not args.headless and _has_screen():
            webbrowser.open(url)
        return process.wait()


def _after(run: Run) -> str:
    """What becomes of a run when this command is stopped."""
    try:
        is_trained = run.status.state == "finished"
    except RunError:  # not begun yet
        is_trained = False
    if is_trained:
        return f"`rivae serve` shows {run.id} again"
    return (
        f"{run.id} trains on in the queue; the same command opens it, "
        f"`rivae cancel {run.id}` stops it"
    )


def _imported(args: argparse.Namespace, steps: Steps) -> Path:
    """The folder of the import, made now unless these files were imported before."""
    from rivae.data.importing.once import import_once
    from rivae.data.importing.plan import free_import_name

    plan = plan_of(args, args.name or free_import_name(args.source))
    return import_once(plan, bool(args.name), steps, steps.keep)


@contextlib.contextmanager
def _running(app: App) -> Iterator[subprocess.Popen[bytes]]:
    """The process of the app, which ends with the block."""
    # Streamlit says the address too, where JSON may have to be written.
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(app.line, env=app.env, stdin=quiet, stdout=quiet)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_it_listens(app: App, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while is_free(app.port, app.address):
        if process.poll() is not None:
            raise RunError("the app ended at once: `rivae serve` says why")
        if time.monotonic() > deadline:
            raise RunError(f"the app does not answer: try `rivae serve --port {app.port + 1}`")
        time.sleep(LOOK_S)


def _has_screen() -> bool:
    """Whether there is a screen to open a browser on; without one a text browser would start."""
    return sys.platform != "linux" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
