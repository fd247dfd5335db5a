"""A text in parts, and the parts as Markdown, as one HTML page, or plain for a terminal."""

import html
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Title:
    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Title | Paragraph | Listing | Table


def markdown(parts: Iterable[Block]) -> str:
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Title):
            lines += ["", f"{'#' * part.level} {_marked(part.text)}", ""]
        elif isinstance(part, Paragraph):
            lines += [_marked(part.text), ""]
        elif isinstance(part, Listing):
            lines += [*(f"- {_marked(line)}" for line in part.lines), ""]
        else:
            lines.append("| " + " | ".join(_cell(cell) for cell in part.head) + " |")
            lines.append("|" + "---|" * len(part.head))
            lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in part.rows]
            lines.append("")
    return "\n".join(lines).strip() + "\n"


def page(parts: Iterable[Block], *, language: str) -> str:
    """One HTML file without scripts and without anything from elsewhere."""
    body: list[str] = []
    title = last = ""
    for part in parts:
        if isinstance(part, Title):
            title, last = title or part.text, part.text
            body.append(f"<h{part.level}>{_inline(part.text)}</h{part.level}>")
        elif isinstance(part, Paragraph):
            body.append(f"<p>{_inline(part.text)}</p>")
        elif isinstance(part, Listing):
            body.append("<ul>" + "".join(f"<li>{_inline(line)}</li>" for line in part.lines) + "</ul>")
        else:
            head = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in part.head)
            rows = "".join(
                "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in part.rows
            )
            name = html.escape(last)
            body.append(
                f'<div class="wide" role="region" aria-label="{name}" tabindex="0">'
                f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
            )
    return _PAGE.format(language=language, title=html.escape(title), body="\n".join(body))


def plain(parts: Iterable[Block]) -> str:
    """For a terminal: the Markdown without its marks."""
    return markdown(parts).replace("`", "").replace("\\", "")


_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }}
body {{ max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884; }}
code {{ overflow-wrap: anywhere; }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _marked(text: str) -> str:
    """A text that Markdown shows as it is, with our own code marks kept."""
    pieces = text.split("`")
    for place in range(0, len(pieces), 2):
        for letter in "\\*_[]<>|#":
            pieces[place] = pieces[place].replace(letter, f"\\{letter}")
    joined = "`".join(pieces)
    return " ".join(joined.split("\n"))


def _cell(text: str) -> str:
    return _marked(text)


def _inline(text: str) -> str:
    pieces = html.escape(text).split("`")
    if len(pieces) % 2 == 0:
        return "`".join(pieces)
    return "".join(
        f"<code>{piece}</code>" if place % 2 else f"<bdi>{piece}</bdi>" if piece else ""
        for place, piece in enumerate(pieces)
    )
