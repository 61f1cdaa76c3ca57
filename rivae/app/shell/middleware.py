"""What stands between a browser and the app: the gate, packed scripts, and the frame's style."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rivae.app.shell import web
from rivae.base.scripts import styles

if TYPE_CHECKING:
    from starlette.middleware import Middleware

# The kinds of elements that pages begin with, by page; "" for every page. Not charts: theirs is so
# large that it would keep what is read first from being drawn.
FIRST = {"": ("Html", "PageLink", "StreamlitMarkdown", "BidiComponent")}


def build_gate() -> list[Middleware]:
    """The gate before all routes, and what compresses scripts and styles pages behind it, for
    ``st.App``.
    """
    from starlette.middleware import Middleware
    from streamlit.file_util import get_static_dir

    from rivae.app.shell.compressed import Compressed
    from rivae.app.shell.first_style import FirstStyle, scripts_of
    from rivae.app.shell.gate import Gate

    static = Path(get_static_dir())
    scripts = {name: scripts_of(kinds, static) for name, kinds in FIRST.items()}

    return [
        Middleware(Gate, base=mounted(), held=held_by_uploads),
        Middleware(Compressed),
        Middleware(FirstStyle, style=styles("bar.css"), scripts=scripts),
    ]


def held_by_uploads() -> int:
    """Bytes of the files that browsers have sent and whose visitors are still here."""
    from streamlit.runtime import get_instance
    from streamlit.runtime.stats import CacheStat

    families = get_instance().uploaded_file_mgr.get_stats().values()
    stats = (stat for family in families for stat in family)
    return sum(stat.byte_length for stat in stats if isinstance(stat, CacheStat))


def mounted() -> str:
    """The path below which the app is served, "" or "/name"; the routes' addresses begin so."""
    from streamlit import config

    return web.mount(str(config.get_option("server.baseUrlPath") or ""))
