"""A form that is previewed, then signed: nothing is kept in between, and only what was seen is signed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from certificates.views.staff import seals
from certificates.views.staff.desk import Desk, show
from registry_site.problems import Refusal

_NOT_WRITTEN = frozenset({"csrfmiddlewaretoken", "action", "seal"})


@dataclass(slots=True)
class Signing:
    """What is written, how it is previewed, and what signing it does."""

    kind: str  # of the seal: one sort of preview does not pass for another
    here: str  # the link of the navigation
    form_template: str
    preview_template: str
    form: Callable[[Any], Any]  # posted data or None → the form
    seen: Callable[[Any], Any]  # a valid form → what its preview shows, as JSON
    act: Callable[[Any], str]  # a valid form → the step, taken; the address to go on to
    done: str
    back: str
    preview: Callable[[Any], dict[str, Any]] = field(default=lambda _form: {})
    refusal: Refusal | None = None
    context: dict[str, Any] = field(default_factory=dict)


def answer(request: HttpRequest, desk: Desk, signing: Signing) -> HttpResponse:
    def page(template: str, form: Any, *, status: int = 200, **more: Any) -> HttpResponse:
        facts = {"form": form, "address": request.path, "back": signing.back, "refusal": signing.refusal}
        return show(
            request, desk, template, here=signing.here, status=status, **facts, **signing.context, **more
        )

    if signing.refusal is not None:
        if request.method == "POST":
            raise signing.refusal
        return page(signing.form_template, None)
    if request.method == "GET":
        return page(signing.form_template, signing.form(None))
    action = request.POST.get("action", "")
    form = signing.form(request.POST)
    again = form.changed(action) if hasattr(form, "changed") else None
    if again is not None:
        return page(signing.form_template, again)
    if not form.is_valid() or action == "edit":
        return page(signing.form_template, form, status=200 if action == "edit" else 422)
    seen = [request.path, desk.person.pk, signing.seen(form)]
    try:
        if action == "sign" and seals.holds(request, seen, kind=signing.kind):
            address = signing.act(form)
            messages.success(request, signing.done)
            return HttpResponseRedirect(address)
        shown = signing.preview(form)
    except Refusal as told:
        tell(form, told)
        return page(signing.form_template, form, status=int(told.status))
    written = [
        (name, value)
        for name in request.POST
        if name not in _NOT_WRITTEN
        for value in request.POST.getlist(name)
    ]
    return page(
        signing.preview_template, form, written=written, seal=seals.put(seen, kind=signing.kind), **shown
    )


def tell(form: Any, refusal: Refusal) -> None:
    """Say a refusal where it was written: at its fields, where it names them, else above the form."""
    faults = getattr(refusal, "faults", ())
    if faults and hasattr(form, "tell"):
        form.tell(faults)
        return
    named = str(refusal.extra.get("field", ""))
    words = str(refusal.detail)
    form.add_error(named if named in form.fields else None, words)
