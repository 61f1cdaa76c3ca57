"""The browser's part of the app: plain ES modules in ``assets/components``, joined to one text.

The app's components, exported pages and notebooks are all made of these modules; a browser or
Node.js can also import them as they are.
"""

from __future__ import annotations

import re
from functools import cache

from rivae.base.installed import APP_FILES

FOLDER = APP_FILES / "assets" / "components"
LIBRARY = APP_FILES / "assets" / "libraries" / "map.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async function|class|function|const|let)", re.MULTILINE)
_LIBRARY_EXPORT = re.compile(r"\bexport\{([^}]*)\};")


@cache
def source(*names: str) -> str:
    """The modules ``names``, and before each what it imports, as one text without imports.

    All share one scope, so a name may be declared at the top of one of them only. What the last
    one exports as default is exported.
    """
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in parts:
            return
        parts[name] = ""
        text = (FOLDER / name).read_text(encoding="utf-8")
        for module in _IMPORT.findall(text):
            add(module)
        parts.pop(name)  # after what it needs
        parts[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    for name in names:
        add(name)
    last = names[-1]
    return "\n".join(
        text
        if name == last
        else text.replace("\nexport default ", f"\nconst default_{name[:-3]} = ")
        for name, text in parts.items()
    )


@cache
def styles(*names: str) -> str:
    """The style sheets ``names`` in this order, as one text."""
    return "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


@cache
def library() -> str:
    """The map's libraries as an expression whose value has what they export."""
    text = LIBRARY.read_text(encoding="utf-8")
    match = _LIBRARY_EXPORT.search(text)
    assert match, "the library lists what it exports"
    pairs = (pair.split(" as ") for pair in match[1].split(","))
    exports = ", ".join(f"{name.strip()}: {inside.strip()}" for inside, name in pairs)
    return f"(() => {{ {text[: match.start()]}\n{text[match.end() :]}\nreturn {{ {exports} }} }})()"
