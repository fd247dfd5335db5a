"""Where the public pages live: addresses are a promise, so they are written in one place."""


def home(language: str) -> str:
    return f"/{language}/"


def certificates(language: str) -> str:
    return f"/{language}/certificates/"


def certificate(number: str, language: str) -> str:
    return f"/{language}/c/{number}/"


def short(number: str) -> str:
    """The language-neutral address that stands on paper and in the QR code."""
    return f"/c/{number}"


def notice(number: str, language: str) -> str:
    return f"/{language}/notices/{number}/"


def system(key: int, language: str) -> str:
    return f"/{language}/systems/{key}/"


def statuses(language: str) -> str:
    return f"/{language}/statuses/"


def evidence_archive(number: str) -> str:
    return f"/c/{number}/evidence.zip"


def evidence_member(number: str, path: str) -> str:
    return f"/c/{number}/evidence/{path}"


def status_json(number: str) -> str:
    return f"/api/v1/certificates/{number}/status/"


def certificate_json(number: str) -> str:
    return f"/api/v1/certificates/{number}/"


def figures_json(number: str) -> str:
    return f"/api/v1/certificates/{number}/figures/"


def question_set(set_sha256: str, language: str) -> str:
    return f"/{language}/sets/{set_sha256}/"


def set_items(set_sha256: str) -> str:
    """The questions of a revealed set, where its custodian publishes them."""
    return f"/sets/{set_sha256}/items.jsonl"


def set_commitment(set_sha256: str) -> str:
    """The file that the set was registered with."""
    return f"/sets/{set_sha256}/set-commitment.json"


def set_json(set_sha256: str) -> str:
    return f"/api/v1/sets/{set_sha256}/"


def cases(language: str) -> str:
    return f"/{language}/cases/"


def case(code: str, language: str) -> str:
    return f"/{language}/cases/{code}/"


def case_version(code: str, version: int, language: str) -> str:
    return f"/{language}/cases/{code}/{version}/"


def series(code: str, language: str) -> str:
    return f"/{language}/series/{code}/"


def series_rubric(code: str) -> str:
    """The revealed rubric, byte for byte as it was committed to."""
    return f"/series/{code}/rubric.json"


def series_salt(code: str) -> str:
    return f"/series/{code}/rubric.salt"


def runs(language: str) -> str:
    return f"/{language}/runs/"


def run(number: str, language: str) -> str:
    return f"/{language}/runs/{number}/"


# Below the language.
RUN_COMPARE = "runs/compare/"


def run_compare(language: str) -> str:
    return f"/{language}/{RUN_COMPARE}"


def run_comparison_json(one: str, other: str) -> str:
    return f"/api/v1/run-comparisons/?one={one}&other={other}"


def run_json(number: str) -> str:
    return f"/api/v1/runs/{number}/"


def run_trace(number: str) -> str:
    """The trace of a published run, a record a line."""
    return f"/api/v1/runs/{number}/trace/"


def case_json(code: str) -> str:
    return f"/api/v1/cases/{code}/"


def series_json(code: str) -> str:
    return f"/api/v1/series/{code}/"


# Below the language.
COMPARE = "compare/"


def compare(language: str) -> str:
    return f"/{language}/{COMPARE}"


def comparison_json(first: int, second: int) -> str:
    return f"/api/v1/comparisons/?first={first}&second={second}"


def appeal_link(secret: str, language: str) -> str:
    """Where the link in a letter leads: it moves the secret into a session and goes on to `appeal`."""
    return f"/{language}/appeal/link/{secret}/"


def appeal_follow_link(secret: str, language: str) -> str:
    return f"/{language}/appeal/follow/{secret}/"


def appeal(language: str) -> str:
    """The form to appeal, for whoever came by a link."""
    return f"/{language}/appeal/"


def own_appeal(language: str) -> str:
    """The private page of an appeal, for whoever filed it."""
    return f"/{language}/appeal/mine/"


def staff_appeal(number: str) -> str:
    return f"/staff/appeals/{number}/"


def application_link(secret: str, language: str) -> str:
    """Where the link in a letter leads: it moves the secret into a session and goes on to `application`."""
    return f"/{language}/apply/link/{secret}/"


def application_follow_link(secret: str, language: str) -> str:
    return f"/{language}/apply/follow/{secret}/"


def application(language: str) -> str:
    """The page to apply on, for whoever came by a link."""
    return f"/{language}/apply/"


def own_application(language: str) -> str:
    """The private page of an application, for whoever filed it."""
    return f"/{language}/apply/mine/"


def staff_application(number: str) -> str:
    return f"/staff/applications/{number}/"


def contact_link(secret: str, language: str) -> str:
    """Where the link to cancel a change of contact leads: it moves the secret into a session."""
    return f"/{language}/contact/link/{secret}/"


def cancel_contact(language: str) -> str:
    """Where whoever came by that link cancels the change."""
    return f"/{language}/contact/cancel/"


HOLDER_AREA = "/holder/"


def report(language: str, number: str | None = None) -> str:
    """The form to complain; about a certificate where one is named."""
    return f"/{language}/report/" + (f"?certificate={number}" if number else "")


def report_sent(language: str) -> str:
    """What follows on a complaint that was sent and has to be confirmed."""
    return f"/{language}/report/sent/"


def report_confirm_link(secret: str, language: str) -> str:
    """Where the link in a letter leads: it moves the secret into a session and goes on to `report_confirm`."""
    return f"/{language}/report/link/{secret}/"


def report_confirm(language: str) -> str:
    return f"/{language}/report/confirm/"


def report_follow_link(secret: str, language: str) -> str:
    return f"/{language}/report/follow/{secret}/"


def own_report(language: str) -> str:
    """The private page of a complaint, for whoever made it."""
    return f"/{language}/report/mine/"


def report_reply_link(secret: str, language: str) -> str:
    return f"/{language}/report/reply/{secret}/"


def report_reply(language: str) -> str:
    """The form to reply, for the holder who came by a link."""
    return f"/{language}/report/reply/"


def staff_report(number: str) -> str:
    return f"/staff/reports/{number}/"
