"""What the e-mails about people say: names and roles are read when the e-mail is written, never stored in its row."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from registry_site import clock, invitations, outbox, wording
from registry_site.models import ROLE_CHOICES, Invitation, Outbox, Person

# Subjects hold fixed words only, because others than the reader see them. Each pair is Spanish, English.
_SUBJECTS = {
    "invitation.made": ("Invitación a abrir una cuenta", "Invitation to open an account"),
    "invitation.accepted": ("Se aceptó una invitación", "An invitation was accepted"),
    "role.granted": ("Se dio una función", "A role was given"),
    "role.ended": ("Terminó una función", "A role was ended"),
    "account.deactivated": ("Se desactivó una cuenta", "An account was deactivated"),
    "account.reactivated": ("Se reactivó una cuenta", "An account was reactivated"),
    "recovery.opened": (
        "Se pidió quitar un segundo factor",
        "The removal of a second factor was asked for",
    ),
    "recovery.confirmed": ("Se quitó un segundo factor", "A second factor was removed"),
    "recovery.cancelled": (
        "No se quitará el segundo factor",
        "The second factor will not be removed",
    ),
}
KINDS = frozenset(_SUBJECTS)

_INVITED = (
    (
        "{name}: se le invita a abrir una cuenta en el registro ({roles}). El enlace sirve una sola vez, hasta el "
        "{until}. Si no esperaba esta invitación, no haga nada: sin usted no se abre ninguna cuenta."
    ),
    (
        "{name}: you are invited to open an account in the registry ({roles}). The link serves once, until {until}. "
        "If you did not expect this invitation, do nothing: without you no account is opened."
    ),
)
_OVER = (
    "{name}: esta invitación ya no está abierta. Si la necesita, pida otra al registro.",
    "{name}: this invitation is no longer open. If you need it, ask the registry for another.",
)
_HOLDERS_ACCOUNT = ("una cuenta sin función en el registro", "an account without a role in the registry")
_CONSOLE = ("la consola del servidor", "the server's console")
_IF_NOT_YOU = (
    "Si no lo esperaba, avise de inmediato a la persona encargada del registro.",
    "If you did not expect this, tell the registrar at once.",
)
_TEXTS = {
    "invitation.accepted": (
        "{name} aceptó la invitación y abrió su cuenta ({roles}).",
        "{name} accepted the invitation and opened the account ({roles}).",
    ),
    "role.granted": (
        "{name} tiene desde ahora la función «{role}». La dio {by}.",
        "{name} holds the role “{role}” from now on. It was given by {by}.",
    ),
    "role.ended": (
        "{name} ya no tiene la función «{role}». La terminó {by}.",
        "{name} holds the role “{role}” no longer. It was ended by {by}.",
    ),
    "account.deactivated": (
        (
            "La cuenta de {name} no abre desde ahora: sus sesiones terminaron y sus tokens se revocaron. Lo hizo {by}. "
            "Lo que firmó sigue firmado."
        ),
        (
            "The account of {name} opens no longer: its sessions ended and its tokens are revoked, by {by}. "
            "What it signed stays signed."
        ),
    ),
    "account.reactivated": (
        "La cuenta de {name} abre de nuevo. Lo hizo {by}. Los tokens revocados siguen revocados.",
        "The account of {name} opens again. This was done by {by}. Revoked tokens stay revoked.",
    ),
    "recovery.opened": (
        (
            "{by} pidió quitar el segundo factor de la cuenta de {name}. Nada cambia hasta que lo confirme otra "
            "persona encargada del registro."
        ),
        (
            "{by} asked for the second factor of the account of {name} to be removed. Nothing changes until another "
            "registrar confirms it."
        ),
    ),
    "recovery.confirmed": (
        (
            "Se quitó el segundo factor de la cuenta de {name}. Lo confirmó {by}. Sus sesiones terminaron, sus tokens "
            "se revocaron y no puede tomar decisiones hasta el {until}."
        ),
        (
            "The second factor of the account of {name} was removed, confirmed by {by}. Its sessions ended, its tokens "
            "are revoked, and no decision can be taken with it until {until}."
        ),
    ),
    "recovery.cancelled": (
        "La petición de quitar el segundo factor de la cuenta de {name} quedó sin efecto. Lo hizo {by}.",
        "The request to remove the second factor of the account of {name} was cancelled by {by}.",
    ),
}


def link_path(secret: str) -> str:
    return f"/accounts/invitation/link/{secret}/"


def compose(row: Outbox) -> outbox.Letter:
    """The letter of a row of one of `KINDS`."""
    if row.kind == "invitation.made":
        return _invitation(row)
    person = Person.objects.get(pk=row.data["person"])
    by = Person.objects.filter(pk=row.data.get("by")).first()
    text = _in(row, _TEXTS[row.kind]).format(
        name=person.name,
        by=by.name if by else _in(row, _CONSOLE),
        role=_roles(row, [row.data["role"]]) if "role" in row.data else "",
        roles=_roles(row, row.data.get("roles", [])),
        until=_moment(row, row.data["until"]) if "until" in row.data else "",
    )
    warning = _in(row, _IF_NOT_YOU) if row.data["own"] else ""
    return outbox.Letter("people", _facts(row, text=text, warning=warning), row.data["path"])


def _invitation(row: Outbox) -> outbox.Letter:
    invitation = Invitation.objects.select_related("invited_by").get(pk=row.data["invitation"])
    secret = invitations.secret_of(invitation, at=clock.now(), letter=row)
    text = _in(row, _INVITED if secret else _OVER).format(
        name=invitation.name,
        roles=_roles(row, invitation.roles),
        until=_moment(row, invitation.expires_at.isoformat()),
    )
    return outbox.Letter("people", _facts(row, text=text), link_path(secret) if secret else "/")


def _facts(row: Outbox, **facts: Any) -> dict[str, Any]:
    return {"subject": _in(row, _SUBJECTS[row.kind]), **facts}


def _roles(row: Outbox, held: list[str]) -> str:
    """The names of roles in the row's language, which is active while a letter is written."""
    named = dict(ROLE_CHOICES)
    return ", ".join(str(named[role]) for role in held) or _in(row, _HOLDERS_ACCOUNT)


def _moment(row: Outbox, instant: str) -> str:
    at = datetime.fromisoformat(instant).astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE))
    return wording.moment(at, row.language)


def _in(row: Outbox, pair: tuple[str, str]) -> str:
    return pair[0] if row.language == "es" else pair[1]
