"""The frame's rows: persons and their accounts, tokens, audit, published documents, outbox, public events."""

from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from registry_site.append_only import WrittenOnce
from registry_site.role_names import Role

ROLE_CHOICES = [
    (Role.EVALUATOR, _("evaluation")),
    (Role.CERTIFIER, _("certification decision")),
    (Role.APPEALS_OFFICER, _("appeals")),
    (Role.REGISTRAR, _("registry")),
]


class Person(models.Model):
    """A human being, whom the impartiality rules compare; accounts and tokens belong to one."""

    name = models.CharField(_("name"), max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    # After a second factor was removed on request: nothing is decided before (registry_site.recoveries).
    decides_again_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("persons")

    def __str__(self) -> str:
        return self.name


class UserManager(BaseUserManager):
    def create_user(self, email: str, password: str | None = None, **fields) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """An account: of a person, or (person null) a named service account, which never decides."""

    email = models.EmailField(_("e-mail"), unique=True)
    person = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="accounts")
    service_name = models.CharField(_("service name"), max_length=100, blank=True)
    language = models.CharField(
        _("language"), max_length=2, default="es", choices=[("es", "español"), ("en", "English")]
    )
    is_staff = models.BooleanField(_("may open the admin"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    is_demo = models.BooleanField(default=False, editable=False)
    # Sessions opened before it are over, also those that nobody knows of.
    sessions_ended_at = models.DateTimeField(null=True, blank=True, editable=False)
    date_joined = models.DateTimeField(auto_now_add=True)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: list[str] = []

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        constraints = [
            models.CheckConstraint(
                name="an_account_is_of_a_person_or_a_service",
                condition=models.Q(person__isnull=False, service_name="")
                | (models.Q(person__isnull=True) & ~models.Q(service_name="")),
            )
        ]

    def __str__(self) -> str:
        return self.email

    def get_full_name(self) -> str:
        return self.person.name if self.person_id else self.service_name

    get_short_name = get_full_name

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session must know to go on: besides the password, when the account's sessions were ended."""
        known = super()._get_session_auth_hash(secret=secret)
        if self.sessions_ended_at is None:
            return known
        ended = self.sessions_ended_at.timestamp()
        return salted_hmac("registry_site.sessions", f"{known}{ended}", secret=secret).hexdigest()


class RoleGrant(models.Model):
    """A person's role, with who gave and ended it; see registry_site.roles."""

    person = models.ForeignKey(Person, models.PROTECT, related_name="role_grants")
    role = models.CharField(max_length=20, choices=ROLE_CHOICES)
    granted_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    granted_at = models.DateTimeField()
    ended_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="nobody_grants_a_role_to_oneself", condition=~models.Q(person=models.F("granted_by"))
            ),
            models.UniqueConstraint(
                name="a_role_is_held_once", fields=["person", "role"], condition=models.Q(ended_at=None)
            ),
            models.CheckConstraint(
                name="only_an_ended_role_names_who_ended_it",
                condition=models.Q(ended_by__isnull=True) | models.Q(ended_at__isnull=False),
            ),
        ]


class ApiToken(models.Model):
    """A bearer token of one account; only its SHA-256 is kept (registry_site.tokens)."""

    user = models.ForeignKey(User, models.PROTECT, related_name="api_tokens")
    role = models.CharField(max_length=20, choices=ROLE_CHOICES, blank=True)
    label = models.CharField(max_length=100, blank=True)
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)


class Invitation(models.Model):
    """A person is asked to open an account; see registry_site.invitations. It ends once: accepted, or cancelled.

    `invited_by` is None on the server's console alone. Past `expires_at` it opens nothing.
    """

    name = models.CharField(max_length=200)
    email = models.EmailField()
    language = models.CharField(max_length=2, default="es")
    roles = ArrayField(models.CharField(max_length=20, choices=ROLE_CHOICES), default=list, blank=True)
    invited_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    account = models.OneToOneField(User, models.PROTECT, null=True, related_name="invitation")
    cancelled_at = models.DateTimeField(null=True)
    cancelled_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="an_accepted_invitation_has_its_account",
                condition=models.Q(accepted_at__isnull=True, account__isnull=True)
                | models.Q(accepted_at__isnull=False, account__isnull=False),
            ),
            models.CheckConstraint(
                name="an_invitation_ends_once",
                condition=models.Q(accepted_at__isnull=True) | models.Q(cancelled_at__isnull=True),
            ),
            models.UniqueConstraint(
                name="an_address_is_invited_once_at_a_time",
                fields=["email"],
                condition=models.Q(accepted_at=None, cancelled_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class SignedLink(models.Model):
    """The frame of a table of signed links: one purpose on one object, and of 256 bits only the SHA-256.

    See `registry_site.signed_links`.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class InvitationLink(models.Model):
    """A signed link that accepts one invitation. Of its 256 bits only the SHA-256 is kept.

    A letter that is sent again carries another; every one of them dies with the invitation.
    """

    invitation = models.ForeignKey(Invitation, models.PROTECT, related_name="links")
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()


class FactorRecovery(models.Model):
    """A lost second factor: one registrar opens the case, another confirms it; see registry_site.recoveries.

    On the server's console nobody is named and it is confirmed at once. Until `blocked_until` its person
    decides nothing. `deadline_at` is when a case that nobody confirmed has lapsed.
    """

    account = models.ForeignKey(User, models.PROTECT, related_name="factor_recoveries")
    person = models.ForeignKey(Person, models.PROTECT, related_name="factor_recoveries")
    reason = models.TextField()
    opened_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    opened_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    confirmed_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    blocked_until = models.DateTimeField(null=True)
    cancelled_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["person", "blocked_until"], name="recovery_blocks_until")]
        constraints = [
            models.CheckConstraint(name="a_recovery_says_why_it_is_needed", condition=~models.Q(reason="")),
            models.CheckConstraint(
                name="nobody_recovers_the_own_second_factor",
                condition=(models.Q(opened_by__isnull=True) | ~models.Q(opened_by=models.F("person")))
                & (models.Q(confirmed_by__isnull=True) | ~models.Q(confirmed_by=models.F("person"))),
            ),
            models.CheckConstraint(
                name="a_recovery_takes_two_registrars_or_the_console",
                condition=models.Q(confirmed_at__isnull=True, confirmed_by__isnull=True)
                | models.Q(confirmed_at__isnull=False, opened_by__isnull=True, confirmed_by__isnull=True)
                | models.Q(confirmed_at__isnull=False, opened_by__isnull=False, confirmed_by__isnull=False)
                & ~models.Q(opened_by=models.F("confirmed_by")),
            ),
            models.CheckConstraint(
                name="a_confirmed_recovery_blocks_decisions_for_a_while",
                condition=models.Q(confirmed_at__isnull=True, blocked_until__isnull=True)
                # Said of both: a check that compares with nothing is passed.
                | models.Q(
                    confirmed_at__isnull=False,
                    blocked_until__isnull=False,
                    blocked_until__gt=models.F("confirmed_at"),
                ),
            ),
            models.CheckConstraint(
                name="a_recovery_ends_once",
                condition=models.Q(confirmed_at__isnull=True) | models.Q(cancelled_at__isnull=True),
            ),
            models.UniqueConstraint(
                name="one_recovery_at_a_time",
                fields=["account"],
                condition=models.Q(confirmed_at=None, cancelled_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class AuditEntry(WrittenOnce):
    """What a member of staff did or looked at."""

    at = models.DateTimeField()
    person = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["subject", "at"]),
            models.Index(fields=["person", "at"]),
            models.Index(fields=["at", "id"], name="audit_by_time"),
        ]


class PublishedDocument(models.Model):
    """A public document rendered once, in the transaction that changed it; the body is gzip.

    `path` is its address. `stale_at` is the next instant at which its text changes by the clock alone.
    `sequence` is the event it reflects: an older one never replaces a newer.
    """

    path = models.CharField(max_length=200, primary_key=True)
    certificate = models.CharField(max_length=40, db_index=True, blank=True)
    content_type = models.CharField(max_length=80)
    language = models.CharField(max_length=2, blank=True)
    body = models.BinaryField()
    etag = models.CharField(max_length=70)
    sequence = models.PositiveIntegerField(default=0)
    as_of = models.DateTimeField()
    stale_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.path


class OutboxState(models.TextChoices):
    QUEUED = "queued", _("queued")
    SENDING = "sending", _("sending")
    SENT = "sent", _("sent")
    FAILED = "failed", _("failed")
    SETTLED = "settled", pgettext_lazy("e-mail", "told otherwise")


class Outbox(models.Model):
    """An e-mail to be sent: a row of the deciding transaction, sent after commit with retries.

    One that failed, or came back (`returned_at`), waits for a person: sent again, or settled with a note on
    how its reader was told. Some time later nobody can be read from it any more (`erased_at`).
    """

    kind = models.CharField(max_length=60)
    recipient = models.EmailField(blank=True)
    language = models.CharField(max_length=2, default="es")
    concerns = models.CharField(max_length=60, blank=True, db_index=True)
    data = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=OutboxState, default=OutboxState.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    # Of the signed link in the copy that was written last; a later copy ends it.
    link_sha256 = models.CharField(max_length=64, blank=True)
    returned_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    note = models.TextField(blank=True)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["state", "next_attempt_at"]),
            models.Index(fields=["state", "-id"], name="outbox_state_newest"),
            # What the eraser looks for: the rows that still name somebody, oldest first.
            models.Index(
                fields=["created_at"], name="outbox_not_erased", condition=models.Q(erased_at__isnull=True)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                name="a_letter_names_somebody_until_it_is_erased",
                condition=models.Q(erased_at__isnull=True) & ~models.Q(recipient="")
                | models.Q(erased_at__isnull=False, recipient="", error="", note=""),
            ),
            models.CheckConstraint(
                name="what_was_told_otherwise_says_who_when_and_how",
                condition=models.Q(settled_at__isnull=False, settled_by__isnull=False, state="settled")
                & (~models.Q(note="") | models.Q(erased_at__isnull=False))
                | (
                    models.Q(settled_at__isnull=True, settled_by__isnull=True, note="")
                    & ~models.Q(state="settled")
                ),
            ),
            models.CheckConstraint(
                name="a_letter_that_came_back_is_not_called_sent",
                condition=models.Q(returned_at__isnull=True) | models.Q(state__in=["failed", "settled"]),
            ),
            models.UniqueConstraint(
                name="one_digest_a_day_a_person",
                fields=["kind", "concerns"],
                condition=models.Q(kind="staff.digest"),
            ),
        ]


class PublicEvent(WrittenOnce):
    """A public fact that is no change of a certificate's status; its bytes are the future log leaf.

    Written through registry_site.public_events.append, in the transaction of the fact itself.
    """

    type = models.CharField(max_length=60)
    subject = models.CharField(max_length=120)
    at = models.DateTimeField()
    salt = models.BinaryField()
    document = models.CharField(max_length=64)
    bytes = models.BinaryField()
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        indexes = [models.Index(fields=["subject", "at"]), models.Index(fields=["at", "id"])]
        constraints = [
            models.CheckConstraint(
                name="public_event_hash_is_of_its_bytes",
                condition=models.Q(
                    hash=models.Func(
                        models.Func(models.F("bytes"), function="sha256", output_field=models.BinaryField()),
                        models.Value("hex"),
                        function="encode",
                        output_field=models.CharField(),
                    )
                ),
            )
        ]


class SiteSetting(models.Model):
    """What set-up fixed once for this registry (PUBLIC_URL); the application role can only read it."""

    name = models.CharField(max_length=60, primary_key=True)
    value = models.CharField(max_length=300)


class NumberSeries(models.Model):
    """The last serial number given out, by kind and year; gapless because it is taken under its lock."""

    kind = models.CharField(max_length=20)
    year = models.PositiveSmallIntegerField()
    last = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(name="one_series_per_kind_and_year", fields=["kind", "year"])]

    @classmethod
    def take(cls, kind: str, *, at: datetime) -> tuple[int, int]:
        """The next (year, serial) of `kind`; must be called inside the transaction that uses it."""
        if not transaction.get_connection().in_atomic_block:
            raise RuntimeError("A number is taken inside the transaction that uses it.")
        year = at.year
        cls.objects.get_or_create(kind=kind, year=year)
        series = cls.objects.select_for_update().get(kind=kind, year=year)
        series.last += 1
        series.save(update_fields=["last"])
        return year, series.last


class IdempotencyRecord(models.Model):
    """A write that a client may send twice: the second time it gets the stored answer (registry_site.idempotency).

    Without `status` the first request is still running; `lease_until` is when that stops being believed.
    """

    token = models.ForeignKey(ApiToken, models.CASCADE, related_name="+")
    method = models.CharField(max_length=8)
    path = models.CharField(max_length=300)
    key = models.CharField(max_length=255)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=bytes)
    created_at = models.DateTimeField(db_index=True)
    lease_until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="an_idempotency_key_is_used_once", fields=["token", "method", "path", "key"]
            )
        ]
