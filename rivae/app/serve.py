"""Start the app: find a free port, print the address, hand over to Streamlit.

``python -m rivae.app.serve --port 8501``. Standard library only, so that it says what is wrong even
where nothing is installed yet. The Streamlit settings live in ``.streamlit/config.toml`` next to
``app.py``; one in the current folder may add to them, and secrets are read there, too.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rivae.base.addresses import answered_names, own_address, url_of
from rivae.base.cores import n_cores
from rivae.base.errors import ConfigError
from rivae.base.installed import APP_FILES, how_to_install
from rivae.base.output import with_output
from rivae.base.paths import home_path, variable_path
from rivae.base.proxies import PROXIES, trusted_proxies

DEFAULT_PORT = 8501
WORKERS = "RIVAE_WORKERS"  # how many processes answer drags beside the app's own
PORTS_TRIED = 100
# The variables that hold a path; these have one without them.
PLACES = {"RIVAE_RUNS": "runs", "RIVAE_DATA": "data", "RIVAE_LABELS": "labels/labels.db"}
OTHER_PLACES = ("RIVAE_RESULTS", "RIVAE_MNIST", "RIVAE_SLURM")


def is_free(port: int, address: str = "127.0.0.1") -> bool:
    """Whether a server could listen on ``port`` of ``address`` now."""
    own_host = own_address(address)
    with _socket(own_host) as probe:
        # A server on all interfaces does not always stop a second bind to one of them.
        probe.settimeout(0.2)
        if probe.connect_ex((own_host, port)) == 0:
            return False
    return _can_listen(port, address)


def _socket(address: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)


def _can_listen(port: int, address: str) -> bool:
    with _socket(address) as probe:
        if os.name == "posix":  # a port that was closed a moment ago is free, as for Streamlit
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def free_port(first: int = DEFAULT_PORT, address: str = "127.0.0.1") -> int:
    """The first free port from ``first`` on.

    Raises:
        ConfigError: when ``first`` is no port number, ``address`` is not this machine's, or the
            next ``PORTS_TRIED`` ports are all taken.
    """
    if not 1 <= first <= 65535:
        raise ConfigError(f"{first} is not a port number: choose one from 1 to 65535")
    if not _can_listen(0, address):  # 0: any port
        raise ConfigError(
            f"this machine has no address {address}: choose 127.0.0.1 to serve this machine only, "
            "or 0.0.0.0 to serve others too"
        )
    last = min(first + PORTS_TRIED - 1, 65535)
    for port in range(first, last + 1):
        if is_free(port, address):
            return port
    raise ConfigError(
        f"no port from {first} to {last} can be used on {address}: choose another with --port"
    )


def command(
    port: int,
    address: str = "127.0.0.1",
    headless: bool = False,
    extra: Sequence[str] = (),
    hosts: Sequence[str] = (),
) -> list[str]:
    """The command line that runs the app with this Python."""
    settings = ["--server.port", str(port), "--server.address", address]
    for name in answered_names(address, hosts):
        settings += ["--server.allowedHosts", name]
    if headless:
        settings += ["--server.headless", "true"]
    # Without -P, a file of the user's called random.py would be taken for Python's own.
    streamlit = [sys.executable, "-P", "-m", "streamlit", "run", str(APP_FILES / "app.py")]
    return [*streamlit, *settings, *extra]


def _check_workers(n: int) -> None:
    """Refuse more workers than there are cores beside the app's own: where processes share cores, a
    worker costs more than it takes off the app (docs/results.md).
    """
    if os.name != "posix":
        raise ConfigError("workers need Linux or macOS: leave --workers out")
    cores = n_cores()
    if not 0 < n < cores:
        raise ConfigError(
            f"{n} workers: each needs a core of the processor beside the app's own, and it may use "
            f"{cores}: choose a number from 0 to {cores - 1}"
        )


def environment(
    here: Path, files: Sequence[str] = (), workers: int = 0, proxies: Sequence[str] = ()
) -> dict[str, str]:
    """The environment of the app; runs, data, labels and results are looked for from ``here``.

    ``files`` are the folders whose files visitors may name; ``here`` without any. ``proxies`` are
    believed when they say for whom they ask; without any, nobody is.

    Raises:
        ConfigError: one of ``files`` is not a folder, one of ``proxies`` no address, or there
            cannot be so many ``workers``.
    """
    env = dict(os.environ)
    if workers:
        _check_workers(workers)
        env[WORKERS] = str(workers)
    open_folders = [part for part in env.get("RIVAE_FILES", "").split(os.pathsep) if part]
    folders = [(here / home_path(folder)).resolve() for folder in files or open_folders or ["."]]
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"{folder} is not a folder: give --files one that there is")
    env["RIVAE_FILES"] = os.pathsep.join(map(str, folders))
    proxy_list = [part for part in env.get(PROXIES, "").split(",") if part.strip()]
    env[PROXIES] = trusted_proxies(proxies or proxy_list)
    for variable in (*PLACES, *OTHER_PLACES):
        # A database by its URL is the same from everywhere.
        if "://" not in env.get(variable, "") and (env.get(variable) or variable in PLACES):
            env[variable] = str(
                (here / variable_path(variable, PLACES.get(variable, ""))).resolve()
            )
    # One thread per process: on small networks more threads cost time once a core is shared.
    env.setdefault("OMP_NUM_THREADS", "1")
    # What many threads free is given back: at a million items this saves a tenth of the memory.
    env.setdefault("MALLOC_ARENA_MAX", "2")
    env.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    return env


@dataclass(frozen=True)
class App:
    """The app's process, ready to be started.

    Attributes:
        line, env: its command line and environment.
        url: where this machine reaches it, without "/" at its end.
        port, address: where it listens.
    """

    line: list[str]
    env: dict[str, str]
    url: str
    port: int
    address: str = "127.0.0.1"


def check_streamlit() -> None:
    """Ask for Streamlit, before work that is for the app only.

    Raises:
        ConfigError: the library was installed without the app.
    """
    if importlib.util.find_spec("streamlit") is None:
        raise ConfigError(f"the app needs Streamlit: run {how_to_install('app')}")


def prepare(
    port: int = DEFAULT_PORT,
    address: str = "127.0.0.1",
    headless: bool = False,
    extra: Sequence[str] = (),
    hosts: Sequence[str] = (),
    files: Sequence[str] = (),
    workers: int = 0,
    proxies: Sequence[str] = (),
) -> App:
    """Find a free port and check all that the app needs.

    Args:
        port: the first port to try, 1 to 65535.
        address: where to listen; anything but 127.0.0.1 lets other machines in.
        headless: do not open a browser.
        extra: further options for ``streamlit run``.
        hosts: further names that the app answers to, see :func:`answered_names`.
        files: folders whose files visitors may name; without any, the current one.
        workers: processes that answer drags beside the app's own, for many users.
        proxies: addresses of proxies that say for whom they ask, see :func:`trusted_proxies`.

    Raises:
        ConfigError: when no port is free, Streamlit is missing, its files are missing, or a host,
            a folder, a proxy or the number of workers is not one.
    """
    check_streamlit()
    env = environment(Path.cwd(), files, workers, proxies)
    answered_names(address, hosts)
    free = free_port(port, address)
    if not (APP_FILES / "app.py").is_file():
        raise ConfigError(f"there is no app.py in {APP_FILES}: install RIVAE Explorer again")
    for folder in dict.fromkeys((Path.cwd(), APP_FILES)):  # where Streamlit looks for them
        _warn_of_open_secrets(folder / ".streamlit" / "secrets.toml")
    line = command(free, address, headless, extra, hosts)
    return App(line, env, url_of(free, address, extra), free, address)


def serve(port: int = DEFAULT_PORT, *options: Any, **more: Any) -> int:
    """Run the app until it is stopped; on POSIX this process becomes Streamlit.

    Takes what :func:`prepare` takes, and raises what it raises.

    Returns:
        The exit status of Streamlit (never returns on POSIX).
    """
    app = prepare(port, *options, **more)
    if app.port != port:
        print(f"Port {port} is taken, using {app.port}.")
    print(f"RIVAE Explorer: {app.url}  (Ctrl-C stops it)", flush=True)
    if os.name == "posix":
        os.execve(app.line[0], app.line, app.env)
    try:
        return subprocess.call(app.line, env=app.env)
    except KeyboardInterrupt:
        return 130


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``rivae serve``."""
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="the first port to try")
    parser.add_argument("--address", default="127.0.0.1", help="where to listen")
    parser.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name that browsers may call the app by, e.g. of a proxy (repeatable)",
    )
    parser.add_argument(
        "--proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a proxy in front of the app, whose X-Forwarded-For says who asks: its address or "
        "network (repeatable)",
    )
    parser.add_argument(
        "--files",
        action="append",
        default=[],
        metavar="FOLDER",
        help="visitors on this machine may name files below it; the current one by default "
        "(repeatable)",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="answer drags in N processes beside the app's own, for many users at once",
    )
    add_browser_option(parser)


def chosen_options(args: argparse.Namespace) -> dict[str, Any]:
    """What :func:`prepare` takes of the options that :func:`add_serve_options` adds."""
    return {
        "hosts": args.host,
        "files": args.files,
        "workers": args.workers,
        "proxies": args.proxy,
    }


def add_browser_option(parser: argparse.ArgumentParser) -> None:
    """``--no-browser``, which Streamlit calls ``--headless``."""
    parser.add_argument(
        "--no-browser",
        "--headless",
        action="store_true",
        dest="headless",
        help="do not open a browser",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The command line of ``python -m rivae.app.serve``; unknown options go to Streamlit."""
    parser = argparse.ArgumentParser(prog="rivae serve", description="Start the app.")
    add_serve_options(parser)
    options, extra = parser.parse_known_args(argv)
    return with_output(
        lambda: serve(
            options.port, options.address, options.headless, extra, **chosen_options(options)
        ),
        parser.prog,
    )


def _warn_of_open_secrets(path: Path) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix" and path.stat().st_mode & 0o077:
            print(f"Other users of this machine can read {path}: run `chmod 600` on it.")


if __name__ == "__main__":
    sys.exit(main())
