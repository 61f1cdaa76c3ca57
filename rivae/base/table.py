"""A table, and its one writer for each format: CSV, Markdown, LaTeX and plain text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rivae.base.csv_text import csv_line


class Cell(NamedTuple):
    """A formatted cell; ``strong`` stands first, in bold where the format has it."""

    text: str
    strong: str = ""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        title: plain text.
        format: writes a value of the column; a CSV has the values themselves.
        numeric: whether it holds numbers, which are not aligned left.
    """

    title: str
    format: Callable[[Any], str | Cell] = str
    numeric: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of values under their columns."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]

    @classmethod
    def of(cls, titles: Iterable[str], rows: Sequence[Sequence[Any]]) -> Table:
        """A table of texts."""
        return cls([Column(title) for title in titles], rows)

    def csv(self) -> str:
        """Titles, then the values as they are, see ``csv_text``."""
        return "".join(map(csv_line, (self._titles, *self.rows)))

    def markdown(self) -> str:
        """A Markdown table; characters that it would take for its own are masked."""
        rules = ["---:" if column.numeric else "---" for column in self.columns]
        lines = [" | ".join(map(_markdown, self._titles))]
        lines += [" | ".join(row) for row in self._written(_markdown, "**{}**")]
        head, *body = [f"| {line} |" for line in lines]
        return "\n".join([head, f"|{'|'.join(rules)}|", *body]) + "\n"

    def latex(self) -> str:
        """A LaTeX ``tabular`` in the style of the package booktabs."""
        kinds = "".join("c" if column.numeric else "l" for column in self.columns)
        lines = [list(map(_latex, self._titles)), *self._written(_latex, r"\textbf{{{}}}")]
        head, *body = [" & ".join(line) + r" \\" for line in lines]
        begin = [r"% needs \usepackage{booktabs}", rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
        end = [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*begin, head, r"\midrule", *body, *end]) + "\n"

    def text(self) -> str:
        """Columns padded with two spaces between, text aligned left."""
        lines = [self._titles, *self._written(str, "{}")]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded_cells = (map(str.ljust, line, widths) for line in lines)
        return "".join("  ".join(line).rstrip() + "\n" for line in padded_cells)

    @property
    def _titles(self) -> list[str]:
        return [column.title for column in self.columns]

    def _written(self, mask: Callable[[str], str], bold: str) -> list[list[str]]:
        """The formatted rows, masked for a format whose bold text is ``bold``."""

        def written(value: str | Cell) -> str:
            if isinstance(value, str):
                return mask(value)
            text, strong = map(mask, value)
            return bold.format(strong) + text if strong else text

        return [
            [written(column.format(value)) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]


def _markdown(text: str) -> str:
    return re.sub(r"\s+", " ", html.escape(text, quote=False).replace("|", r"\|"))


_LATEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "–": "--",
    "−": "$-$",
    "²": "$^2$",
    "~": r"\~{}",
    "^": r"\^{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "α": r"$\alpha$",
    "·": r"$\cdot$",
    "\n": " ",
    **{c: "\\" + c for c in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)
