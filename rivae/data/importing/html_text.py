"""Characters in place of the HTML that is left in a text: entities and the tags of elements.

What only looks like HTML stays: ``a < b``, ``<3``, ``R&D``, ``<my note>``.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

# A line ends before and after these; of the others only the tag goes.
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|br|center|dd|details|div|dl|dt|fieldset|figcaption|"
    "figure|footer|form|h[1-6]|head|header|hr|html|legend|li|main|nav|ol|p|pre|section|summary|"
    "table|tbody|tfoot|thead|tr|ul"
)
_CELL = ("td", "th")
_INLINE = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|iframe|img|input|ins|kbd|mark|meta|"
    "nobr|noscript|q|rp|rt|ruby|s|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr"
)
_HIDDEN = ("script", "style")  # with all that is inside of them
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,11})((?:\s[^<>]{0,5000})?)(?:/\s*)?>")
# A writer that escapes twice leaves &amp;amp; and &amp;#39; behind.
_ENTITY = re.compile(
    r"&(?:amp;){0,3}(?:(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|(amp|nbsp|quot)(?![\w;=]))"
)


def without_html(text: str) -> str:
    """``text`` with the characters that its entities stand for, and without its tags.

    Lines end where a paragraph, a list entry or ``<br>`` ends. Scripts, styles and comments go with
    all they hold, but a text that is nothing else stays as it was written.
    """
    if "<" in text:
        text = _without_tags(text)
    if "&" not in text:
        return text
    decoded_text = _ENTITY.sub(_character, text)
    # A page that was escaped as a whole has its tags only now.
    return _without_tags(decoded_text) if "<" in decoded_text and "<" not in text else decoded_text


def _without_tags(text: str) -> str:
    visible = _without_hidden(text)
    return _TAG.sub(_between, visible) if visible.strip() or not text.strip() else text


def _without_hidden(text: str) -> str:
    parts, at, hidden_tag = [], 0, ""
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if hidden_tag:
            if match[1] and name == hidden_tag:
                hidden_tag, at = "", match.end()
        elif name in _HIDDEN and not match[1]:
            parts.append(text[at : match.start()])
            hidden_tag, at = name, match.start()  # one that never ends stays
    text = "".join((*parts, text[at:]))
    text = text.replace("<![CDATA[", "").replace("]]>", "") if "<![CDATA[" in text else text
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts.append(text[at:start])
        at = end + 3
    return "".join((*parts, text[at:]))


def _between(match: re.Match[str]) -> str:
    """What takes the place of a tag."""
    name, attributes = match[2].lower(), match[3].strip(" \t\r\n/")
    if attributes and "=" not in attributes:
        return match[0]  # <a little salt>
    if _BLOCK.fullmatch(name):
        return "\n"
    if name in _CELL:
        return " "
    if not _INLINE.fullmatch(name):
        return match[0]
    text, start, end = match.string, match.start(), match.end()
    parts_digits = text[max(start - 1, 0) : start].isdigit() and text[end : end + 1].isdigit()
    # 1<sup>1</sup>/<sub>2</sub> is no eleven halves.
    return " " if name == "sup" and not match[1] and parts_digits else ""


def _character(match: re.Match[str]) -> str:
    name = match[1] or match[2]
    if name == "shy":  # where a long word may be divided
        return ""
    return unescape(f"&{name};") if name[0] == "#" or f"{name};" in html5 else match[0]
