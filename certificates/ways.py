"""PURE. How what a holder asks for came to the registry."""

from enum import StrEnum


class Way(StrEnum):
    LINK = "link"  # the signed link in the holder's letter
    ACCOUNT = "account"  # a person of the holder, signed in
    ON_BEHALF = "on_behalf"  # the holder's written request, stored by the staff (rule 6)
