"""The addresses that the app has: where it is opened, and the names that it answers to."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import tomllib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from rivae.base.errors import ConfigError
from rivae.base.installed import APP_FILES

EVERYWHERE = ("", "0.0.0.0", "::")
HOST = re.compile(r"(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]*)|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")


def answered_names(address: str, hosts: Sequence[str] = ()) -> list[str]:
    """The names and addresses that the app answers to when a browser calls it by them.

    A stranger's host name that was made to point to this machine gets no answer.

    Args:
        address: where the app listens; on all interfaces, this machine's name and address count.
        hosts: its other names, e.g. that of a proxy in front of it; ``*.name`` for all below.

    Raises:
        ConfigError: one of ``hosts`` is not a host name.
    """
    names = ["127.0.0.1", "localhost", "::1"]
    names += _machine_names() if address in EVERYWHERE else [address]
    for name in hosts:
        if not HOST.fullmatch(name):
            raise ConfigError(
                f"{name[:80]!r} is not a host name: give --host a name without http://"
            )
        names.append(name)
    return list(dict.fromkeys(names))


def _machine_names() -> list[str]:
    """The names and addresses of this machine in its network, as far as it knows them."""
    name = socket.gethostname()
    addresses = [name, f"{name}.local"]
    with contextlib.suppress(OSError):
        addresses += [str(info[4][0]) for info in socket.getaddrinfo(name, None)]
    for family, remote in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        # Nothing is sent: the system only says from which address it would be.
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((remote, 9))
            addresses.append(str(probe.getsockname()[0]))
    return [address for address in addresses if HOST.fullmatch(address)]


def url_of(port: int, address: str, extra: Sequence[str] = ()) -> str:
    """The address in this machine's browser, as Streamlit's settings make it; no "/" at its end."""
    local = own_address(address)
    host = f"[{local}]" if ":" in local else local
    safe = all(_streamlit_setting(f"server.ssl{part}File", extra) for part in ("Cert", "Key"))
    path = _streamlit_setting("server.baseUrlPath", extra).strip("/")
    return f"http{'s' if safe else ''}://{host}:{port}" + (f"/{quote(path)}" if path else "")


def _streamlit_setting(name: str, extra: Sequence[str]) -> str:
    """A text among Streamlit's settings: an option, a variable, or in the files that it reads."""
    section, _, key = name.partition(".")
    for i in range(len(extra) - 1, -1, -1):
        option, equals, value = extra[i].partition("=")
        if option == f"--{name}":
            return value if equals else "".join(extra[i + 1 : i + 2])
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).upper()
    variable = f"STREAMLIT_{section.upper()}_{words}"
    if variable in os.environ:
        return os.environ[variable]
    for folder in (APP_FILES, Path.cwd(), Path(os.path.expanduser("~"))):  # noqa: PTH111
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            text = (folder / ".streamlit" / "config.toml").read_text(encoding="utf-8")
            value = str(tomllib.loads(text)[section][key])
            return os.environ.get(value[4:], "") if value.startswith("env:") else value
    return ""


def own_address(address: str) -> str:
    """An address that this machine can reach itself at."""
    if address == "::":  # a system may keep the two kinds of addresses apart
        return "::1"
    return "127.0.0.1" if address in EVERYWHERE else address
