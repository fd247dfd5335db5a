"""The rooms of the registry, under /staff/: the language is the person's choice, not part of the address."""

from django.urls import path, re_path

from certificates.views.staff import (
    appeals,
    applications,
    audit,
    calibrations,
    cases,
    certificates,
    comparisons,
    decisions,
    drafts,
    holder_accounts,
    holders,
    interests,
    mail,
    measurements,
    operators,
    packages,
    people,
    queue,
    recoveries,
    reports,
    requests,
    runs,
    search,
    series,
    sets,
    work,
)
from registry_site.role_names import Role

app_name = "staff"

_STEP = r"(?P<step>suspend|prolong|reinstate|revoke|terminate|supersede|erratum)"
_NUMBER = r"(?P<number>[A-Z]{2,8}-[12][0-9]{3}-[0-9]{6,9}-[0-9]{2})"

_CASE = r"(?P<code>[A-Z]{2,8}-[0-9]{3,6})/(?P<version>[0-9]{1,7})"
_SERIES = r"(?P<code>[A-Z]{2,8}-[0-9]{3,6}-S[0-9]{1,6})"
_ROLE = "|".join(Role)
_APPLICATION = r"(?P<number>SOL-[12][0-9]{3}-[0-9]{6,9})"
# A thing as the audit log names it: kind and identifier.
_SUBJECT = r"(?P<kind>[a-z]{1,20})/(?P<identifier>[A-Z0-9-]{1,40})"
_NOTICE = r"(?P<number>AV-[12][0-9]{3}-[0-9]{6,9})"
_REPORT = r"(?P<number>QJ-[12][0-9]{3}-[0-9]{6,9})"
_APPEAL = r"(?P<number>AP-[12][0-9]{3}-[0-9]{6,9})"
_RUN = r"(?P<number>EJ-[12][0-9]{3}-[0-9]{6,9})"

urlpatterns = [
    path("", queue.queue, name="queue"),
    path("search/", search.search, name="search"),
    path("language/", queue.language, name="language"),
    path("second-factor/", queue.second_factor_setup, name="second_factor"),
    path("packages/", packages.packages, name="packages"),
    path("packages/upload/", packages.upload, name="upload"),
    path("packages/<int:pk>/", packages.package, name="package"),
    path("packages/<int:pk>/progress/", packages.progress, name="package_progress"),
    path("packages/<int:pk>/set-aside/", packages.set_aside, name="set_aside"),
    path("packages/<int:pk>/restart/", packages.restart, name="package_restart"),
    path("measurements/<int:pk>/", measurements.measurement, name="measurement"),
    path("measurements/<int:pk>/review-sheet/", calibrations.review_sheet, name="review_sheet"),
    path("measurements/<int:pk>/calibrate/", calibrations.calibrate, name="calibrate"),
    path("measurements/<int:pk>/application/", applications.store, name="application_store"),
    path("measurements/<int:pk>/application/link/", applications.send_link, name="application_link"),
    path("measurements/<int:pk>/issue/", decisions.issue, name="issue"),
    path("measurements/<int:pk>/refuse/", decisions.refuse, name="refuse"),
    path("compare/", comparisons.compare, name="compare"),
    path("compare/progress/", comparisons.progress, name="compare_progress"),
    path("compare/requests/<int:pk>/restart/", comparisons.restart, name="compare_restart"),
    path("sets/", sets.sets, name="sets"),
    path("sets/register/", sets.register, name="set_register"),
    path("sets/<int:pk>/", sets.one, name="set"),
    path("sets/<int:pk>/reveal/", sets.reveal, name="set_reveal"),
    path("sets/<int:pk>/leak/", sets.leak, name="set_leak"),
    path("cases/", cases.listed, name="cases"),
    path("cases/new/", cases.publish, name="case_new"),
    path("cases/sites/new/", cases.target, name="case_target"),
    re_path(rf"^cases/{_CASE}/$", cases.one, name="case"),
    re_path(rf"^cases/{_CASE}/variants/new/$", cases.variant, name="case_variant"),
    re_path(rf"^cases/{_CASE}/rubric/$", drafts.write, name="draft_new"),
    path("drafts/<int:pk>/", drafts.one, name="draft"),
    path("drafts/<int:pk>/edit/", drafts.edit, name="draft_edit"),
    path("drafts/<int:pk>/seal/", drafts.seal, name="draft_seal"),
    path("drafts/<int:pk>/discard/", drafts.discard, name="draft_discard"),
    path("series/", series.listed, name="series_list"),
    re_path(rf"^series/{_SERIES}/$", series.one, name="series"),
    re_path(rf"^series/{_SERIES}/rubric/$", series.rubric, name="series_rubric"),
    re_path(rf"^series/{_SERIES}/close/$", series.close, name="series_close"),
    re_path(rf"^series/{_SERIES}/reveal/$", series.reveal, name="series_reveal"),
    re_path(rf"^series/{_SERIES}/leak/$", series.leak, name="series_leak"),
    path("operators/", operators.listed, name="operators"),
    path("operators/admit/", operators.admit, name="operator_admit"),
    path("operators/invite/", operators.invite, name="operator_invite"),
    path("operators/<int:pk>/end/", operators.end, name="operator_end"),
    path("people/", people.listed, name="people"),
    path("people/invite/", people.invite, name="invite"),
    re_path(
        r"^people/invitations/(?P<pk>[0-9]{1,18})/(?P<step>renew|cancel)/$",
        people.invitation_step,
        name="invitation_step",
    ),
    re_path(
        r"^people/accounts/(?P<pk>[0-9]{1,18})/(?P<step>deactivate|reactivate)/$",
        people.account_step,
        name="account_step",
    ),
    re_path(r"^people/accounts/(?P<pk>[0-9]{1,18})/recover/$", recoveries.ask, name="recovery_ask"),
    path("people/recoveries/<int:pk>/", recoveries.case, name="recovery"),
    path("people/<int:pk>/", people.person, name="person"),
    path("audit/", audit.log, name="audit"),
    path("audit/file/", audit.export, name="audit_file"),
    path("interests/", interests.listed, name="interests"),
    path("interests/<int:pk>/end/", interests.end, name="interest_end"),
    path("people/<int:pk>/interests/", interests.of_person, name="interests_of"),
    re_path(
        rf"^people/(?P<pk>[0-9]{{1,18}})/roles/(?P<role>{_ROLE})/(?P<step>give|end)/$",
        people.role_step,
        name="role_step",
    ),
    path("mail/", mail.mail, name="mail"),
    path("mail/<int:pk>/", mail.letter, name="letter"),
    path("mail/<int:pk>/again/", mail.again, name="letter_again"),
    path("mail/<int:pk>/returned/", mail.returned, name="letter_returned"),
    path("mail/<int:pk>/settle/", mail.settle, name="letter_settle"),
    path("holders/<int:pk>/", holders.holder, name="holder"),
    path("holders/<int:pk>/link/", holder_accounts.link, name="holder_link"),
    path("holders/<int:pk>/invite/", holder_accounts.invite, name="holder_invite"),
    path("holders/<int:pk>/members/<int:member>/end/", holder_accounts.end, name="holder_end"),
    path("holders/<int:pk>/contact/", holder_accounts.contact, name="holder_contact"),
    path("holders/<int:pk>/contact/cancel/", holder_accounts.cancel_contact, name="holder_contact_cancel"),
    path("systems/<int:pk>/", holders.system, name="system"),
    re_path(rf"^applications/{_APPLICATION}/$", applications.application, name="application"),
    re_path(
        rf"^applications/{_APPLICATION}/inadmissible/$",
        applications.inadmissible,
        name="application_inadmissible",
    ),
    re_path(rf"^notices/{_NOTICE}/$", requests.notice, name="notice"),
    re_path(rf"^notices/{_NOTICE}/request/$", requests.store, name="notice_request"),
    path("requests/<int:pk>/", requests.act, name="request_act"),
    re_path(rf"^appeals/{_APPEAL}/$", appeals.appeal, name="appeal"),
    re_path(
        rf"^appeals/{_APPEAL}/attachments/(?P<position>[0-9]{{1,2}})/$",
        appeals.attachment,
        name="appeal_file",
    ),
    re_path(
        rf"^appeals/{_APPEAL}/(?P<step>admit|declare_inadmissible|decide)/$", appeals.take, name="appeal_step"
    ),
    path("reports/", reports.listed, name="reports"),
    re_path(rf"^reports/{_REPORT}/$", reports.report, name="report"),
    re_path(
        rf"^reports/{_REPORT}/attachments/(?P<position>[0-9]{{1,2}})/$",
        reports.attachment,
        name="report_file",
    ),
    re_path(rf"^reports/{_REPORT}/take_up/$", reports.take_up, name="report_take_up"),
    re_path(rf"^reports/{_REPORT}/(?P<step>decline|ask_holder|decide)/$", reports.take, name="report_step"),
    re_path(rf"^certificates/{_NUMBER}/$", certificates.certificate, name="certificate"),
    re_path(rf"^certificates/{_NUMBER}/request/$", certificates.request_of_holder, name="request"),
    re_path(rf"^certificates/{_NUMBER}/{_STEP}/$", decisions.decide, name="decide"),
    re_path(rf"^work/{_SUBJECT}/take/$", work.take, name="work_take"),
    re_path(rf"^work/{_SUBJECT}/release/$", work.release, name="work_release"),
    re_path(rf"^work/{_SUBJECT}/give/$", work.give, name="work_give"),
    re_path(rf"^work/{_SUBJECT}/note/$", work.note, name="work_note"),
    path("runs/", runs.runs, name="runs"),
    re_path(rf"^runs/{_RUN}/$", runs.run, name="run"),
    re_path(rf"^runs/{_RUN}/points/(?P<point>[a-z][a-z0-9_]{{0,39}})/$", runs.mark, name="run_mark"),
    re_path(rf"^runs/{_RUN}/finish/$", runs.finish, name="run_finish"),
    re_path(rf"^runs/{_RUN}/publish/$", runs.publish, name="run_publish"),
    re_path(rf"^runs/{_RUN}/(?P<step>invalidate|assist|withhold)/$", runs.outcome, name="run_outcome"),
]
