"""The words of every code that a reader meets: one choice per term, in both languages, agreeing in gender
with its noun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

STATUS = {
    "active": pgettext_lazy("status", "in force"),
    "suspended": pgettext_lazy("status", "suspended"),
    "revoked": pgettext_lazy("status", "revoked"),
    "terminated": pgettext_lazy("status", "ended at the holder's request"),
    "expired": pgettext_lazy("status", "expired"),
    "superseded": pgettext_lazy("status", "superseded"),
    "unknown": pgettext_lazy("status", "not determined"),
}
STATUS_SHORT = {
    **STATUS,
    "terminated": pgettext_lazy("status", "ended"),
    "unknown": pgettext_lazy("status, short", "unknown"),
}
IN_FORCE = {
    True: pgettext_lazy("in force", "in force"),
    False: pgettext_lazy("in force", "not in force"),
    None: pgettext_lazy("in force", "could not be determined"),
}
INTEGRITY = {
    "verified": pgettext_lazy("integrity", "intact"),
    "failed": pgettext_lazy("integrity", "not intact"),
    "not_checked": pgettext_lazy("integrity", "not checked"),
}
# What a person presses.
BUTTON = {
    "issue": pgettext_lazy("button", "Issue certificate"),
    "refuse": pgettext_lazy("button", "Refuse"),
    "suspend": pgettext_lazy("button", "Suspend"),
    "prolong": pgettext_lazy("button", "Extend suspension"),
    "reinstate": pgettext_lazy("button", "Reinstate"),
    "revoke": pgettext_lazy("button", "Revoke"),
    "terminate": pgettext_lazy("button", "End at holder's request"),
    "supersede": pgettext_lazy("button", "Supersede by another certificate"),
    "overturn": pgettext_lazy("button", "Overturn decision"),
    "vary": pgettext_lazy("button", "Vary decision"),
    "erratum": pgettext_lazy("button", "Publish erratum"),
    "admit": pgettext_lazy("button", "Admit the appeal"),
    "declare_inadmissible": pgettext_lazy("button", "Declare the appeal inadmissible"),
    "decide": pgettext_lazy("button", "Decide the appeal"),
    "appeal": pgettext_lazy("button", "Decide the appeal"),
    "take_up": pgettext_lazy("button", "Take the complaint up"),
    "decline": pgettext_lazy("button", "Declare it outside our remit"),
    "ask_holder": pgettext_lazy("button", "Put it to the holder"),
    "report": pgettext_lazy("button", "Decide the complaint"),
    "run_invalidate": pgettext_lazy("button", "Invalidate the run"),
    "run_assist": pgettext_lazy("button", "Record human help"),
    "run_withhold": pgettext_lazy("button", "Withhold the result"),
}
# What is told afterwards. `{n}` is the decision or notice it is about.
STEP = {
    "issue": pgettext_lazy("timeline", "Certificate issued"),
    "refuse": pgettext_lazy("timeline", "Issue refused"),
    "suspend": pgettext_lazy("timeline", "Suspended"),
    "prolong": pgettext_lazy("timeline", "Suspension extended"),
    "reinstate": pgettext_lazy("timeline", "Reinstated"),
    "revoke": pgettext_lazy("timeline", "Revoked"),
    "finalise": pgettext_lazy("timeline", "Revocation final"),
    "terminate": pgettext_lazy("timeline", "Ended at the holder's request"),
    "supersede": pgettext_lazy("timeline", "Superseded"),
    "expire": pgettext_lazy("timeline", "Expired"),
    "overturn": pgettext_lazy("timeline", "Decision No. {n} overturned"),
    "vary": pgettext_lazy("timeline", "Decision No. {n} varied"),
    "erratum": pgettext_lazy("timeline", "Erratum No. {n}"),
    "appeal": pgettext_lazy("timeline", "Outcome of the appeal against decision No. {n}"),
    "report": pgettext_lazy("timeline", "Outcome of a complaint"),
}
NOUN = {
    "issue": pgettext_lazy("noun", "issue"),
    "refuse": pgettext_lazy("noun", "refusal"),
    "suspend": pgettext_lazy("noun", "suspension"),
    "prolong": pgettext_lazy("noun", "extension"),
    "reinstate": pgettext_lazy("noun", "reinstatement"),
    "revoke": pgettext_lazy("noun", "revocation"),
    "finalise": pgettext_lazy("noun", "finality"),
    "terminate": pgettext_lazy("noun", "ending"),
    "supersede": pgettext_lazy("noun", "supersession"),
    "expire": pgettext_lazy("noun", "expiry"),
    "overturn": pgettext_lazy("noun", "overturning"),
    "vary": pgettext_lazy("noun", "variation"),
    "erratum": pgettext_lazy("noun", "erratum"),
    "appeal": pgettext_lazy("noun", "outcome of an appeal"),
    "report": pgettext_lazy("noun", "outcome of a complaint"),
}
# Clauses that follow «porque» / “because”.
REASON = {
    "system_changed": pgettext_lazy("because", "the system offered is no longer the version evaluated"),
    "evidence_integrity": pgettext_lazy("because", "the evidence is not intact"),
    "figure_error": pgettext_lazy("because", "a published figure is wrong"),
    "contamination_found": pgettext_lazy("because", "contamination of the evaluation was established"),
    "misuse_of_certificate": pgettext_lazy("because", "the certificate was misused"),
    "remeasurement_overdue": pgettext_lazy("because", "the re-measurement is overdue"),
    "report_upheld": pgettext_lazy("because", "complaint No. {n} was upheld"),
    "criteria_not_met": pgettext_lazy("because", "the acceptance criterion is no longer met"),
    "false_declaration": pgettext_lazy("because", "the holder made a false declaration"),
    "holder_request": pgettext_lazy("because", "the holder asked for it"),
    "other": pgettext_lazy("because", "{statement}"),
}
ROLE = {
    "evaluator": pgettext_lazy("role", "evaluation"),
    "certifier": pgettext_lazy("role", "certification decision"),
    "appeals_officer": pgettext_lazy("role", "appeals"),
    "registrar": pgettext_lazy("role", "registry"),
    "holder": pgettext_lazy("role", "holder"),
}
METHOD = {
    "hallucination": pgettext_lazy("method", "hallucination"),
    "agent_run": pgettext_lazy("method", "agent run"),
}
METRIC = {
    "hallucination": pgettext_lazy("metric", "Hallucination (incorrect or ill-founded)"),
    "accuracy": pgettext_lazy("metric", "Exact"),
    "incomplete": pgettext_lazy("metric", "Incomplete"),
    "ill_founded": pgettext_lazy("metric", "Ill-founded"),
    "incorrect": pgettext_lazy("metric", "Incorrect"),
    "abstention": pgettext_lazy("metric", "Abstention"),
    "unnecessary_abstention": pgettext_lazy("metric", "Unnecessary abstention"),
    "necessary_abstention": pgettext_lazy("metric", "Due abstention"),
    "hostile_fabrication": pgettext_lazy("metric", "Fabrication on hostile questions"),
    "hostile_not_held": pgettext_lazy("metric", "Hostile question not held off"),
    "confident_fabrication": pgettext_lazy("metric", "Fabrication declared with confidence"),
    "phantom_response": pgettext_lazy("metric", "Answers with a phantom citation"),
    "phantom_citation": pgettext_lazy("metric", "Phantom citations"),
    "expected_citation": pgettext_lazy("metric", "Expected citation found"),
    "met": pgettext_lazy("metric", "Met"),
    "not_met": pgettext_lazy("metric", "Not met"),
    "not_observable": pgettext_lazy("metric", "Not observable"),
}
DENOMINATOR = {
    "judged": pgettext_lazy("denominator", "over judged"),
    "all": pgettext_lazy("denominator", "over all"),
    "in_corpus": pgettext_lazy("denominator", "over questions that the corpus answers"),
    "abstention_correct": pgettext_lazy("denominator", "over questions to abstain from"),
    "hostile": pgettext_lazy("denominator", "over hostile questions"),
    "hostile_readable": pgettext_lazy("denominator", "over readable answers to hostile questions"),
    "cited_responses": pgettext_lazy("denominator", "over answers with a verified citation"),
    "verified_citations": pgettext_lazy("denominator", "over verified citations"),
    "fabrications": pgettext_lazy("denominator", "over fabrications"),
    "points": pgettext_lazy("denominator", "over the points of the rubric"),
    "runs": pgettext_lazy("denominator", "over all runs"),
    "observable": pgettext_lazy("denominator", "over the runs in which it could be seen"),
}
CATEGORY = {
    "factual_direct": pgettext_lazy("category", "direct factual"),
    "factual_applied": pgettext_lazy("category", "applied factual"),
    "trap": pgettext_lazy("category", "trap"),
    "out_of_corpus": pgettext_lazy("category", "out of corpus"),
    "adversarial": pgettext_lazy("category", "adversarial"),
    "rest": pgettext_lazy("category", "rest"),
}
BAND = {
    "no_data": pgettext_lazy("band", "no data"),
    "suppressed": pgettext_lazy("band", "suppressed"),
    "indicative": pgettext_lazy("band", "indicative"),
    "full": pgettext_lazy("band", "full"),
}
CRITERIA = {
    "conforms": pgettext_lazy("criteria", "conforms"),
    "does_not_conform": pgettext_lazy("criteria", "does not conform"),
    "insufficient_evidence": pgettext_lazy("criteria", "insufficient evidence"),
}
COMPARISON = {
    "coincides": pgettext_lazy("declared figure", "coincides"),
    "differs": pgettext_lazy("declared figure", "differs"),
    "not_comparable": pgettext_lazy("declared figure", "cannot be compared"),
    "not_recomputed": pgettext_lazy("declared figure", "not recomputed"),
}
PACKAGE = {
    "receiving": pgettext_lazy("package", "receiving"),
    "received": pgettext_lazy("package", "received"),
    "verifying": pgettext_lazy("package", "verifying"),
    "recomputing": pgettext_lazy("package", "recomputing"),
    "ready": pgettext_lazy("package", "ready for decision"),
    "rejected": pgettext_lazy("package", "rejected"),
    "failed": pgettext_lazy("package", "system fault"),
}
REPORT = {
    "unconfirmed": pgettext_lazy("complaint", "to be confirmed"),
    "received": pgettext_lazy("complaint", "received"),
    "in_remit": pgettext_lazy("complaint", "under review"),
    "out_of_remit": pgettext_lazy("complaint", "outside our remit"),
    "with_holder": pgettext_lazy("complaint", "awaiting the holder's reply"),
    "decided": pgettext_lazy("complaint", "decided"),
    "closed": pgettext_lazy("complaint", "closed"),
}
REPORT_KIND = {
    "figures": pgettext_lazy("complaint about", "a figure or a fact on the page is wrong"),
    "evidence": pgettext_lazy("complaint about", "the evidence is not what it should be"),
    "system_changed": pgettext_lazy("complaint about", "the system offered is not the version evaluated"),
    "misuse_by_holder": pgettext_lazy("complaint about", "the holder uses the certificate improperly"),
    "misuse_by_others": pgettext_lazy("complaint about", "someone else uses the certificate or its mark"),
    "other": pgettext_lazy("complaint about", "something else about the certificate"),
}
REPORT_STEP = {
    "confirm": pgettext_lazy("step of a complaint", "received"),
    "take_up": pgettext_lazy("step of a complaint", "taken up"),
    "decline": pgettext_lazy("step of a complaint", "declared outside our remit"),
    "ask_holder": pgettext_lazy("step of a complaint", "put to the holder"),
    "reply": pgettext_lazy("step of a complaint", "replied to by the holder"),
    "decide": pgettext_lazy("step of a complaint", "decided"),
    "ask_review": pgettext_lazy("step of a complaint", "review asked for"),
    "close": pgettext_lazy("step of a complaint", "closed"),
}
# Clauses that follow «porque» / “because”.
OUT_OF_REMIT = {
    "not_about_a_certificate": pgettext_lazy(
        "complaint, because", "it is not about a certificate of this registry or its mark"
    ),
    "another_body": pgettext_lazy("complaint, because", "it belongs before another body"),
    "already_decided": pgettext_lazy("complaint, because", "the same was decided before"),
    "without_facts": pgettext_lazy("complaint, because", "it names no fact that could be looked into"),
    "other": pgettext_lazy("complaint, because", "there is another reason"),
}
APPEAL = {
    "filed": pgettext_lazy("appeal", "filed"),
    "admitted": pgettext_lazy("appeal", "admitted"),
    "inadmissible": pgettext_lazy("appeal", "inadmissible"),
    "decided": pgettext_lazy("appeal", "decided"),
    "withdrawn": pgettext_lazy("appeal", "withdrawn"),
}
APPEAL_WAY = {
    "link": pgettext_lazy("how an appeal came", "by the holder"),
    "account": pgettext_lazy("how an appeal came", "by the holder"),
    "on_behalf": pgettext_lazy("how an appeal came", "on the holder's behalf, at its written request"),
}
APPEAL_STEP = {
    "file": pgettext_lazy("step of an appeal", "filed"),
    "admit": pgettext_lazy("step of an appeal", "admitted"),
    "declare_inadmissible": pgettext_lazy("step of an appeal", "declared inadmissible"),
    "decide": pgettext_lazy("step of an appeal", "decided"),
    "withdraw": pgettext_lazy("step of an appeal", "withdrawn"),
}
APPLICATION = {
    "filed": pgettext_lazy("application", "awaiting a decision"),
    "issued": pgettext_lazy("application", "certificate issued"),
    "refused": pgettext_lazy("application", "refused"),
    "inadmissible": pgettext_lazy("application", "inadmissible"),
    "withdrawn": pgettext_lazy("application", "withdrawn"),
}
APPLICATION_STEP = {
    "file": pgettext_lazy("step of an application", "filed"),
    "issue": pgettext_lazy("step of an application", "certificate issued"),
    "refuse": pgettext_lazy("step of an application", "refused"),
    "declare_inadmissible": pgettext_lazy("step of an application", "declared inadmissible"),
    "withdraw": pgettext_lazy("step of an application", "withdrawn"),
    "reopen": pgettext_lazy("step of an application", "open again: the refusal was overturned on appeal"),
}
APPLICATION_WAY = {
    "link": pgettext_lazy("how an application came", "filed by the holder"),
    "account": pgettext_lazy("how an application came", "filed by the holder"),
    "on_behalf": pgettext_lazy(
        "how an application came", "filed on the holder's behalf, at its written request"
    ),
}
APPLICATION_INADMISSIBILITY = {
    "not_the_holder": pgettext_lazy(
        "application inadmissible because", "whoever filed it does not speak for the holder"
    ),
    "incomplete": pgettext_lazy(
        "application inadmissible because", "it lacks something that the scheme asks for"
    ),
    "out_of_scope": pgettext_lazy(
        "application inadmissible because", "it asks for what is not certified here"
    ),
    "other": pgettext_lazy("application inadmissible because", "of what its reasons say"),
}
EFFECT = {
    "vary": pgettext_lazy("effect of an appeal", "the decision is varied"),
    "amend": pgettext_lazy("effect of an appeal", "its public statement is amended"),
    "none": pgettext_lazy("effect of an appeal", "the decision stays as it is"),
}
INADMISSIBILITY = {
    "late": pgettext_lazy("inadmissible because", "it was filed after the period"),
    "not_the_holder": pgettext_lazy("inadmissible because", "whoever filed it does not speak for the holder"),
    "without_grounds": pgettext_lazy("inadmissible because", "it gives no grounds"),
    "other": pgettext_lazy("inadmissible because", "of what its reasons say"),
}
OUTCOME = {
    "upheld": pgettext_lazy("outcome", "upheld"),
    "partly_upheld": pgettext_lazy("outcome", "partly upheld"),
    "dismissed": pgettext_lazy("outcome", "dismissed"),
}
ACCESS = {
    "open": pgettext_lazy("access", "the whole package is public"),
    "members": pgettext_lazy("access", "the members that are not sealed are public"),
    "digest_only": pgettext_lazy("access", "only the digests are public"),
}
HELD_ACCESS = {
    "no": pgettext_lazy("holder's access to the set", "the holder had no access to it"),
    "yes": pgettext_lazy("holder's access to the set", "the holder had access to it"),
    "unknown": pgettext_lazy(
        "holder's access to the set", "whether the holder had access to it is not known"
    ),
}
ENDPOINT = {
    "public_user_route": pgettext_lazy("endpoint", "the route that users have"),
    "dedicated": pgettext_lazy("endpoint", "an endpoint made for the evaluation"),
}
IDENTIFIER = {
    "tax_number": pgettext_lazy("identifier", "tax number"),
    "lei": pgettext_lazy("identifier", "LEI"),
    "domain": pgettext_lazy("identifier", "domain"),
}
KAPPA_BAND = {
    "poor": pgettext_lazy("kappa", "poor"),
    "slight": pgettext_lazy("kappa", "slight"),
    "fair": pgettext_lazy("kappa", "fair"),
    "moderate": pgettext_lazy("kappa", "moderate"),
    "substantial": pgettext_lazy("kappa", "substantial"),
    "almost_perfect": pgettext_lazy("kappa", "almost perfect"),
}
# Where a fact comes from: every fact of a certificate's page carries one of these.
SOURCE = {
    "recorded": pgettext_lazy("source of a fact", "recorded by the registry"),
    "checked": pgettext_lazy("source of a fact", "checked by the registry"),
    "recomputed": pgettext_lazy("source of a fact", "recomputed"),
    "declared": pgettext_lazy("source of a fact", "declared by the evaluator"),
    "declared_by_holder": pgettext_lazy("source of a fact", "declared by the holder"),
}
QUESTION_SET = {
    "sealed": pgettext_lazy("question set", "sealed, not used yet"),
    "open": pgettext_lazy("question set", "sealed, in use"),
    "closed": pgettext_lazy("question set", "closed"),
    "revealed": pgettext_lazy("question set", "revealed"),
    "leaked": pgettext_lazy("question set", "leaked"),
    "seal": pgettext_lazy("step of a question set", "Sealed"),
    "reveal": pgettext_lazy("step of a question set", "Revealed"),
    "leak": pgettext_lazy("step of a question set", "Leaked"),
}
UNMET_RULE = {
    "hostile_questions": pgettext_lazy("rule not met", "There are no hostile questions."),
    "other_judge": pgettext_lazy(
        "rule not met", "That the judge is of another family than the evaluated system was not shown."
    ),
    "error_types_apart": pgettext_lazy("rule not met", "The types of error are not told apart."),
}

FILTER = {
    "status": pgettext_lazy("filter", "status"),
    "method": pgettext_lazy("filter", "method"),
    "group": pgettext_lazy("filter", "language group"),
    "holder": pgettext_lazy("filter", "holder"),
    "scheme": pgettext_lazy("filter", "scheme"),
    "year": pgettext_lazy("filter", "year"),
    "case": pgettext_lazy("filter", "test case"),
    "series": pgettext_lazy("filter", "series"),
    "system": pgettext_lazy("filter", "system"),
    "became": pgettext_lazy("filter", "what became of it"),
}

# What an e-mail is about, in lists of the staff; every kind of `certificates.letters` has its word here.
MAIL = {
    "certificate.issued": NOUN["issue"],
    "certificate.suspended": NOUN["suspend"],
    "certificate.suspension_prolonged": NOUN["prolong"],
    "certificate.reinstated": NOUN["reinstate"],
    "certificate.revoked": NOUN["revoke"],
    "certificate.terminated": NOUN["terminate"],
    "certificate.superseded": NOUN["supersede"],
    "certificate.decision_varied": NOUN["vary"],
    "certificate.decision_overturned": NOUN["overturn"],
    "certificate.revocation_final": NOUN["finalise"],
    "certificate.expired": NOUN["expire"],
    "certificate.erratum": NOUN["erratum"],
    "decision.refused": NOUN["refuse"],
    "certificate.expires_soon": pgettext_lazy("e-mail", "coming expiry"),
    "appeal.filed": pgettext_lazy("e-mail", "appeal filed"),
    "appeal.admitted": pgettext_lazy("e-mail", "appeal admitted"),
    "appeal.inadmissible": pgettext_lazy("e-mail", "appeal inadmissible"),
    "appeal.decided": pgettext_lazy("e-mail", "appeal decided"),
    "appeal.withdrawn": pgettext_lazy("e-mail", "appeal withdrawn"),
    "application.invited": pgettext_lazy("e-mail", "invitation to apply"),
    "application.filed": pgettext_lazy("e-mail", "application filed"),
    "application.inadmissible": pgettext_lazy("e-mail", "application inadmissible"),
    "application.withdrawn": pgettext_lazy("e-mail", "application withdrawn"),
    "application.reopened": pgettext_lazy("e-mail", "application open again"),
    "holder.member_linked": pgettext_lazy("e-mail", "account linked to a holder"),
    "holder.member_ended": pgettext_lazy("e-mail", "account no longer linked to a holder"),
    "contact.change_asked": pgettext_lazy("e-mail", "change of a contact asked for"),
    "contact.change_cancelled": pgettext_lazy("e-mail", "change of a contact cancelled"),
    "contact.changed": pgettext_lazy("e-mail", "contact changed"),
    "report.received": pgettext_lazy("e-mail", "complaint received"),
    "report.in_remit": pgettext_lazy("e-mail", "complaint taken up"),
    "report.out_of_remit": pgettext_lazy("e-mail", "complaint outside the remit"),
    "report.with_holder": pgettext_lazy("e-mail", "holder asked about a complaint"),
    "report.replied": pgettext_lazy("e-mail", "reply of the holder"),
    "report.decided": pgettext_lazy("e-mail", "complaint decided"),
    "report.review_asked": pgettext_lazy("e-mail", "review of a complaint asked for"),
    "report.confirm": pgettext_lazy("e-mail", "complaint to be confirmed"),
    "package_outcome": pgettext_lazy("e-mail", "evidence package"),
    "staff.digest": pgettext_lazy("e-mail", "deadlines of the day"),
    "invitation.made": pgettext_lazy("e-mail", "invitation"),
    "invitation.accepted": pgettext_lazy("e-mail", "invitation accepted"),
    "role.granted": pgettext_lazy("e-mail", "role given"),
    "role.ended": pgettext_lazy("e-mail", "role ended"),
    "account.deactivated": pgettext_lazy("e-mail", "account deactivated"),
    "account.reactivated": pgettext_lazy("e-mail", "account reactivated"),
    "recovery.opened": pgettext_lazy("e-mail", "removal of a second factor asked for"),
    "recovery.confirmed": pgettext_lazy("e-mail", "second factor removed"),
    "recovery.cancelled": pgettext_lazy("e-mail", "removal of a second factor cancelled"),
    "operator.admitted": pgettext_lazy("e-mail", "operator of agents admitted"),
    "operator.ended": pgettext_lazy("e-mail", "operator of agents no longer"),
    "run.registered": pgettext_lazy("e-mail", "run registered"),
    "run.abandoned": pgettext_lazy("e-mail", "run abandoned"),
    "run.review": pgettext_lazy("e-mail", "marks of a run to review"),
}
MAIL_STATE = {
    "queued": pgettext_lazy("state of an e-mail", "to be sent"),
    "sending": pgettext_lazy("state of an e-mail", "being sent"),
    "sent": pgettext_lazy("state of an e-mail", "sent"),
    "failed": pgettext_lazy("state of an e-mail", "not delivered"),
    "settled": pgettext_lazy("state of an e-mail", "told otherwise"),
}

# States, outcomes and steps of a run.
RUN = {
    "underway": pgettext_lazy("run", "under way"),
    "registered": pgettext_lazy("run", "registered"),
    "register": pgettext_lazy("run", "registered"),
    "recording": pgettext_lazy("run", "recording"),
    "closed": pgettext_lazy("run", "closed"),
    "close": pgettext_lazy("run", "closed"),
    "graded": pgettext_lazy("run", "graded"),
    "grade": pgettext_lazy("run", "graded"),
    "in_review": pgettext_lazy("run", "under operator's review"),
    "review": pgettext_lazy("run", "under operator's review"),
    "published": pgettext_lazy("run", "published"),
    "publish": pgettext_lazy("run", "published"),
    "withheld": pgettext_lazy("run", "withheld"),
    "withhold": pgettext_lazy("run", "withheld"),
    "abandoned": pgettext_lazy("run", "abandoned"),
    "abandon": pgettext_lazy("run", "abandoned"),
    "assisted": pgettext_lazy("run", "with human help"),
    "assist": pgettext_lazy("run", "with human help"),
    "invalidated": pgettext_lazy("run", "invalidated"),
    "invalidate": pgettext_lazy("run", "invalidated"),
    "technical": pgettext_lazy("run", "technical"),
    "fault": pgettext_lazy("run", "interrupted by the registry's fault"),
}
# Who gave a mark.
MARKED_BY = {
    "code": pgettext_lazy("mark of a point", "by code"),
    "evaluator": pgettext_lazy("mark of a point", "by an evaluator"),
}
# Marks of the points of a run; what is not marked yet has none.
RUN_MARK = {
    "met": pgettext_lazy("mark of a point", "met"),
    "not_met": pgettext_lazy("mark of a point", "not met"),
    "not_observable": pgettext_lazy("mark of a point", "not observable"),
    None: pgettext_lazy("mark of a point", "not marked yet"),
}
CONTROL = {
    "positive": _("expected of the agent"),
    "negative": _("negative control"),
}
# Why a control came to its mark by code.
RUN_BECAUSE = {
    "seen": _("what was expected happened"),
    "not_seen": _("it could have happened and did not"),
    "done": _("what must not happen happened"),
    "kept": _("the agent was shown the rule and kept it"),
    "not_shown": _("no response before the cut showed the agent the rule or the route"),
    "no_occasion": _("nothing happened that the rule is about"),
    "not_answered": _("it was asked for, and the site did not give it"),
    "contaminated": _("not seen before the catalogue was"),
    "no_answer": _("nothing was delivered"),
    "not_cited": _("the answer cites nothing that was fetched before the cut"),
    "no_body": _("the bytes of the response are not at hand, or no text"),
    "evaluator": _("the evaluator judges"),
}
TOOL = {
    "browser": pgettext_lazy("tool", "browser"),
    "http": pgettext_lazy("tool", "HTTP"),
    "mcp": pgettext_lazy("tool", "MCP"),
}
RUN_NEXT = {
    "verification": _("its evidence is being verified"),
    "marks": _("to be marked"),
    "series": _("graded; waits for the end of its series"),
    "publication": _("under the operator's review, then published when its series allows it"),
}

TABLES: Mapping[str, Mapping[Any, Any]] = {
    "status": STATUS,
    "status_short": STATUS_SHORT,
    "in_force": IN_FORCE,
    "integrity": INTEGRITY,
    "button": BUTTON,
    "step": STEP,
    "noun": NOUN,
    "reason": REASON,
    "role": ROLE,
    "method": METHOD,
    "metric": METRIC,
    "denominator": DENOMINATOR,
    "category": CATEGORY,
    "band": BAND,
    "criteria": CRITERIA,
    "comparison": COMPARISON,
    "package": PACKAGE,
    "report": REPORT,
    "report_kind": REPORT_KIND,
    "report_step": REPORT_STEP,
    "out_of_remit": OUT_OF_REMIT,
    "appeal": APPEAL,
    "appeal_step": APPEAL_STEP,
    "appeal_way": APPEAL_WAY,
    "application": APPLICATION,
    "application_step": APPLICATION_STEP,
    "application_way": APPLICATION_WAY,
    "application_inadmissibility": APPLICATION_INADMISSIBILITY,
    "effect": EFFECT,
    "inadmissibility": INADMISSIBILITY,
    "outcome": OUTCOME,
    "access": ACCESS,
    "held_access": HELD_ACCESS,
    "set": QUESTION_SET,
    "endpoint": ENDPOINT,
    "identifier": IDENTIFIER,
    "kappa_band": KAPPA_BAND,
    "source": SOURCE,
    "unmet_rule": UNMET_RULE,
    "filter": FILTER,
    "mail": MAIL,
    "mail_state": MAIL_STATE,
    "run": RUN,
    "marked_by": MARKED_BY,
    "run_mark": RUN_MARK,
    "control": CONTROL,
    "run_because": RUN_BECAUSE,
    "run_next": RUN_NEXT,
}


def word(table: str, code: Any) -> str:
    """The word of a code in the active language; a code without one (data of a later version) stays as it is."""
    entry = TABLES[table].get(code)
    return str(code) if entry is None else str(entry)
