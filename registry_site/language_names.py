"""What a language, a script and a country are called in the two languages of the registry (names of CLDR,
through Babel).
"""

from functools import lru_cache

from babel import Locale
from babel.core import UnknownLocaleError

from registry_site.wording import language_of

# Keys that are not languages, and names where CLDR's word is not the one used here.
OWN = {
    "und": ("sin idioma declarado", "no declared language"),
    "rest": ("resto", "rest"),
    "arn": ("mapudungun", "Mapudungun"),
}
# Scripts whose name of CLDR says too little where no other stands beside it.
OWN_SCRIPTS = {
    "Hans": ("han simplificado", "Simplified Han"),
    "Hant": ("han tradicional", "Traditional Han"),
}
UNKNOWN_SCRIPT = ("escritura desconocida", "unknown script")


@lru_cache(maxsize=1024)
def language_name(key: str, language: str) -> str:
    """«español» for «es»; a key that CLDR does not know stays as it is."""
    if key in OWN:
        return OWN[key][language_of(language) == "en"]
    names = Locale(language_of(language)).languages
    if key in names:
        return names[key]
    try:
        return Locale.parse(key, sep="-").get_display_name(language_of(language)) or key
    except (UnknownLocaleError, ValueError):
        return key


@lru_cache(maxsize=1024)
def script_name(key: str, language: str) -> str:
    """«latino (escritura)» for «Latn», so that «árabe» is not taken for the language; an unknown code stays."""
    english = language_of(language) == "en"
    if key == "Zzzz":
        return UNKNOWN_SCRIPT[english]
    if key in OWN_SCRIPTS:
        name = OWN_SCRIPTS[key][english]
    else:
        # CLDR has no Spanish word for some dead scripts: then the English one is told.
        name = Locale(language_of(language)).scripts.get(key) or Locale("en").scripts.get(key) or key
    return f"{name} (script)" if english else f"{name} (escritura)"


def country_name(code: str, language: str) -> str:
    """«Chile» for «CL»; a code that CLDR does not know stays as it is."""
    return Locale(language_of(language)).territories.get(code.upper(), code)
