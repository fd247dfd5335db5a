"""The holder's area, under /holder/: the language is the person's choice, not part of the address."""

from django.urls import path

from certificates.views.holder import appeals, complaints, contact, decisions, home, packages

app_name = "holder"

urlpatterns = [
    path("", home.choose, name="choose"),
    path("<int:pk>/", home.home, name="home"),
    path("<int:pk>/packages/", packages.packages, name="packages"),
    path("<int:pk>/packages/<int:package>/", packages.package, name="package"),
    path("<int:pk>/decisions/", decisions.decisions, name="decisions"),
    path("<int:pk>/decisions/<str:number>/appeal/", decisions.appeal, name="file_appeal"),
    path("<int:pk>/appeals/<str:number>/", appeals.appeal, name="appeal"),
    path("<int:pk>/appeals/<str:number>/withdraw/", appeals.withdraw, name="withdraw_appeal"),
    path("<int:pk>/complaints/", complaints.complaints, name="complaints"),
    path("<int:pk>/complaints/<str:number>/reply/", complaints.reply, name="reply"),
    path("<int:pk>/contact/", contact.contact, name="contact"),
    path("<int:pk>/contact/cancel/", contact.cancel, name="cancel_contact"),
]
