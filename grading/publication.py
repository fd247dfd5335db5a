"""Publishes scheme versions: the file is stored whole, its hash names it, and it never changes again."""

import hashlib
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from grading import schemes
from grading.models import Scheme
from registry_site import public_events
from registry_site.problems import Refusal


class SchemeAlreadyPublished(Refusal):
    code = "scheme_already_published"
    title = _("That version of the scheme is already published, with other content")


@transaction.atomic
def publish(file: bytes, *, at: datetime) -> Scheme:
    """Publish one scheme file; the same bytes again return the row that exists.

    Raises SchemeAlreadyPublished when code and version exist with other bytes: a change is a new version.
    """
    rules = schemes.load(file)
    sha256 = hashlib.sha256(file).hexdigest()
    existing = Scheme.objects.filter(code=rules.code, version=rules.version).first()
    if existing is not None:
        if existing.sha256 != sha256:
            raise SchemeAlreadyPublished(
                _(
                    "%(code)s version %(version)s was published with SHA-256 %(sha)s. Give the new rules a new version."
                )
                % {"code": rules.code, "version": rules.version, "sha": existing.sha256}
            )
        return existing
    scheme = Scheme.objects.create(
        code=rules.code, version=rules.version, method=rules.method, file=file, sha256=sha256, published_at=at
    )
    public_events.append(
        "scheme.published",
        subject=f"scheme:{rules.code}-{rules.version}",
        at=at,
        document={"code": rules.code, "version": rules.version, "sha256": sha256},
    )
    return scheme
