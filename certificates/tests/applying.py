"""Plain factories of applications: a link as the e-mail carries it, one filed with it, one stored on behalf."""

from certificates import application_links, applications
from certificates.models import Application, ApplicationLink
from certificates.models.application import ApplicationLinkPurpose
from grading.models import Measurement
from registry_site import clock
from registry_site.models import User

REQUEST = "Solicitamos el certificado sobre la medición de octubre."
REASONS = {
    "es": "Quien firma la petición no figura como representante.",
    "en": "Whoever signs the request is not named as representative.",
}


def link_to_apply(measurement: Measurement) -> ApplicationLink:
    secret = application_links.to_apply(measurement, at=clock.now())
    return application_links.find(secret, purpose=ApplicationLinkPurpose.APPLY, at=clock.now())


def filed(measurement: Measurement) -> Application:
    return applications.file(measurement=measurement, by=link_to_apply(measurement), at=clock.now())


def stored(measurement: Measurement, *, by: User, **more) -> Application:
    facts = {"text": REQUEST, "received_on": clock.now().date(), "at": clock.now()}
    return applications.store(measurement, by=by, **(facts | more))


def link_to_follow(application: Application) -> ApplicationLink:
    secret = application_links.to_follow(application, at=clock.now())
    return application_links.find(secret, purpose=ApplicationLinkPurpose.FOLLOW, at=clock.now())


def withdraw(application: Application):
    return applications.withdraw(application, by=link_to_follow(application), at=clock.now())
