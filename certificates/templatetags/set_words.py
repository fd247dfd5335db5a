"""Template tags of sealed question sets: their addresses and how their files are checked."""

from django import template

from certificates import addresses, words
from registry_site import present_language

register = template.Library()


@register.simple_tag
def set_address(set_sha256: str) -> str:
    """The page of a registered set, in the present language."""
    return addresses.question_set(set_sha256, present_language.code())


@register.filter
def set_word(code: str) -> str:
    """The word of a state or step of a set."""
    return words.word("set", code)


@register.filter
def category_word(code: str) -> str:
    """The word of a category; its code where the scheme has another."""
    return str(words.CATEGORY.get(code, code))
