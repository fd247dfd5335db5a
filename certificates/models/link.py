"""What every signed link is: one purpose on one object, and of its 256 bits only the SHA-256."""

from django.db import models


class SignedLink(models.Model):
    """The frame of a table of signed links; see `certificates.signed_links`."""

    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
