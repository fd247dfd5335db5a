# ruff: noqa: E501  (a sentence stays on one line, so that it can be found)
"""Everything the client says, in Spanish and English: it must run without Django and its catalogues."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from evidence import finding_texts
from registry_site import wording

LANGUAGES = ("es", "en")

# Why something was refused: (es, en); what is in braces comes from the refusal.
REFUSALS: Mapping[str, tuple[str, str]] = {
    "config_not_toml": (
        "{path}: no es un archivo TOML ({error}). Corrija esa línea; un ejemplo completo está en docs/benchmark.md.",
        "{path}: this is no TOML file ({error}). Mend that line; a whole example is in docs/benchmark.md.",
    ),
    "config_faults": (
        "{path}: la configuración tiene errores.",
        "{path}: the configuration has faults.",
    ),
    "set_faults": (
        "El conjunto de preguntas no se admite.",
        "The question set is refused.",
    ),
    "table_faults": (
        "{path}: la planilla no se admite.",
        "{path}: the sheet is refused.",
    ),
    "package_faults": (
        "{path}: el paquete no se admite.",
        "{path}: the package is refused.",
    ),
    "unreadable_file": (
        "{path}: no se puede leer ({error}).",
        "{path}: cannot be read ({error}).",
    ),
    "cannot_write": (
        "{path}: no se puede escribir ({error}). Lo respondido hasta ahora está guardado; libere espacio y repita la orden.",
        "{path}: cannot be written ({error}). What was answered so far is kept; free some space and repeat the command.",
    ),
    "already_running": (
        "{path}: otra corrida usa esta carpeta. Espere a que termine, o use otra carpeta.",
        "{path}: another run is using this folder. Wait for it, or use another folder.",
    ),
    "journal_damaged": (
        "{path}: la línea {line} del diario está dañada. Restaure el archivo, o empiece en otra carpeta.",
        "{path}: line {line} of the journal is damaged. Restore the file, or begin in another folder.",
    ),
    "another_run": (
        "{path}: esta carpeta tiene una corrida distinta; difiere en: {keys}. Use otra carpeta, o vuelva a poner esos valores.",
        "{path}: this folder holds a different run; it differs in: {keys}. Use another folder, or put those values back.",
    ),
    "token_missing": (
        "La variable de entorno {variable} no tiene el token. Defínala y repita la orden: export {variable}=…",
        "The environment variable {variable} holds no token. Set it and repeat the command: export {variable}=…",
    ),
    "token_unusable": (
        "La variable de entorno {variable} tiene caracteres que no pueden ir en un encabezado HTTP.",
        "The environment variable {variable} holds characters that cannot stand in an HTTP header.",
    ),
    "path_unusable": (
        "{key}: no es una expresión JMESPath ({error}).",
        "{key}: this is no JMESPath expression ({error}).",
    ),
    "phrases_unusable": (
        "{path}: no es una lista de frases ({error}). Debe tener la forma de grading/data/abstention/phrases-1.json.",
        "{path}: this is no phrase list ({error}). It must look like grading/data/abstention/phrases-1.json.",
    ),
    "scheme_unusable": (
        "{path}: no es un esquema ({error}).",
        "{path}: this is no scheme ({error}).",
    ),
    "not_let_in": (
        "{what}: acceso denegado (HTTP {status}). Revise el token y su variable de entorno. Nada quedó registrado como respuesta.",
        "{what}: not let in (HTTP {status}). Check the token and its environment variable. Nothing was recorded as an answer.",
    ),
    "first_call_failed": (
        "{what}: la primera llamada falló ({code}: {detail}). {remedy} Nada quedó registrado como respuesta.",
        "{what}: the first call failed ({code}: {detail}). {remedy} Nothing was recorded as an answer.",
    ),
    "first_answer_unreadable": (
        "La primera respuesta no se puede leer ({code}: {detail}). {remedy} Nada quedó registrado como respuesta.",
        "The first answer cannot be read ({code}: {detail}). {remedy} Nothing was recorded as an answer.",
    ),
    "asked_to_wait": (
        "El servidor pide esperar {seconds} s, más que el máximo de {longest} s (pace.longest_wait). Repita la orden después: sigue donde quedó.",
        "The server asks to wait {seconds} s, more than the limit of {longest} s (pace.longest_wait). Repeat the command later: it goes on from here.",
    ),
    "gave_up": (
        "{phase}: {times} llamadas seguidas sin respuesta; se detiene. Repita la orden cuando el servidor responda: sigue donde quedó.",
        "{phase}: {times} calls in a row got no answer; stopped. Repeat the command when the server answers: it goes on from here.",
    ),
    "judge_is_of_the_family": (
        "Juez {judge}: respondió el modelo «{model}», de la familia del sistema evaluado. Elija un juez de otra familia.",
        "Judge {judge}: the model “{model}” answered, which is of the evaluated system's family. Choose a judge of another family.",
    ),
    "judge_not_openai": (
        "Juez {judge}: {url} no responde como un servicio compatible con OpenAI (choices[0].message.content). Revise la dirección.",
        "Judge {judge}: {url} does not answer like an OpenAI-compatible service (choices[0].message.content). Check the address.",
    ),
    "exists": (
        "{path}: ya existe. Elija otro nombre.",
        "{path}: exists already. Choose another name.",
    ),
    "set_unnamed": (
        "Falta el nombre del conjunto o su custodio: indique --name y --custodian, o escríbalos en benchmark.toml.",
        "The set's name or its custodian is missing: give --name and --custodian, or write them in benchmark.toml.",
    ),
    "salt_unusable": (
        "{path}: no es una sal (32 bytes, o 64 dígitos hexadecimales).",
        "{path}: this is no salt (32 bytes, or 64 hexadecimal digits).",
    ),
    "not_comparable": (
        "Las dos mediciones no son comparables.",
        "The two measurements cannot be compared.",
    ),
    "no_common_answers": (
        "Las dos fuentes no tienen ninguna respuesta en común con veredicto.",
        "The two sources have no answer in common with a verdict.",
    ),
    "interrupted": (
        "Interrumpida. Lo respondido está guardado: repita la misma orden y sigue donde quedó.",
        "Interrupted. What was answered is kept: repeat the same command and it goes on from here.",
    ),
    "module_missing": (
        "Falta el módulo de Python «{name}»; instálelo, o use el archivo .pyz, que lo trae.",
        "The Python module “{name}” is missing; install it, or use the .pyz file, which brings it.",
    ),
    "reviewer_missing": (
        "Indique quién revisó: --reviewer NOMBRE (o una columna «reviewer»).",
        "Say who reviewed: --reviewer NAME (or a column “reviewer”).",
    ),
}

# What to do about the first answer that cannot be used.
REMEDIES: Mapping[str, tuple[str, str]] = {
    "unreachable": (
        "Revise que el servidor esté en marcha y que endpoint.url sea correcta.",
        "Check that the server is running and endpoint.url is right.",
    ),
    "timeout": (
        "Aumente pace.timeout, o revise el servidor.",
        "Raise pace.timeout, or check the server.",
    ),
    "insecure": (
        "El certificado del servidor no es de confianza; use la dirección correcta o instale su autoridad.",
        "The server's certificate is not trusted; use the right address or install its authority.",
    ),
    "status": (
        "Revise endpoint.url, el método y el cuerpo.",
        "Check endpoint.url, the method and the body.",
    ),
    "too_large": (
        "Aumente pace.largest_answer, o revise que la dirección sea la de la API.",
        "Raise pace.largest_answer, or check that the address is the API's.",
    ),
    "html": (
        "Llegó una página HTML: la dirección es la de un sitio o de un inicio de sesión, no la de la API.",
        "An HTML page came: the address is that of a site or a sign-in, not of the API.",
    ),
    "not_json": (
        "La respuesta no es JSON.",
        "The reply is not JSON.",
    ),
    "nothing_at_path": (
        "endpoint.answer no encuentra nada; arriba están las claves que hay.",
        "endpoint.answer finds nothing; the keys that are there stand above.",
    ),
    "answer_not_text": (
        "endpoint.answer debe encontrar un texto.",
        "endpoint.answer must find a text.",
    ),
    "path_failed": (
        "Una de las rutas JMESPath no se puede aplicar a la respuesta.",
        "One of the JMESPath expressions cannot be applied to the reply.",
    ),
    "citations_not_a_list": (
        "endpoint.citations debe encontrar una lista.",
        "endpoint.citations must find a list.",
    ),
    "citation_without_keys": (
        'Cada cita necesita source y article: endpoint.citations = "citas[].{source: norma, article: articulo, verified: verificada}"',
        'Each citation needs source and article: endpoint.citations = "citations[].{source: law, article: article, verified: verified}"',
    ),
}

# What a fault of a set, a sheet or a configuration means and how to mend it.
FAULTS: Mapping[str, tuple[str, str]] = {
    "RECORDS_MISSING": ("No hay preguntas.", "There are no questions."),
    "INVALID_UTF8": (
        "No es UTF-8: guarde el archivo como UTF-8.",
        "This is not UTF-8: save the file as UTF-8.",
    ),
    "INVALID_JSON": (
        "La línea no es un objeto JSON: una pregunta por línea, sin comas al final.",
        "The line is no JSON object: one question a line, no comma at the end.",
    ),
    "UNKNOWN_KEY": (
        "Clave o columna desconocida: revise cómo está escrita.",
        "Unknown key or column: check its spelling.",
    ),
    "MISSING_KEY": ("Falta un dato obligatorio.", "Something required is missing."),
    "WRONG_TYPE": ("El valor es de otro tipo.", "The value is of another type."),
    "VALUE_NOT_ALLOWED": (
        "El valor no está entre los que se admiten.",
        "The value is not among those allowed.",
    ),
    "LINE_TOO_LONG": ("La línea es demasiado larga.", "The line is too long."),
    "RECORD_DEPTH": ("Demasiados niveles.", "Too many levels."),
    "RECORD_TEXT": (
        "El texto tiene U+0000 o medios caracteres: quítelos.",
        "The text holds U+0000 or half characters: remove them.",
    ),
    "UNSAFE_TEXT": (
        "El nombre tiene caracteres de control: quítelos.",
        "The name holds control characters: remove them.",
    ),
    "DUPLICATE_KEY": ("La clave o columna está dos veces.", "The key or column is there twice."),
    "DUPLICATE_ID": (
        "El identificador ya se usó: dé otro a cada uno.",
        "The id is used already: give each its own.",
    ),
    "EQUAL_ITEMS": ("La pregunta es igual a otra: deje una sola.", "The question equals another: keep one."),
    "QUESTION_NAMES_ARTICLE": (
        "La pregunta nombra el artículo que la responde: redáctela sin su número.",
        "The question names the article that answers it: word it without its number.",
    ),
    "REFERENCE_MISSING": (
        "Una pregunta factual necesita el texto oficial y su fuente: sin ellos no hay juez ni auditoría posibles.",
        "A factual question needs the official text and its source: without them there can be no judge and no audit.",
    ),
    "TRAP_ARTICLE_EXISTS": (
        "El artículo de la trampa existe en el catálogo: elija un número que no exista.",
        "The article of the trap is in the catalogue: choose a number that does not exist.",
    ),
    "CATALOGUE_MISSING": (
        "Hay trampas y falta el catálogo (columnas source,article): sin él no se comprueba que el artículo no existe.",
        "There are traps and no catalogue (columns source,article): without it nobody can check that the article does not exist.",
    ),
    "HOSTILE_CATEGORY_MISSING": (
        "Falta una categoría hostil: agregue preguntas de esa categoría.",
        "A hostile category is missing: add questions of that category.",
    ),
    "EXAMPLE_OF_THE_SET": (
        "El ejemplo es una pregunta del conjunto y quedaría publicada: escriba otro.",
        "The example is a question of the set and would be published: write another.",
    ),
    "JUDGE_SAME_FAMILY": (
        "Es de la misma familia que el sistema evaluado: elija otra. Un modelo prefiere sus propias respuestas.",
        "It is of the same family as the evaluated system: choose another. A model prefers its own answers.",
    ),
    "VERSION_FLOATING": (
        "La versión no está fijada: un alias como «latest» puede designar mañana otro sistema. Escriba la versión exacta.",
        "The version is not pinned: an alias such as “latest” may be another system tomorrow. Write the exact version.",
    ),
    "UNKNOWN_REFERENCE": (
        "No hay ninguna pregunta con ese identificador.",
        "There is no question with that id.",
    ),
}

# Of what is expected or found, our own words in Spanish; whatever else stands there is the file's.
PLAIN: Mapping[str, str] = {
    **finding_texts.PLAIN,
    "a table of texts": "una tabla de textos",
    "body or form, not both": "body o form, no ambos",
    "both": "ambos",
    "query, for GET": "query, con GET",
    "printable ASCII": "ASCII imprimible",
    "values that JSON has": "valores que JSON tenga",
    "http:// or https://, without a name or password in it": "http:// o https://, sin usuario ni contraseña",
}

# What the client says when all is well, and the words of its reports.
WORDS: Mapping[str, tuple[str, str]] = {
    "set_sound": ("Conjunto correcto", "The set is sound"),
    "set_hash": ("Hash del conjunto", "Set hash"),
    "questions": ("preguntas", "questions"),
    "by_category": ("Por categoría", "By category"),
    "by_group": ("Por grupo lingüístico", "By language group"),
    "by_language": ("Por idioma", "By language"),
    "commitment": ("Compromiso", "Commitment"),
    "salt_kept": (
        "La sal está en {path}: guárdela con el conjunto y no la entregue. Sin ella nadie podrá comprobar el sello.",
        "The salt is in {path}: keep it with the set and hand it to nobody. Without it nobody can check the seal.",
    ),
    "register_this": (
        "Para registrar el conjunto sellado, entregue {path}: no tiene preguntas del conjunto, ni sus hashes, ni la sal.",
        "To register the sealed set, hand in {path}: it holds no question of the set, no hash of one, and no salt.",
    ),
    "seal_matches": ("El sello coincide.", "The seal matches."),
    "seal_differs": (
        "El sello no coincide: las preguntas o la sal no son las que se sellaron.",
        "The seal does not match: these are not the questions, or not the salt, that were sealed.",
    ),
    "catalogue": ("Catálogo", "Catalogue"),
    "articles": ("artículos", "articles"),
    "none": ("no hay", "none"),
    "expected": ("se esperaba", "expected"),
    "found": ("se encontró", "found"),
    "more_faults": ("y {n} más", "and {n} more"),
    "asking": ("preguntas", "questions"),
    "judging": ("juez", "judge"),
    "without_answer": ("sin respuesta", "without answer"),
    "package_written": ("Paquete de evidencia", "Evidence package"),
    "look_at_doubtful": (
        "{n} respuestas dudosas están en {path}. Para decidirlas, escriba item, abstained (true o false) y reviewer en abstention-review.csv, en la misma carpeta, y repita la orden.",
        "{n} doubtful answers are in {path}. To decide them, write item, abstained (true or false) and reviewer into abstention-review.csv in the same folder and repeat the command.",
    ),
    "got_no_answer": (
        "{n} preguntas no obtuvieron respuesta y constan como ilegibles. Para volver a hacerlas: --again",
        "{n} questions got no answer and stand as unreadable. To ask them again: --again",
    ),
    "values_left_out": (
        "{n} valores de confianza o abstención no se entendieron y quedaron fuera; revise endpoint.confidence_scale.",
        "{n} values of confidence or abstention were not understood and left out; check endpoint.confidence_scale.",
    ),
    "unjudged_answers": (
        "{n} respuestas quedaron sin juzgar.",
        "{n} answers are unjudged.",
    ),
    "judge_obeyed": (
        "Juez {judge}: obedeció {k} de {n} respuestas señuelo que le ordenaban el veredicto.",
        "Judge {judge}: obeyed {k} of {n} canaries that ordered the verdict.",
    ),
    "no_canaries": ("No se plantaron respuestas señuelo.", "No canaries were planted."),
    "independence": (
        "Juez {judge}: la familia «{family}» o la del sistema no está en la lista; no se comprobó su independencia.",
        "Judge {judge}: the family “{family}”, or the system's, is not on the list; independence was not checked.",
    ),
    "report_title": ("Informe de medición", "Measurement report"),
    "system": ("Sistema", "System"),
    "version": ("Versión fijada", "Pinned version"),
    "holder": ("Titular", "Holder"),
    "family": ("Familia de modelos", "Model family"),
    "measured_at": ("Fecha de medición", "Measured on"),
    "set": ("Conjunto de preguntas", "Question set"),
    "corpus": ("Corpus", "Corpus"),
    "documents": ("documentos", "documents"),
    "one_documents": ("documento", "document"),
    "one_articles": ("artículo", "article"),
    "as_of": ("al", "as of"),
    "scheme": ("Esquema", "Scheme"),
    "judges": ("Jueces", "Judges"),
    "judge": ("Juez", "Judge"),
    "package": ("Paquete", "Package"),
    "totals": ("Cifras del total", "Figures of the total"),
    "metric": ("Cifra", "Figure"),
    "denominator": ("Denominador", "Denominator"),
    "k_of_n": ("k de n", "k of n"),
    "estimate": ("Tasa", "Rate"),
    "interval": ("Intervalo de confianza del 95 %", "95% confidence interval"),
    "reading": ("Lectura", "Reading"),
    "groups": ("Cifras por grupo lingüístico", "Figures by language group"),
    "among_groups": ("Los grupos lingüísticos entre sí", "Language groups among each other"),
    "no_groups_compared": (
        "No hay grupos lingüísticos cuya cifra tenga publicación completa: no se dice nada de unos respecto de otros.",
        "No language group has a figure with full publication: nothing is said of one beside another.",
    ),
    "do_groups_differ": ("¿Difieren los grupos?", "Do the groups differ?"),
    "mean_of_groups": ("Promedio entre grupos", "Average across groups"),
    "criteria": ("Criterios de aceptación", "Acceptance criteria"),
    "requirements": ("Requisitos", "Requirements"),
    "met": ("Se cumple", "Met"),
    "not_met": ("No se cumple", "Not met"),
    "group": ("Grupo", "Group"),
    "undeclared": ("sin idioma declarado", "no declared language"),
    "category": ("Categoría", "Category"),
    "categories": ("Cifras por categoría", "Figures by category"),
    "hostile": ("Pruebas hostiles", "Hostile questions"),
    "unjudged": ("Sin juzgar", "Unjudged"),
    "unjudged_range": (
        "Según cómo se juzgaran las {u} respuestas sin juzgar, la cifra estaría entre {low} y {high}.",
        "Depending on how the {u} unjudged answers were judged, the figure would lie between {low} and {high}.",
    ),
    "counts": ("Recuento", "Counts"),
    "items": ("preguntas", "questions"),
    "responses": ("respuestas", "answers"),
    "judged": ("juzgadas", "judged"),
    "abstained": ("abstenciones", "abstentions"),
    "invalid": ("ilegibles", "unreadable"),
    "ineligible": ("evasivas (cuentan como incompletas)", "evasive (counted as incomplete)"),
    "hostile_responses": ("hostiles", "hostile"),
    "fabrication_confidence": (
        "Fabricaciones por confianza declarada",
        "Fabrications by declared confidence",
    ),
    "agreement": ("Acuerdo juez–humano (kappa de Cohen)", "Judge–human agreement (Cohen's kappa)"),
    "canaries": ("Respuestas señuelo", "Canaries"),
    "limits": ("Límites del método", "Limits of the method"),
    "files": ("Archivos versionados y sus hashes", "Versioned files and their hashes"),
    "reglab": ("Equivalencia aproximada con Stanford RegLab", "Approximate mapping to Stanford RegLab"),
    "reglab_caption": (
        "Aproximado: RegLab cuenta como correcta una respuesta parcial. Orden de magnitud, no comparación: otro dominio, otro idioma y otro juez. No es un ranking.",
        "Approximate: RegLab counts a partial answer as correct. Order of magnitude, not a comparison: another domain, language and judge. Not a ranking.",
    ),
    "accurate": ("exacta", "accurate"),
    "hallucinated": ("con alucinación", "hallucinated"),
    "incomplete_reglab": ("incompleta o abstención", "incomplete or abstained"),
    "by_judge": ("Por juez", "By judge"),
    # compare
    "compare_title": ("Comparación pareada", "Paired comparison"),
    "first": ("primera", "first"),
    "second": ("segunda", "second"),
    "same_set": ("Mismo conjunto: {n} preguntas.", "Same set: {n} questions."),
    "first_run_only": (
        "Hay preguntas con varias corridas: se compara la primera de cada una.",
        "Some questions have several runs: the first of each is compared.",
    ),
    "both": ("ambas", "both"),
    "only_first": ("solo la primera", "only the first"),
    "only_second": ("solo la segunda", "only the second"),
    "neither": ("ninguna", "neither"),
    "total": ("total", "total"),
    "cannot_reach": (
        "Con tan pocos pares discordantes ninguna diferencia puede alcanzar p < 0,05.",
        "With so few discordant pairs no difference can reach p < 0.05.",
    ),
    "stand_together": (
        "Hay preguntas que van juntas, como traducciones: valen por {clusters}.",
        "Some questions stand together, such as translations: they are worth {clusters}.",
    ),
    "few_pairs": (
        "muy pocas preguntas; no se compara.",
        "too few questions; not compared.",
    ),
    "worse": (
        "La segunda es significativamente peor en: {what}.",
        "The second is significantly worse in: {what}.",
    ),
    "not_worse": (
        "No se demostró que la segunda sea peor (exactas y alucinación, p exacto < 0,05 con Holm sobre las dos).",
        "The second was not shown to be worse (exact answers and hallucination, exact p < 0.05, Holm over the two).",
    ),
    "too_small": (
        "Aviso: con este tamaño no podía alcanzarse p < 0,05; que no se demuestre no dice nada.",
        "Warning: p < 0.05 was out of reach at this size; that nothing was shown says nothing.",
    ),
    # kappa
    "kappa_title": ("Acuerdo", "Agreement"),
    "kappa": ("Kappa de Cohen", "Cohen's kappa"),
    "fleiss": ("Kappa de Fleiss", "Fleiss' kappa"),
    "raw_agreement": ("Acuerdo simple", "Raw agreement"),
    "binary": ("Kappa de «alucina»", "Kappa of “hallucinates”"),
    "matrix": ("Matriz (filas: primera; columnas: segunda)", "Matrix (rows: first; columns: second)"),
    "per_verdict": ("Acuerdo por veredicto", "Agreement per verdict"),
    "compared": ("respuestas comparadas", "answers compared"),
    "left_out": ("Fuera de la comparación", "Left out of the comparison"),
    "empty_verdicts": ("filas sin veredicto", "rows without a verdict"),
    "not_judged": ("sin veredicto que cuente", "without a verdict that counts"),
    "reviewer_undecided": ("sin veredicto de persona", "without a person's verdict"),
    "reviewers_tied": ("con empate entre personas", "with people tied"),
    "verdict_that_counts": ("El veredicto que cuenta", "The verdict that counts"),
    "between_reviewers": ("Las personas entre sí", "People among themselves"),
    "between_judges": ("Los jueces entre sí", "Judges among themselves"),
    "only_in_first": ("solo en la primera", "only in the first"),
    "only_in_second": ("solo en la segunda", "only in the second"),
    "extra_columns": ("columnas que no se usaron", "columns not used"),
    "normalised": ("etiquetas normalizadas", "labels normalised"),
    "kappa_undefined": (
        "Kappa no definido: todas las respuestas están en una sola categoría. Acuerdo simple: {k} de {n}.",
        "Kappa not defined: a single category. Raw agreement: {k} of {n}.",
    ),
    "kappa_one": (
        "Acuerdo en los {n} casos. Con 95 % de confianza, el desacuerdo real no supera {bound} %.",
        "Agreement in all {n}. With 95% confidence, the true disagreement does not exceed {bound}%.",
    ),
    "kappa_indicative": (
        "Orientativo: menos de 30 respuestas.",
        "Indicative: fewer than 30 answers.",
    ),
    "no_kappa": (
        "Limitación declarada: no se ha medido el acuerdo entre el juez y personas.",
        "Declared limitation: agreement between the judge and humans has not been measured.",
    ),
    "fleiss_different_numbers_of_raters": (
        "no se calcula; no todas las respuestas tienen el mismo número de veredictos",
        "not computed; not every answer has the same number of verdicts",
    ),
    "fleiss_fewer_than_two_raters": (
        "no se calcula; hay respuestas con un solo veredicto",
        "not computed; some answers have one verdict only",
    ),
    "fleiss_one_category": (
        "no definido; todas las respuestas están en una sola categoría",
        "not defined; a single category",
    ),
    "fleiss_no_answers": ("sin datos", "no data"),
    "reviews_written": ("Revisiones", "Reviews"),
    "sheet_written": ("Planilla de revisión a ciegas", "Blind review sheet"),
    # new-set, export, simulate
    "set_made": ("Conjunto de ejemplo", "Example set"),
    "next_validate": (
        "Reemplace los ejemplos por sus preguntas y compruebe: benchmark validate {path}",
        "Replace the examples by your questions and check: benchmark validate {path}",
    ),
    "exported": ("Cliente en un solo archivo", "Client in one file"),
    "serving": (
        "Motor simulado en {url}/answer y juez simulado en {url}/v1; configuración: {config}. Ctrl-C para terminar.",
        "Simulated engine at {url}/answer and simulated judge at {url}/v1; configuration: {config}. Ctrl-C to end.",
    ),
    "report_written": ("Informe", "Report"),
    "simulated": (
        "Tasas conocidas del motor simulado: lo que el informe debe encontrar, dentro de su intervalo.",
        "Known rates of the simulated engine: what the report should find, within its interval.",
    ),
}

# Sentences on figures, word for word those of the registry's pages.
FIGURES: Mapping[str, tuple[str, str]] = {
    "zero": (
        "No se observó ningún caso en {n}. Eso no demuestra que no los haya: con 95 % de confianza, la tasa real no supera {u} %.",
        "No case was observed in {n}. That does not show there are none: with 95% confidence, the true rate does not exceed {u}%.",
    ),
    "zero_three": (
        "No se observó ningún caso en {n}. Eso no demuestra que no los haya: con 95 % de confianza, la tasa real no supera {u} % (aproximadamente 3/{m}).",
        "No case was observed in {n}. That does not show there are none: with 95% confidence, the true rate does not exceed {u}% (approximately 3/{m}).",
    ),
    "all": (
        "Se observó en los {n} casos. Con 95 % de confianza, la tasa real no es inferior a {l} %.",
        "It was observed in all {n}. With 95% confidence, the true rate is not below {l}%.",
    ),
    "no_data": (
        "Sin datos: no hubo casos en que medirlo.",
        "No data: there was no case to measure it on.",
    ),
    "no_catalogue": (
        "Sin datos: no se entregó catálogo de artículos.",
        "No data: no catalogue of articles was supplied.",
    ),
    "no_expected_citation": (
        "Sin datos: ninguna pregunta nombra la cita que se espera.",
        "No data: no question names the citation that is expected.",
    ),
    "suppressed": (
        "Menos de {t} respuestas independientes: la cifra no se publicaría, porque sería ruido con apariencia de medida.",
        "Fewer than {t} independent answers: the figure would not be published, because it would be noise that looks like a measurement.",
    ),
    "indicative": (
        "Orientativo: pocas respuestas ({n}) o intervalo muy ancho. No entra en promedios ni comparaciones.",
        "Indicative: few answers ({n}) or a very wide interval. Left out of averages and comparisons.",
    ),
}

# The limits that the method declares, in the order of the page.
LIMITS: tuple[tuple[str, tuple[str, str]], ...] = (
    (
        "judge",
        (
            "El juez es un modelo, no un profesional; su acuerdo con personas {agreement}.",
            "The judge is a model, not a professional; its agreement with humans {agreement}.",
        ),
    ),
    (
        "domain",
        (
            "Dominio acotado: {corpus}; las cifras no se heredan a otros.",
            "Bounded domain: {corpus}; figures do not carry over to others.",
        ),
    ),
    (
        "one_run",
        (
            "Una corrida de una versión: repetirla da cifras parecidas, no idénticas; léalas con su intervalo.",
            "One run of one version: repeating it gives similar, not identical figures; read them with their interval.",
        ),
    ),
    (
        "not_measured",
        (
            "No mide latencia, costo, seguridad ni fuga de datos.",
            "It does not measure latency, cost, security or data leakage.",
        ),
    ),
    (
        "phrases",
        (
            "La abstención se detecta por frases; {reviewed} casos dudosos los revisó una persona (casos dudosos en total: {doubtful}).",
            "Abstention is detected by phrases; {reviewed} doubtful cases were reviewed by a person (doubtful cases in all: {doubtful}).",
        ),
    ),
    (
        "catalogue",
        (
            "Las citas fantasma dependen del catálogo entregado; si está incompleto, la cifra hereda el error.",
            "Phantom citations depend on the catalogue supplied; if it is incomplete, the figure inherits the error.",
        ),
    ),
    (
        "declared",
        (
            "Que las respuestas proceden de esa versión y fecha lo declara quien evaluó.",
            "That the answers come from that version and date is the evaluator's declaration.",
        ),
    ),
)

SEVERAL_RUNS = (
    "{runs} corridas de una versión: repetirlas da cifras parecidas, no idénticas; léalas con su intervalo.",
    "{runs} runs of one version: repeating them gives similar, not identical figures; read them with their interval.",
)

LIMITATIONS: Mapping[str, tuple[str, str]] = {
    "judge_independence_not_checked": (
        "No se comprobó la independencia del juez «{judge}»: su familia de modelos ({family}), o la del sistema, no figura en la lista.",
        "The independence of judge “{judge}” was not checked: its model family ({family}), or the system's, is not on the list.",
    ),
    "judge_temperature_not_zero": (
        "El juez «{judge}» trabajó con temperatura {temperature}, no con 0.",
        "Judge “{judge}” worked at temperature {temperature}, not 0.",
    ),
    "judge_version_floating": (
        "La versión del juez «{judge}» ({version}) no está fijada.",
        "The version of judge “{judge}” ({version}) is not pinned.",
    ),
    "judge_related_to_holder": (
        "Quien evaluó declara que el juez «{judge}» tiene relación con el titular.",
        "The evaluator declares that judge “{judge}” is related to the holder.",
    ),
    "holder_had_access": (
        "Acceso del titular al conjunto de preguntas: {value}.",
        "The holder's access to the question set: {value}.",
    ),
    "set_used_before": (
        "El conjunto ya se había usado antes; veces declaradas: {times}.",
        "The set had been used before; times declared: {times}.",
    ),
    "no_catalogue": (
        "Sin catálogo no se pudieron recalcular las citas fantasma.",
        "Without a catalogue, phantom citations could not be recomputed.",
    ),
    "fabrication_not_decidable": (
        "Sin catálogo no se pudo decidir si una respuesta hostil inventaba su cita; respuestas afectadas: {responses}.",
        "Without a catalogue it could not be decided whether an answer to a hostile question invented its citation; answers affected: {responses}.",
    ),
    "expected_citation_missing": (
        "Hay preguntas sin cita esperada; preguntas afectadas: {items}.",
        "Some questions have no expected citation; questions affected: {items}.",
    ),
    "hostile_category_missing": (
        "El conjunto no tiene preguntas hostiles.",
        "The set has no hostile questions.",
    ),
    "equal_items": (
        "Hay preguntas iguales a otra; preguntas afectadas: {items}.",
        "Some questions equal another; questions affected: {items}.",
    ),
    "no_phrase_list": (
        "No hay lista de frases de abstención para estas lenguas: {languages}.",
        "There is no list of abstention phrases for these languages: {languages}.",
    ),
    "abstention_reviewed": (
        "Abstenciones decididas por una persona: {items}.",
        "Abstentions decided by a person: {items}.",
    ),
}

VERDICTS: Mapping[str, tuple[str, str]] = {
    "exact": ("exacta", "exact"),
    "incomplete": ("incompleta", "incomplete"),
    "ill_founded": ("mal fundada", "ill-founded"),
    "incorrect": ("incorrecta", "incorrect"),
}
ACCESS: Mapping[str, tuple[str, str]] = {
    "yes": ("sí", "yes"),
    "no": ("no", "no"),
    "unknown": ("no se declaró", "not declared"),
}


def said(table: Mapping[str, tuple[str, str]], code: str, language: str, /, **data: Any) -> str:
    """The sentence for a code with its data; the code itself where there is none."""
    known = table.get(code)
    if known is None:
        return code
    text = known[language == "en"]
    # Only our own sentence is a template; what is put in stays as it is.
    return text.format(**data) if data else text


def word(code: str, language: str, /, **data: Any) -> str:
    return said(WORDS, code, language, **data)


def phase_name(phase: str, language: str) -> str:
    """What is being done («asking», «judging · j1»), in the reader's words."""
    name, _, rest = phase.partition(" · ")
    return word(name, language) + (f" {rest}" if rest else "")


def group_name(group: str, language: str) -> str:
    """A language group as it is named: its tag, or that no language was declared."""
    return word("undeclared", language) if group == "und" else group


def moment(text: str, language: str) -> str:
    """An instant of a record as a reader is told it; the text itself when it is none."""
    try:
        return wording.moment(datetime.fromisoformat(text.replace("Z", "+00:00")), language)
    except ValueError:
        return text
