"""What the pages say of a method without a latent, in one place. No streamlit here."""

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
    """Names of the first ``n`` axes of a run without opening its model."""
    from rivae.methods import Method

    return (method_of(run) or Method).axis_names(n)


def no_latent(method: Method | type[Method] | None) -> str:
    """One sentence for a method without a latent, nothing for any other."""
    if method is None or method.has_latent:
        return ""
    return f"{method.title} has no latent: its axes v1, v2 … are those of the embedding v."
