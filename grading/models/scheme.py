"""A published version of a scheme's rules: the file itself and its hash; it never changes."""

from functools import cached_property

from django.db import models
from django.utils.translation import gettext_lazy as _

from grading import schemes
from registry_site.append_only import WrittenOnce


class Scheme(WrittenOnce):
    """One published version. The rules are read from `file`, nothing is retyped."""

    code = models.CharField(max_length=20)
    version = models.CharField(max_length=20)
    method = models.CharField(max_length=20)
    file = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    published_at = models.DateTimeField()

    class Meta:
        verbose_name = _("scheme")
        verbose_name_plural = _("schemes")
        constraints = [
            models.UniqueConstraint(name="a_scheme_version_is_published_once", fields=["code", "version"])
        ]

    def __str__(self) -> str:
        return f"{self.code}-{self.version}"

    @cached_property
    def rules(self) -> schemes.Scheme:
        """What the file says."""
        return schemes.load(bytes(self.file))
