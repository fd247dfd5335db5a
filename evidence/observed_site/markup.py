"""The small part of Markdown that the observed site is written in, as escaped HTML and as plain text.

Blocks: paragraphs, `## headings` and `- lists`. Inside them: `[text](address)`, `*emphasis*` and `code` in backticks.
"""

import re
from html import escape

_INLINE = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<address>[^)\s]+)\)|\*(?P<strong>[^*]+)\*|`(?P<code>[^`]+)`")


def blocks(body: str) -> str:
    """Body → HTML."""
    return "\n".join(_block(block) for block in body.split("\n\n"))


def inline(text: str) -> str:
    """One run of text → HTML."""
    parts, end = [], 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[end : found.start()]), _element(found)]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def plain(text: str) -> str:
    """One run of text without its marks: of a link stays what it reads."""
    return _INLINE.sub(lambda found: found["text"] or found["strong"] or found["code"], text)


def _element(found: re.Match[str]) -> str:
    if found["address"]:
        return f'<a href="{escape(found["address"])}">{escape(found["text"])}</a>'
    if found["strong"]:
        return f"<em>{escape(found['strong'])}</em>"
    return f"<code>{escape(found['code'])}</code>"


def _block(block: str) -> str:
    if block.startswith("## "):
        return f"<h2>{inline(block[3:])}</h2>"
    if block.startswith("- "):
        items = "".join(f"<li>{inline(line[2:])}</li>" for line in block.splitlines())
        return f"<ul>{items}</ul>"
    return f"<p>{inline(block)}</p>"
