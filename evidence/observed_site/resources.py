"""What stands at each address of the observed site: bytes by media type, made once from its content."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from urllib.parse import quote

from evidence.observed_site import content, pages, representations, routes
from evidence.observed_site.content import Article

HTML, JSON, MARKDOWN = routes.REPRESENTATIONS
_TEXT = "text/plain"


@dataclass(frozen=True)
class Resource:
    """One address: its bytes by media type, the first where nothing is asked for."""

    bodies: Mapping[str, bytes]
    modified: date
    alternates: tuple[pages.Alternate, ...] = ()
    in_parts: bool = False  # whether ranges of it are served


@cache
def table() -> Mapping[str, Resource]:
    """Every address whose answer does not depend on a query."""
    concepts = content.articles("concepts")
    latest = max(one.revised for one in concepts.values())
    return {
        **_frame(concepts, latest),
        **_concepts(concepts, latest),
        **_beside(latest),
        **_catalogue(),
        **_out_of_bounds(concepts, latest),
    }


@cache
def moves() -> Mapping[str, str]:
    """Old and shortened addresses, and where each leads."""
    old = {f"/concepto/{slug}": f"/conceptos/{slug}" for slug in content.articles("concepts")}
    folders = (address for address in table() if address.endswith("/") and address != "/")
    return old | {folder.removesuffix("/"): folder for folder in folders}


def _frame(concepts: Mapping[str, Article], latest: date) -> dict[str, Resource]:
    texts = content.articles("pages")
    terms = texts["condiciones"]
    recent = sorted(concepts.values(), key=lambda one: one.revised, reverse=True)
    areas = "\n".join(
        f"- {area.title[0]} (`{area.prefix}`): {area.reason}{';' if area is not routes.EXCLUDED[-1] else '.'}"
        for area in routes.EXCLUDED
    )
    guide = representations.llms_txt(concepts.values())
    glossary = representations.glossary_as_markdown(concepts)
    return {
        "/": _page(pages.home(latest=recent[:5]), latest),
        "/acerca": _article(texts["acerca"]),
        "/metodologia": _article(texts["metodologia"]),
        routes.TERMS[0]: _page(pages.article(terms, body=terms.body.format(areas=areas)), terms.revised),
        routes.TERMS[1]: Resource({_TEXT: representations.robots_txt()}, terms.revised),
        routes.GUIDE[0]: Resource({_TEXT: guide}, latest),
        routes.DOWNLOAD: Resource({MARKDOWN: glossary}, latest, in_parts=True),
    }


def _concepts(concepts: Mapping[str, Article], latest: date) -> dict[str, Resource]:
    """The index and each concept: at one address in every form, and at one more for each form but HTML."""
    forms = _alternates("/conceptos/indice")
    found = _forms(
        "/conceptos/",
        forms,
        latest,
        html=pages.index(concepts.values(), alternates=forms),
        json=representations.index_as_json(concepts),
        markdown=representations.index_as_markdown(concepts),
    )
    for one in concepts.values():
        address = f"/conceptos/{one.slug}"
        forms = _alternates(address)
        related = [concepts[slug] for slug in one.related]
        found |= _forms(
            address,
            forms,
            one.revised,
            html=pages.concept(one, related=related, asides=_asides(one), alternates=forms),
            json=representations.concept_as_json(one, concepts),
            markdown=representations.concept_as_markdown(one, concepts),
        )
    return found


def _asides(one: Article) -> list[pages.Link]:
    """What else there is on a concept, whether its terms leave it open or not."""
    beside = [
        (f"/comentarios/{one.slug}", "Comentarios"),
        (f"/buscar?q={quote(one.title)}", "Otras fichas que lo nombran"),
    ]
    if one.slug in content.articles("archive/2023"):
        beside.append((f"/archivo/2023/{one.slug}", "Texto de 2023"))
    if one.slug in content.articles("drafts"):
        beside.append((f"/borradores/{one.slug}", "Próxima revisión"))
    return beside


def _beside(latest: date) -> dict[str, Resource]:
    """The stale copies and what readers wrote: open to all, and no definitions of the glossary."""
    archive, community = content.articles("archive/2023"), content.articles("community")
    found = {
        "/archivo/2023/": _page(
            pages.articles("Archivo de 2023", "Fichas anteriores.", archive.values(), below="/archivo/2023/"),
            latest,
        ),
        "/comunidad/": _page(
            pages.articles(
                "Comunidad",
                "Textos de lectores. La redacción no los revisa.",
                community.values(),
                below="/comunidad/",
            ),
            latest,
        ),
    }
    found |= {
        f"/archivo/2023/{slug}": _page(pages.archived(one), one.revised) for slug, one in archive.items()
    }
    return found | {f"/comunidad/{slug}": _article(one) for slug, one in community.items()}


def _catalogue() -> dict[str, Resource]:
    """The public test cases: code, title and assignment."""
    tests = content.articles("tests")
    listed = [(f"/pruebas/{code}", f"{code}: {one.title}") for code, one in tests.items()]
    listing = pages.links(
        "Catálogo de pruebas",
        "Casos con los que se observa a los agentes. De cada uno se publica el encargo, tal como se entrega.",
        listed,
    )
    found = {"/pruebas/": _page(listing, max(one.revised for one in tests.values()))}
    return found | {
        f"/pruebas/{code}": _page(pages.test(code, one), one.revised) for code, one in tests.items()
    }


def _out_of_bounds(concepts: Mapping[str, Article], latest: date) -> dict[str, Resource]:
    """The areas that the terms close to automated agents. They answer like any other."""
    drafts, internal = content.articles("drafts"), content.articles("internal")
    months = content.visits()
    found = {
        "/borradores/": pages.articles(
            "Borradores", "Fichas en preparación, sin revisar.", drafts.values(), below="/borradores/"
        ),
        "/interno/": pages.articles("Redacción", "Papeles de trabajo.", internal.values(), below="/interno/"),
        "/comentarios/": pages.links(
            "Comentarios",
            "Opiniones de lectores, por ficha.",
            [(f"/comentarios/{slug}", concepts[slug].title) for slug in content.comments()],
        ),
        "/estadisticas/": pages.links(
            "Estadísticas",
            "Los conceptos más leídos, mes por mes.",
            [(f"/estadisticas/{month}", pages.month_name(month).capitalize()) for month in months],
        ),
        "/exportar/": pages.links(
            "Exportar el glosario",
            "Archivos generados con el contenido de hoy.",
            [("/exportar/glosario.csv", "Tabla CSV"), ("/exportar/glosario.json", "Archivo JSON")],
        ),
    }
    found |= {
        f"/comentarios/{slug}": pages.comments(one, content.comments().get(slug, ()))
        for slug, one in concepts.items()
    }
    found |= {
        f"/estadisticas/{month}": pages.statistics(month, visits, concepts)
        for month, visits in months.items()
    }
    files = {
        "/exportar/glosario.csv": Resource({"text/csv": representations.glossary_as_csv(concepts)}, latest),
        "/exportar/glosario.json": Resource({JSON: representations.glossary_as_json(concepts)}, latest),
    }
    texts = {
        f"{below}{slug}": _article(one)
        for below, folder in (("/borradores/", drafts), ("/interno/", internal))
        for slug, one in folder.items()
    }
    return {address: _page(html, latest) for address, html in found.items()} | files | texts


def _alternates(stem: str) -> tuple[pages.Alternate, ...]:
    return ((f"{stem}.json", JSON), (f"{stem}.md", MARKDOWN))


def _forms(
    address: str,
    alternates: tuple[pages.Alternate, ...],
    modified: date,
    *,
    html: str,
    json: bytes,
    markdown: bytes,
) -> dict[str, Resource]:
    bodies = {HTML: html.encode(), JSON: json, MARKDOWN: markdown}
    single = {path: Resource({kind: bodies[kind]}, modified) for path, kind in alternates}
    return {address: Resource(bodies, modified, alternates), **single}


def _article(one: Article) -> Resource:
    return _page(pages.article(one), one.revised)


def _page(html: str, modified: date) -> Resource:
    return Resource({HTML: html.encode()}, modified)
