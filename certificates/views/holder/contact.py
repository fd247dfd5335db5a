"""Where the letters to a holder go: shown, and a change asked for or cancelled by its own people."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from certificates.views.holder.area import Area, holder_page, show
from evidence import contacts, memberships
from evidence.forms import ContactForm
from registry_site.problems import Refusal


@require_http_methods(["GET", "HEAD", "POST"])
@holder_page
def contact(request: HttpRequest, area: Area) -> HttpResponse:
    holder = area.holder
    form = ContactForm(request.POST or None, initial={"language": holder.contact_language})
    if request.method == "POST" and form.is_valid():
        try:
            contacts.ask(holder, by=area.person, at=area.now, **form.cleaned_data)
        except Refusal as told:
            named = told.extra.get("field")
            form.add_error(named if named in form.fields else None, str(told.detail))
        else:
            messages.success(request, _("The change takes effect in 72 hours; both addresses are told now."))
            return HttpResponseRedirect(reverse("holder:contact", args=[holder.pk]))
    return show(
        request,
        area,
        "contact",
        here="contact",
        form=form,
        pending=contacts.pending(holder),
        accounts=memberships.accounts_of(holder).select_related("person").order_by("person__name", "pk"),
        status=422 if form.errors else 200,
    )


@require_POST
@holder_page
def cancel(request: HttpRequest, area: Area) -> HttpResponse:
    waiting = contacts.pending(area.holder)
    if waiting is not None:
        contacts.cancel(waiting, by=area.person, at=area.now)
        messages.success(request, _("The change of contact is cancelled."))
    return HttpResponseRedirect(reverse("holder:contact", args=[area.holder.pk]))
