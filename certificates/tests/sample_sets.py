"""Pages of sealed question sets, made from facts by hand: sealed, registered late, revealed, leaked."""

import json
from dataclasses import replace
from datetime import date, datetime, timedelta

from certificates import pages

AT = datetime.fromisoformat("2026-09-01T10:15:00-04:00")
SEALED = pages.Seal(state="open", sealed_at=AT, first_used_at=AT + timedelta(days=9))


def question_set(frame: pages.Frame, **changed) -> pages.SetPage:
    return replace(
        pages.SetPage(
            frame=frame,
            name="normativa-reservada",
            custodian="Auditora del Norte",
            set_sha256="c5" * 32,
            commitment="be" * 32,
            items=204,
            by_category=(("factual_direct", 72), ("factual_applied", 60), ("trap", 24), ("propia", 48)),
            by_language=(("es", 128), ("en", 70), ("und", 6)),
            scheme="HALU-1",
            seal=SEALED,
            events=(pages.SetEvent(step="seal", at=AT, hash="16" * 32),),
            fields=(
                pages.SetField(name="question", required=True),
                pages.SetField(name="cluster", required=False),
            ),
            examples=(
                json.dumps(
                    {"id": "e1", "question": "¿Una pregunta inventada?"}, ensure_ascii=False, indent=1
                ),
            ),
            uses=(
                pages.SetUse(
                    reference="M-151",
                    measured_at=AT + timedelta(days=40),
                    frozen_at=AT + timedelta(days=41),
                    system="Peumo Consulta",
                    version="4.2.1",
                    holder="Peumo Legal SpA",
                    holder_had_access="no",
                    declared_before=0,
                    counted_before=3,
                    certificates=("FEH-2026-000042-87",),
                ),
                pages.SetUse(
                    reference="M-117",
                    measured_at=AT + timedelta(days=9),
                    frozen_at=AT + timedelta(days=9),
                    system="Ventanilla",
                    version="3.1.0",
                    holder="Trámite Claro SAS",
                ),
            ),
            uses_total=5,
        ),
        **changed,
    )


def every_page(frame: pages.Frame) -> dict[str, tuple[str, pages.SetPage]]:
    told = pages.Text(
        es="Las preguntas se difundieron en un foro.", en="The questions were posted in a forum."
    )
    late = replace(SEALED, used_before=True, first_used_at=AT - timedelta(days=30))
    revealed = replace(SEALED, state="revealed", exposed_on=date(2026, 11, 30))
    leaked = replace(SEALED, state="leaked", exposed_on=date(2026, 11, 20))
    end = AT + timedelta(days=90)
    reveal = (pages.SetEvent(step="reveal", at=end, hash="9d" * 32, statement=told),)
    leak = (
        pages.SetEvent(step="leak", at=end, hash="9e" * 32, statement=told, occurred_on=date(2026, 11, 20)),
    )
    first = question_set(frame).events
    made = {
        "set-sealed": question_set(frame),
        "set-late": question_set(frame, seal=late, examples=(), uses=(), uses_total=0),
        "set-revealed": question_set(frame, seal=revealed, events=first + reveal, salt="73" * 32),
        "set-published": question_set(
            frame,
            seal=replace(revealed, items_published=True),
            events=first + reveal,
            salt="73" * 32,
            items_sha256="ab" * 32,
            items_size=86_200,
        ),
        "set-leaked": question_set(frame, seal=leaked, events=first + leak),
    }
    return {name: ("public/question_set.html", page) for name, page in made.items()}
