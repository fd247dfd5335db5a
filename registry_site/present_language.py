"""In which of the registry's two languages the present text is read."""

from django.utils.translation import get_language

from registry_site import wording


def code() -> str:
    """«es» or «en», after the language that is active; Spanish when none is."""
    return wording.language_of(get_language() or "es")
