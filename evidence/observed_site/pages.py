"""The pages of the observed site as HTML: each function takes what it shows and returns the whole document."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from datetime import date
from html import escape

from evidence.observed_site import content, markup, routes
from evidence.observed_site.content import Article, Comment

SITE = "Glosario de agentes de IA"
PURPOSE = "Definiciones breves en español, con fuente y fecha de revisión"
_MONTHS = (
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
)

Link = tuple[str, str]  # address, words
Alternate = tuple[str, str]  # address, media type

_FOOT: tuple[Link, ...] = (
    ("/condiciones", "Condiciones de uso"),
    ("/acerca", "Acerca"),
    ("/metodologia", "Metodología"),
    ("/archivo/2023/", "Archivo"),
    ("/interno/", "Redacción"),
)


def style_source() -> str:
    """The style as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.style().encode()).digest()).decode()}'"


def long_date(day: date) -> str:
    return f"{day.day} de {_MONTHS[day.month - 1]} de {day.year}"


def month_name(month: str) -> str:
    """«2026-10» in words."""
    year, number = month.split("-")
    return f"{_MONTHS[int(number) - 1]} de {year}"


def home(*, latest: Iterable[Article]) -> str:
    return _document(
        SITE,
        f"<h1>{SITE}</h1><p>{PURPOSE}. Cada ficha puede citarse con su dirección.</p>"
        '<p><a href="/conceptos/">Ver todos los conceptos</a></p>'
        f"<h2>Revisados hace poco</h2>{_list(_dated(latest, '/conceptos/'))}"
        "<h2>Para seguir</h2>"
        + _list(
            [
                '<a href="/comunidad/">Textos de la comunidad</a>',
                '<a href="/estadisticas/">Los conceptos más leídos</a>',
                f'<a href="{routes.DOWNLOAD}">El glosario entero en un archivo</a> (Markdown)',
            ]
        ),
    )


def index(concepts: Iterable[Article], *, alternates: Iterable[Alternate]) -> str:
    entries = "".join(
        f'<dt><a href="/conceptos/{one.slug}">{escape(one.title)}</a></dt>'
        f"<dd>{escape(markup.plain(one.definition))}</dd>"
        for one in concepts
    )
    return _document(
        "Conceptos",
        f'<h1>Conceptos</h1><dl class="index">{entries}</dl>'
        '<p><a href="/exportar/">Exportar el glosario</a></p>' + _formats(alternates),
        alternates=alternates,
    )


def concept(
    one: Article, *, related: Iterable[Article], asides: Iterable[Link], alternates: Iterable[Alternate]
) -> str:
    first, _, rest = one.body.partition("\n\n")
    links = ", ".join(f'<a href="/conceptos/{other.slug}">{escape(other.title)}</a>' for other in related)
    return _document(
        one.title,
        f'<h1>{escape(one.title)}</h1><p class="english">En inglés: <span lang="en">{escape(one.english)}</span></p>'
        f'<blockquote class="definition">{markup.inline(first)}</blockquote>{markup.blocks(rest)}'
        + _facts(
            [
                ("Fuente", f'<a href="{escape(one.address)}" rel="external">{escape(one.source)}</a>'),
                ("Autoría", escape(one.author)),
                ("Revisado", _time(one.revised)),
                ("Dirección", f"<code>/conceptos/{one.slug}</code>"),
                ("Véase también", links),
            ]
        )
        + _formats(alternates)
        + "<h2>Sobre esta ficha</h2>"
        + _list(_link(*aside) for aside in asides),
        alternates=alternates,
    )


def archived(one: Article) -> str:
    first, _, rest = one.body.partition("\n\n")
    return _document(
        one.title,
        f'<h1>{escape(one.title)}</h1><blockquote class="definition">{markup.inline(first)}</blockquote>'
        + markup.blocks(rest)
        + _facts([("Autoría", escape(one.author)), ("Revisado", _time(one.revised))])
        + f'<p class="small">versión archivada · <a href="/conceptos/{one.slug}">ficha actual</a></p>',
    )


def article(one: Article, *, body: str = "") -> str:
    """A page that is one text; `body` where the text was filled in."""
    return _document(
        one.title,
        f"<h1>{escape(one.title)}</h1>{markup.blocks(body or one.body)}"
        f'<p class="small">{escape(one.author)} · {_time(one.revised)}</p>',
    )


def articles(title: str, introduction: str, listed: Iterable[Article], *, below: str) -> str:
    """The list of one folder: title, date and author of each text."""
    return _document(
        title, f"<h1>{escape(title)}</h1><p>{markup.inline(introduction)}</p>{_list(_dated(listed, below))}"
    )


def test(code: str, one: Article) -> str:
    """A case of the public catalogue: its assignment as it is handed over."""
    return _document(
        f"{code}: {one.title}",
        f"<h1>{escape(code)}: {escape(one.title)}</h1>"
        f"<h2>Encargo</h2><blockquote>{markup.blocks(one.body)}</blockquote>"
        f'<p class="small">{escape(one.author)} · {_time(one.revised)}</p><p><a href="/pruebas/">Catálogo</a></p>',
    )


def comments(of: Article, written: Iterable[Comment]) -> str:
    entries = "".join(
        f"<h2>{escape(one.by)}, {_time(one.on)}</h2><p>{escape(one.text)}</p>" for one in written
    )
    return _document(
        f"Comentarios: {of.title}",
        f"<h1>Comentarios sobre «{escape(of.title)}»</h1>{entries or '<p>Todavía no hay comentarios.</p>'}"
        f'<p><a href="/conceptos/{of.slug}">Volver a la ficha</a></p>',
    )


def links(title: str, introduction: str, listed: Iterable[Link]) -> str:
    """A page that leads on."""
    return _document(
        title,
        f"<h1>{escape(title)}</h1><p>{markup.inline(introduction)}</p>{_list(_link(*one) for one in listed)}",
    )


def statistics(month: str, visits: Mapping[str, int], concepts: Mapping[str, Article]) -> str:
    rows = "".join(
        f'<tr><td><a href="/conceptos/{slug}">{escape(concepts[slug].title)}</a></td><td>{number}</td></tr>'
        for slug, number in visits.items()
    )
    title = f"Más leídos en {month_name(month)}"
    heads = '<tr><th scope="col">Concepto</th><th scope="col">Visitas</th></tr>'
    return _document(title, f"<h1>{title}</h1><table><thead>{heads}</thead><tbody>{rows}</tbody></table>")


def found(words: str, hits: Iterable[Article]) -> str:
    """The answer of the search: `words` come from anybody."""
    entries = list(_dated(hits, "/conceptos/"))
    outcome = _list(entries) if entries else "<p>Ningún concepto contiene esas palabras.</p>"
    return _document("Buscar", f"<h1>Buscar «{escape(words)}»</h1>{outcome}", words=words)


def plain(title: str, text: str, listed: Iterable[Link] = ()) -> str:
    """What is said in place of a page: not found, moved, not acceptable."""
    items = [_link(*one) for one in listed]
    return _document(title, f"<h1>{escape(title)}</h1><p>{escape(text)}</p>{_list(items) if items else ''}")


def _document(title: str, body: str, *, alternates: Iterable[Alternate] = (), words: str = "") -> str:
    heads = "".join(f'<link rel="alternate" type="{kind}" href="{address}">' for address, kind in alternates)
    name = SITE if title == SITE else f"{title} · {SITE}"
    # The style stands in the page and the icon is none: a file of its own would take a request of every visit,
    # and the requests of a run are counted.
    return f"""<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(name)}</title>
<link rel="icon" href="data:,">
{heads}
<style>{content.style()}</style>
</head>
<body>
<header>
<a href="/">{SITE}</a>
<nav aria-label="Principal">{_list([_link("/conceptos/", "Conceptos"), _link("/comunidad/", "Comunidad")])}</nav>
<form action="/buscar" method="get" role="search">
<input name="q" type="search" aria-label="Buscar un concepto" value="{escape(words)}">
<button>Buscar</button>
</form>
</header>
<main>
{body}
</main>
<footer>
{_list(_link(*one) for one in _FOOT)}
</footer>
</body>
</html>
"""


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    """Words and their HTML, those without any left out."""
    return "<dl>" + "".join(f"<dt>{word}</dt><dd>{value}</dd>" for word, value in facts if value) + "</dl>"


def _formats(alternates: Iterable[Alternate]) -> str:
    words = {"application/json": "JSON", "text/markdown": "Markdown"}
    links = " · ".join(_link(address, words[kind]) for address, kind in alternates)
    return f'<p class="small">También en {links}</p>'


def _dated(listed: Iterable[Article], below: str) -> Iterable[str]:
    return [
        f'{_link(below + one.slug, one.title)} <span class="small">{escape(one.author)}, {_time(one.revised)}</span>'
        for one in listed
    ]


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def _link(address: str, words: str) -> str:
    return f'<a href="{escape(address)}">{escape(words)}</a>'


def _time(day: date) -> str:
    return f'<time datetime="{day.isoformat()}">{long_date(day)}</time>'
