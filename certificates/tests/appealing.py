"""Plain factories of appeals: a link as the e-mail carries it, and an appeal filed with it."""

from certificates import appeal_authors, appeal_links, appeals
from certificates.models import Appeal, AppealLink, Notice
from certificates.models.appeal import LinkPurpose
from registry_site import clock

GROUNDS = "El texto se retiró el mismo día; la decisión parte de un error."
SUMMARY = {"es": "El titular dice que retiró el texto.", "en": "The holder says that the text was removed."}
REASONS = {"es": "El texto ya no estaba en el sitio.", "en": "The text was no longer on the site."}


def link_to(notice: Notice) -> AppealLink:
    secret = appeal_links.to_file(notice, at=clock.now())
    return appeal_links.find(secret, purpose=LinkPurpose.FILE, at=clock.now())


def by_link(link: AppealLink) -> appeal_authors.ByLink:
    return appeal_authors.ByLink(link)


def filed(notice: Notice, **more) -> Appeal:
    facts = {
        "grounds": GROUNDS,
        "name": "Paula Peumo",
        "email": "paula@peumo.example",
        "language": "es",
        "at": clock.now(),
    }
    by = more.pop("by", None) or by_link(more.pop("link", None) or link_to(notice))
    return appeals.file(by, **(facts | more))


def admitted(notice: Notice, who, **more) -> Appeal:
    appeal = filed(notice, **more)
    appeals.admit(appeal, by=who.appeals_officer, at=clock.now(), summary=SUMMARY)
    return appeal


def decide(appeal: Appeal, who, outcome: str = "upheld", **more):
    return appeals.decide(
        appeal, by=who.appeals_officer, at=clock.now(), outcome=outcome, reasons=REASONS, **more
    )


def link_to_follow(appeal: Appeal) -> AppealLink:
    secret = appeal_links.to_follow(appeal, at=clock.now())
    return appeal_links.find(secret, purpose=LinkPurpose.FOLLOW, at=clock.now())
