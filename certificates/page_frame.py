"""What surrounds every public page of this registry: its address, who runs it, whether it is a demonstration."""

from datetime import datetime

from django.conf import settings

from certificates import pages
from registry_site import site_address


def frame(path: str, *, as_of: datetime, query: str = "") -> pages.Frame:
    return pages.Frame(
        public_url=site_address.stored(),
        path=path,
        as_of=as_of,
        query=query,
        operator=settings.REGISTRY_OPERATOR,
        demo=settings.REGISTRY_DEMO,
    )
