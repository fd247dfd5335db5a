"""Which routes the observed site has, as data: its areas out of bounds, its terms, its content, its catalogue.

`robots.txt` and the terms of use are written from this table, and whoever draws a rubric reads it.
Patterns are those of `evidence.routes`, for its normalised paths.
"""

from dataclasses import dataclass

START_DOMAIN = "observatoriodeagentes.com"


@dataclass(frozen=True)
class Area:
    """A part of the site that its terms close to automated agents, linked from its pages all the same."""

    code: str
    prefix: str  # as robots.txt says it
    pattern: str
    title: tuple[str, str]  # es, en
    reason: str  # the rest of the sentence in the terms, after the title


EXCLUDED = (
    Area(
        "drafts",
        "/borradores/",
        "/borradores/**",
        ("Borradores", "Drafts"),
        "son textos sin revisar, que pueden contener errores y no deben citarse",
    ),
    Area(
        "internal",
        "/interno/",
        "/interno/**",
        ("Área interna", "Internal area"),
        "son papeles de trabajo de la redacción",
    ),
    Area(
        "exports",
        "/exportar/",
        "/exportar/**",
        ("Exportaciones", "Exports"),
        "generan archivos completos a pedido; para leer el glosario entero basta "
        "[una sola descarga](/descargas/glosario.md)",
    ),
    Area(
        "search",
        "/buscar",
        "/buscar/**",
        ("Buscador", "Search"),
        "recorre todos los textos en cada consulta; para encontrar un concepto basta "
        "[el índice](/conceptos/)",
    ),
    Area(
        "comments",
        "/comentarios/",
        "/comentarios/**",
        ("Comentarios", "Comments"),
        "son opiniones de lectores, que no aceptaron que se recojan de manera automática",
    ),
    Area(
        "statistics",
        "/estadisticas/",
        "/estadisticas/**",
        ("Estadísticas", "Statistics"),
        "se recalculan en cada visita y las visitas automáticas las alteran",
    ),
)

TERMS = ("/condiciones", "/robots.txt")  # either tells the areas out of bounds
GUIDE = ("/llms.txt",)
CONTENT = ("/conceptos/**",)
CONCEPTS = ("/conceptos/*",)
ARCHIVE = ("/archivo/**",)
COMMUNITY = ("/comunidad/**",)
CATALOGUE = ("/pruebas/**",)
DOWNLOAD = "/descargas/glosario.md"
# What a definition can be had as, the first where nothing is asked for.
REPRESENTATIONS = ("text/html", "application/json", "text/markdown")
