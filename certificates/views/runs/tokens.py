"""API tokens of somebody who holds no role: made, shown once, revoked."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from certificates.run_forms import TokenForm
from certificates.views.runs.area import Area, runs_page, show
from registry_site import tokens as api_tokens


@require_http_methods(["GET", "HEAD", "POST"])
@runs_page
def tokens(request: HttpRequest, area: Area) -> HttpResponse:
    form = TokenForm(request.POST or None)
    made = ""
    if request.method == "POST" and form.is_valid():
        made = api_tokens.grant_own(area.user, label=form.cleaned_data["label"], at=area.now)
        form = TokenForm()
    return show(
        request,
        area,
        "tokens",
        here="tokens",
        form=form,
        made=made,
        living=api_tokens.own(area.user, at=area.now),
        status=422 if form.errors else 200,
    )


@require_POST
@runs_page
def revoke(request: HttpRequest, area: Area, pk: int) -> HttpResponse:
    row = api_tokens.own(area.user, at=area.now).filter(pk=pk).first()
    if row is None:
        raise Http404
    api_tokens.revoke(row, by=area.person, at=area.now)
    messages.success(request, _("The token is revoked: it opens nothing any more."))
    return HttpResponseRedirect(reverse("runs:tokens"))
