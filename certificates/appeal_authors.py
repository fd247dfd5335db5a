"""Who may file an appeal or withdraw it: a living link, a person of the holder, or a second person on its behalf.

`certificates.appeals` asks an author under its locks; what it then writes is the same for all three.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from certificates import appeal_links, policies
from certificates.models import Appeal, AppealLink, HolderRequest, Notice
from certificates.models.notice import HolderRequestKind
from certificates.ways import Way
from registry_site.models import Person, User


class Author(Protocol):
    """How it came and whose hand wrote it: facts of the step, and a check that raises a `Refusal`."""

    way: Way

    @property
    def notice_id(self) -> int: ...

    @property
    def person(self) -> Person | None: ...

    @property
    def request(self) -> HolderRequest | None: ...

    def require_to_file(self, notice: Notice, *, at: datetime) -> None: ...

    def require_to_withdraw(self, appeal: Appeal, *, at: datetime) -> None: ...


@dataclass(frozen=True, slots=True)
class ByLink:
    """Whoever holds the link of a letter; it dies on use."""

    link: AppealLink
    way = Way.LINK
    person = None
    request = None

    @property
    def notice_id(self) -> int:
        return self.link.notice_id or self.link.appeal.notice_id

    def require_to_file(self, notice: Notice, *, at: datetime) -> None:
        # Read again under its lock: the same link may be sent twice at once.
        appeal_links.living(AppealLink.objects.select_for_update().get(pk=self.link.pk), at=at)
        if refusal := policies.refusal_of_appeal(notice):
            raise refusal

    def require_to_withdraw(self, appeal: Appeal, *, at: datetime) -> None:
        del appeal
        appeal_links.living(AppealLink.objects.select_for_update().get(pk=self.link.pk), at=at)


@dataclass(frozen=True, slots=True)
class ByAccount:
    """A person of the holder, signed in."""

    user: User
    notice: Notice
    way = Way.ACCOUNT
    request = None

    @property
    def notice_id(self) -> int:
        return self.notice.pk

    @property
    def person(self) -> Person:
        return self.user.person

    def require_to_file(self, notice: Notice, *, at: datetime) -> None:
        if refusal := policies.refusal_to_file_appeal(self.user, notice, at=at):
            raise refusal

    def require_to_withdraw(self, appeal: Appeal, *, at: datetime) -> None:
        del at
        if refusal := policies.refusal_to_withdraw_appeal(self.user, appeal):
            raise refusal


@dataclass(frozen=True, slots=True)
class OnBehalf:
    """Someone of the staff, on the holder's written request, which another person stored (rule 6)."""

    user: User
    request: HolderRequest
    way = Way.ON_BEHALF

    @property
    def notice_id(self) -> int:
        return self.request.notice_id

    @property
    def person(self) -> Person:
        return self.user.person

    def require_to_file(self, notice: Notice, *, at: datetime) -> None:
        if refusal := policies.refusal_to_act_on_request(
            self.user, self.request, kind=HolderRequestKind.APPEAL, at=at
        ) or policies.refusal_of_appeal(notice):
            raise refusal

    def require_to_withdraw(self, appeal: Appeal, *, at: datetime) -> None:
        del appeal
        if refusal := policies.refusal_to_act_on_request(
            self.user, self.request, kind=HolderRequestKind.WITHDRAW, at=at
        ):
            raise refusal
