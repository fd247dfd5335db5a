"""PURE. What a person may be in the registry; a role says what one may do, never who one is."""

from enum import StrEnum


class Role(StrEnum):
    EVALUATOR = "evaluator"
    CERTIFIER = "certifier"
    APPEALS_OFFICER = "appeals_officer"
    REGISTRAR = "registrar"


DECIDING_ROLES = (Role.EVALUATOR, Role.CERTIFIER, Role.APPEALS_OFFICER)
