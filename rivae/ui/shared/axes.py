"""How axes are called, and what the pages say of a method without a latent. No streamlit here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivae.errors import RivaeError

if TYPE_CHECKING:
    from rivae.methods.base import Method
    from rivae.runs import Run


def method_of(run: Run) -> type[Method] | None:
    """The method of a run; None where its configuration cannot be read or names no such method."""
    from rivae.methods import method_class

    try:
        return method_class(run.config.method.name)
    except RivaeError:
        return None


def names_of(run: Run, n: int) -> list[str]:
    """What the ``n`` axes of a run are called, as ``Explorer.axis_names``, without opening it."""
    from rivae.methods import Method
    from rivae.words.axis_names import given_names, labels

    return labels((method_of(run) or Method).axis_names(n), given_names(run, n))


def no_latent(method: Method | type[Method] | None) -> str:
    """One sentence for a method without a latent, nothing for any other."""
    if method is None or method.has_latent:
        return ""
    return f"{method.title} has no latent: its axes v1, v2 … are those of the embedding v."
