"""An e-mail as its reader gets it, for the staff to look at: without the secret of its link, and without a new one."""

import re
from dataclasses import dataclass

from certificates import letters, rehearsal
from registry_site import outbox
from registry_site.models import Outbox

# 256 bits in the letters of an address: whoever sees one can act with it, so nobody does but its reader.
_SECRET = re.compile(r"(?<=/)[A-Za-z0-9_-]{40,}(?=/|$|\s)")
MASK = "…"


@dataclass(frozen=True, slots=True)
class Written:
    """Subject and text; or, of one that cannot be written out, the name of the fault."""

    subject: str = ""
    text: str = ""
    fault: str = ""


def of(row: Outbox) -> Written:
    """Written out as the sender does it, and undone: a link made for it is dead before anybody sees it."""
    try:
        message = rehearsal.undone(lambda: outbox.message(row, letters.compose))
    except Exception as error:
        # What it is about may be gone, or its kind; the page must tell of it all the same.
        return Written(fault=type(error).__name__)
    return Written(subject=message.subject, text=_SECRET.sub(MASK, message.body))
