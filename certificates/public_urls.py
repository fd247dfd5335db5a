"""The addresses that are a promise: pages in both languages, and the language-neutral ones on paper."""

from django.urls import path, re_path

from certificates.views import (
    appeals,
    applications,
    cases,
    comparisons,
    contact,
    evidence_files,
    public,
    report_replies,
    reports,
    run_results,
    sets,
    systems,
)

_LANGUAGE = r"(?P<language>es|en)"

urlpatterns = [
    path("", public.root, name="root"),
    re_path(rf"^{_LANGUAGE}/$", public.home, name="home"),
    re_path(rf"^{_LANGUAGE}/certificates/$", public.certificate_list, name="certificates"),
    re_path(rf"^{_LANGUAGE}/c/(?P<number>[^/]+)/$", public.certificate, name="certificate"),
    re_path(rf"^{_LANGUAGE}/notices/(?P<number>[^/]+)/$", public.notice, name="notice"),
    re_path(rf"^{_LANGUAGE}/statuses/$", public.statuses, name="statuses"),
    re_path(rf"^{_LANGUAGE}/systems/(?P<key>[^/]+)/$", systems.system, name="system"),
    re_path(rf"^{_LANGUAGE}/compare/$", comparisons.compare, name="compare"),
    re_path(rf"^{_LANGUAGE}/compare/progress/$", comparisons.progress, name="compare_progress"),
    re_path(rf"^{_LANGUAGE}/sets/(?P<set_sha256>[^/]+)/$", sets.question_set, name="question_set"),
    path("sets/<str:set_sha256>/items.jsonl", sets.items, name="set_items"),
    path("sets/<str:set_sha256>/set-commitment.json", sets.commitment, name="set_commitment"),
    re_path(rf"^{_LANGUAGE}/cases/$", cases.cases, name="cases"),
    re_path(rf"^{_LANGUAGE}/cases/(?P<code>[^/]+)/$", cases.case, name="case"),
    re_path(
        rf"^{_LANGUAGE}/cases/(?P<code>[^/]+)/(?P<version>[0-9]{{1,7}})/$", cases.case, name="case_version"
    ),
    re_path(rf"^{_LANGUAGE}/runs/$", run_results.runs, name="runs"),
    re_path(rf"^{_LANGUAGE}/runs/compare/$", run_results.compare, name="run_compare"),
    re_path(rf"^{_LANGUAGE}/runs/(?P<number>[^/]+)/$", run_results.run, name="run"),
    re_path(rf"^{_LANGUAGE}/series/(?P<code>[^/]+)/$", cases.one_series, name="series"),
    path("series/<str:code>/rubric.json", cases.rubric, name="series_rubric"),
    path("series/<str:code>/rubric.salt", cases.salt, name="series_salt"),
    re_path(
        rf"^{_LANGUAGE}/appeal/link/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$", appeals.by_link, name="appeal_link"
    ),
    re_path(
        rf"^{_LANGUAGE}/appeal/follow/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        appeals.by_follow_link,
        name="appeal_follow_link",
    ),
    re_path(rf"^{_LANGUAGE}/appeal/$", appeals.form, name="appeal"),
    re_path(rf"^{_LANGUAGE}/appeal/mine/$", appeals.own, name="own_appeal"),
    re_path(rf"^{_LANGUAGE}/appeal/withdraw/$", appeals.withdraw, name="withdraw_appeal"),
    re_path(
        rf"^{_LANGUAGE}/contact/link/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        contact.by_link,
        name="contact_link",
    ),
    re_path(rf"^{_LANGUAGE}/contact/cancel/$", contact.cancel, name="cancel_contact"),
    re_path(
        rf"^{_LANGUAGE}/apply/link/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        applications.by_link,
        name="application_link",
    ),
    re_path(
        rf"^{_LANGUAGE}/apply/follow/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        applications.by_follow_link,
        name="application_follow_link",
    ),
    re_path(rf"^{_LANGUAGE}/apply/$", applications.apply, name="apply"),
    re_path(rf"^{_LANGUAGE}/apply/mine/$", applications.own, name="own_application"),
    re_path(rf"^{_LANGUAGE}/apply/withdraw/$", applications.withdraw, name="withdraw_application"),
    re_path(rf"^{_LANGUAGE}/report/$", reports.form, name="report"),
    re_path(rf"^{_LANGUAGE}/report/sent/$", reports.sent, name="report_sent"),
    re_path(
        rf"^{_LANGUAGE}/report/link/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        reports.by_confirm_link,
        name="report_confirm_link",
    ),
    re_path(rf"^{_LANGUAGE}/report/confirm/$", reports.confirm, name="report_confirm"),
    re_path(
        rf"^{_LANGUAGE}/report/follow/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        reports.by_follow_link,
        name="report_follow_link",
    ),
    re_path(rf"^{_LANGUAGE}/report/mine/$", reports.own, name="own_report"),
    re_path(
        rf"^{_LANGUAGE}/report/reply/(?P<secret>[A-Za-z0-9_-]{{1,100}})/$",
        report_replies.by_link,
        name="report_reply_link",
    ),
    re_path(rf"^{_LANGUAGE}/report/reply/$", report_replies.form, name="report_reply"),
    # What is not built yet (.json, .pdf, .svg, .atom) is 404: a short address has no dot.
    re_path(r"^c/(?P<number>[^/.]+)/?$", public.short, name="short"),
    path("c/<str:number>/evidence.zip", evidence_files.evidence_archive, name="evidence_archive"),
    path("c/<str:number>/evidence/<path:member>", evidence_files.evidence_member, name="evidence_member"),
]
