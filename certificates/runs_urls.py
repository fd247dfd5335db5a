"""The area of operators of agent runs, under /runs/: the language is the person's choice, not part of the address."""

from django.urls import path

from certificates.views.runs import closing, listing, live, registering, review, tokens

app_name = "runs"

urlpatterns = [
    path("", listing.listed, name="list"),
    path("new/", registering.register, name="new"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    path("<str:number>/", live.run, name="run"),
    path("<str:number>/live/", live.live, name="live"),
    path("<str:number>/secrets/", registering.renew, name="renew"),
    path("<str:number>/review/", review.review, name="review"),
    path("<str:number>/close/", closing.close, name="close"),
]
