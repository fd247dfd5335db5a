"""All of /api/v1/, on one page."""

from django.urls import path, re_path

from certificates.api import (
    appeals,
    applications,
    calibrations,
    cases,
    comparisons,
    deciding,
    evidence,
    reading,
    reference,
    reports,
    sets,
)
from grading.api import schemes
from registry_site.api import NoSuchAddress

urlpatterns = [
    path("", reference.root),
    path("docs/", reference.Docs.as_view()),
    path("openapi.json", reference.OpenApi.as_view()),
    path("openapi.yaml", reference.OpenApiYaml.as_view()),
    path("certificates/", deciding.Certificates.as_view()),
    path("certificates/<str:number>/", reading.OneCertificate.as_view()),
    path("certificates/<str:number>/status/", reading.CertificateStatus.as_view()),
    path("certificates/<str:number>/history/", reading.CertificateHistory.as_view()),
    path("certificates/<str:number>/figures/", reading.CertificateFigures.as_view()),
    path("certificates/<str:number>/evidence/", reading.CertificateEvidence.as_view()),
    path("certificates/<str:number>/suspend/", deciding.SuspendCertificate.as_view()),
    path("certificates/<str:number>/prolong/", deciding.ProlongCertificate.as_view()),
    path("certificates/<str:number>/reinstate/", deciding.ReinstateCertificate.as_view()),
    path("certificates/<str:number>/revoke/", deciding.RevokeCertificate.as_view()),
    path("certificates/<str:number>/terminate/", deciding.TerminateCertificate.as_view()),
    path("certificates/<str:number>/supersede/", deciding.SupersedeCertificate.as_view()),
    path("certificates/<str:number>/erratum/", deciding.ErratumOnCertificate.as_view()),
    path("refusals/", deciding.Refuse.as_view()),
    path("measurements/<int:measurement>/", reading.OneMeasurement.as_view()),
    path("measurements/<int:measurement>/calibrations/", calibrations.Calibrations.as_view()),
    path("comparisons/", comparisons.Comparisons.as_view()),
    path("notices/<str:number>/", reading.OneNotice.as_view()),
    path("sets/<str:sha256>/", sets.OneSet.as_view()),
    path("cases/", cases.Cases.as_view()),
    path("cases/<str:code>/", cases.OneCase.as_view()),
    path("series/<str:code>/", cases.OneSeries.as_view()),
    path("appeals/<str:number>/", appeals.OneAppeal.as_view()),
    path("appeals/<str:number>/admit/", appeals.AdmitAppeal.as_view()),
    path("appeals/<str:number>/inadmissible/", appeals.DeclareAppealInadmissible.as_view()),
    path("appeals/<str:number>/decide/", appeals.DecideAppeal.as_view()),
    path("applications/", applications.Applications.as_view()),
    path("applications/<str:number>/", applications.OneApplication.as_view()),
    path("reports/", reports.Reports.as_view()),
    path("reports/<str:number>/", reports.OneReport.as_view()),
    path("schemes/", schemes.Schemes.as_view()),
    path("schemes/<str:scheme>/", schemes.OneScheme.as_view()),
    path("lookup/<str:sha256>/", reading.Lookup.as_view()),
    path("evidence/", evidence.HandInEvidence.as_view()),
    path("evidence/<str:sha256>/", evidence.Evidence.as_view()),
    # Last: whatever is left is a problem document, never a page.
    re_path(r"^.*$", NoSuchAddress.as_view()),
]
