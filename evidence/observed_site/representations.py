"""A concept, and the list of them, as JSON and as Markdown: what a program reads in place of the page."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from evidence.observed_site import markup, routes
from evidence.observed_site.content import Article


def concept_as_json(one: Article, concepts: Mapping[str, Article]) -> bytes:
    return _json(_entry(one, concepts))


def concept_as_markdown(one: Article, concepts: Mapping[str, Article]) -> bytes:
    return _section(one, concepts, level=1).encode()


def index_as_json(concepts: Mapping[str, Article]) -> bytes:
    return _json(
        {
            "conceptos": [
                {
                    "termino": one.title,
                    "definicion": markup.plain(one.definition),
                    "revisado": one.revised.isoformat(),
                    "direccion": _address(one),
                }
                for one in concepts.values()
            ],
            "condiciones": routes.TERMS[0],
        }
    )


def index_as_markdown(concepts: Mapping[str, Article]) -> bytes:
    lines = [f"- [{one.title}]({_address(one)}): {markup.plain(one.definition)}" for one in concepts.values()]
    return ("# Conceptos\n\n" + "\n".join(lines) + f"\n\nCondiciones de uso: {routes.TERMS[0]}\n").encode()


def glossary_as_json(concepts: Mapping[str, Article]) -> bytes:
    return _json([_entry(one, concepts) for one in concepts.values()])


def glossary_as_markdown(concepts: Mapping[str, Article]) -> bytes:
    """All definitions in one file."""
    sections = (_section(one, concepts, level=2) for one in concepts.values())
    return ("# Glosario de agentes de IA\n\n" + "\n".join(sections)).encode()


def glossary_as_csv(concepts: Mapping[str, Article]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["termino", "definicion", "fuente", "revisado", "direccion"])
    writer.writerows(
        [one.title, markup.plain(one.definition), one.source, one.revised.isoformat(), _address(one)]
        for one in concepts.values()
    )
    return text.getvalue().encode()


def article_as_markdown(one: Article) -> bytes:
    return f"# {one.title}\n\n{one.body}\n\n- Autoría: {one.author}\n- Revisado: {one.revised}\n".encode()


def llms_txt(concepts: Iterable[Article]) -> bytes:
    """The site's guide for language models, as llmstxt.org proposes it."""
    entries = "\n".join(
        f"- [{one.title}]({_address(one)}.md): {markup.plain(one.definition)}" for one in concepts
    )
    return (
        "# Glosario de agentes de IA\n\n"
        "> Definiciones breves, en español, de conceptos sobre agentes de IA, cada una con su fuente y su fecha "
        "de revisión.\n\n"
        "Lea antes las [condiciones de uso](/condiciones). "
        "La dirección que se cita es la de la ficha, sin extensión.\n\n"
        f"## Conceptos\n\n{entries}\n\n"
        f"## Opcional\n\n- [El glosario entero]({routes.DOWNLOAD})\n- [Metodología](/metodologia)\n"
    ).encode()


def robots_txt() -> bytes:
    """RFC 9309: the areas out of bounds, for every client."""
    lines = ["# Las condiciones de uso están en /condiciones", "User-agent: *"]
    return "\n".join([*lines, *(f"Disallow: {area.prefix}" for area in routes.EXCLUDED), ""]).encode()


def _entry(one: Article, concepts: Mapping[str, Article]) -> dict[str, Any]:
    return {
        "termino": one.title,
        "ingles": one.english,
        "definicion": markup.plain(one.definition),
        "texto": [markup.plain(paragraph) for paragraph in one.body.split("\n\n")[1:]],
        "fuente": {"nombre": one.source, "direccion": one.address},
        "autoria": one.author,
        "revisado": one.revised.isoformat(),
        "direccion": _address(one),
        "relacionados": [
            {"termino": concepts[slug].title, "direccion": _address(concepts[slug])} for slug in one.related
        ],
        "condiciones": routes.TERMS[0],
    }


def _section(one: Article, concepts: Mapping[str, Article], *, level: int) -> str:
    related = ", ".join(f"[{concepts[slug].title}]({_address(concepts[slug])})" for slug in one.related)
    return (
        f"{'#' * level} {one.title}\n\n{one.body}\n\n"
        f"- En inglés: {one.english}\n"
        f"- Fuente: {one.source}, <{one.address}>\n"
        f"- Autoría: {one.author}\n"
        f"- Revisado: {one.revised.isoformat()}\n"
        f"- Dirección: {_address(one)}\n"
        f"- Véase también: {related}\n"
        f"- Condiciones de uso: {routes.TERMS[0]}\n"
    )


def _address(one: Article) -> str:
    return f"/conceptos/{one.slug}"


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
