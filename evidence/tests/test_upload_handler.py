"""A multipart body goes straight into a part file, and is checked before its file begins."""

import hashlib
import io

import pytest
from django.middleware.csrf import get_token
from django.test import RequestFactory

from evidence import intake, storage, upload_handler
from evidence.models import EvidencePackage, PackageState
from evidence.tests import people
from registry_site import clock
from registry_site.problems import NotAllowed

DATA = b"PK\x03\x04" + bytes(range(256)) * 8000
SHA256 = hashlib.sha256(DATA).hexdigest()
BOUNDARY = "----frontera"


def field(name, value):
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()


def file_field(data=DATA, name="file", filename="paquete.zip"):
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n'
    return head.encode() + b"Content-Type: application/zip\r\n\r\n" + data + b"\r\n"


def request_with(*parts, by, arrives=None, **extra):
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    request = RequestFactory().generic(
        "POST",
        "/upload/",
        body,
        content_type=f"multipart/form-data; boundary={BOUNDARY}",
        **extra,
    )
    if arrives is not None:
        request._stream._read = io.BytesIO(body[:arrives]).read
    request.user = by
    return request


def receive(request, **options):
    return upload_handler.receive(request, by=request.user, at=clock.now(), **options)


def files_of(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def evaluator(db):
    return people.an_evaluator()


@pytest.mark.parametrize("sha256_comes_first", [True, False])
def test_the_file_of_a_body_becomes_a_package(evaluator, evidence_folder, sha256_comes_first):
    parts = [field("sha256", SHA256), file_field(), field("note", "hola")]
    upload = receive(request_with(*(parts if sha256_comes_first else reversed(parts)), by=evaluator))
    assert upload.created
    assert upload.fields["note"] == "hola"
    package = upload.package
    assert (package.state, package.sha256, package.declared_sha256) == (PackageState.RECEIVED, SHA256, SHA256)
    assert package.filename == "paquete.zip"
    assert files_of(evidence_folder) == [SHA256]

    again = receive(request_with(*parts, by=evaluator))
    assert not again.created
    assert again.package == package


def test_a_body_that_ends_early_is_a_cut_upload(evaluator, evidence_folder):
    with pytest.raises(intake.ConnectionCut):
        receive(request_with(file_field(), by=evaluator, arrives=len(DATA) // 2))
    package = EvidencePackage.objects.get()
    assert package.state == PackageState.RECEIVING
    assert 0 < package.received_bytes < len(DATA)
    assert DATA.startswith((evidence_folder / "parts" / package.part).read_bytes())


def test_a_body_without_its_last_boundary_is_malformed_and_keeps_nothing(evaluator, evidence_folder):
    """Its length is the announced one: whoever sent it, or a proxy between, cut it and counted again."""
    whole = request_with(file_field(), by=evaluator)
    for kept in (len(whole.body) - 10, len(whole.body) - len(BOUNDARY) - 500):
        request = RequestFactory().generic(
            "POST", "/upload/", whole.body[:kept], content_type=whole.headers["Content-Type"]
        )
        request.user = evaluator
        with pytest.raises(upload_handler.MalformedUpload):
            receive(request)
    assert files_of(evidence_folder) == []
    assert not EvidencePackage.objects.exists()


@pytest.mark.parametrize("charset", ["bogus", "rot13", "utf-16"])
def test_a_file_name_in_a_charset_that_reads_no_text_is_no_error_of_ours(evaluator, charset):
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename*={charset}''a%ffb.zip\r\n\r\n"
    try:
        receive(request_with(head.encode() + DATA + b"\r\n", by=evaluator))
    except upload_handler.MalformedUpload:
        assert not EvidencePackage.objects.exists()


def test_a_connection_that_breaks_is_a_cut_upload(evaluator):
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise ConnectionResetError

    request = request_with(file_field(), by=evaluator)
    request._stream._read = Broken().read
    with pytest.raises(intake.ConnectionCut):
        receive(request)


@pytest.mark.parametrize(
    "parts",
    [
        [field("sha256", SHA256)],
        [file_field(name="archivo")],
        [file_field(), file_field(filename="otro.zip")],
        [field("file", "not a file")],
    ],
    ids=["no file", "another field", "two files", "a text"],
)
def test_a_body_without_exactly_one_file_is_malformed_and_keeps_nothing(evaluator, parts, evidence_folder):
    with pytest.raises(upload_handler.MalformedUpload):
        receive(request_with(*parts, by=evaluator))
    assert not EvidencePackage.objects.exists()
    assert not evidence_folder.is_dir() or files_of(evidence_folder) == []


def test_a_body_of_unknown_length_is_refused(evaluator):
    request = request_with(file_field(), by=evaluator)
    request.META["CONTENT_LENGTH"] = ""
    with pytest.raises(upload_handler.LengthRequired):
        receive(request)


def test_another_kind_of_body_is_refused(evaluator):
    request = RequestFactory().post("/upload/", DATA, content_type="application/zip")
    request.user = evaluator
    with pytest.raises(upload_handler.MalformedUpload):
        receive(request)


@pytest.mark.parametrize("refusal", [NotAllowed, intake.TooLarge, storage.StorageFull])
def test_what_can_be_known_before_is_refused_before_a_byte_is_read(evaluator, settings, refusal):
    if refusal is intake.TooLarge:
        settings.EVIDENCE_MAX_UPLOAD_BYTES = 1000
    elif refusal is storage.StorageFull:
        settings.EVIDENCE_FREE_BYTES = 2**62
    request = request_with(file_field(), by=people.a_certifier() if refusal is NotAllowed else evaluator)
    with pytest.raises(refusal):
        receive(request)
    assert not request._read_started


def test_a_wrongly_written_sha256_after_the_file_keeps_nothing(evaluator, evidence_folder):
    with pytest.raises(intake.InvalidDigest):
        receive(request_with(file_field(), field("sha256", "123"), by=evaluator))
    assert not EvidencePackage.objects.exists()
    assert files_of(evidence_folder) == []


# ── forged forms ─────────────────────────────────────────────────────────────
def form(evaluator, *parts, **extra):
    request = request_with(*parts, by=evaluator, **extra)
    request._dont_enforce_csrf_checks = False
    return request


def csrf_secret():
    request = RequestFactory().get("/")
    token = get_token(request)
    return token, request.META["CSRF_COOKIE"]


def test_a_form_of_another_site_writes_not_a_byte(evaluator, evidence_folder):
    with pytest.raises(upload_handler.CsrfFailed):
        receive(form(evaluator, field("csrfmiddlewaretoken", "x" * 64), file_field()), csrf=True)
    assert not EvidencePackage.objects.exists()
    assert not evidence_folder.is_dir() or files_of(evidence_folder) == []


def test_the_forms_token_stands_before_the_file(evaluator, settings):
    token, cookie = csrf_secret()
    request = form(evaluator, field("csrfmiddlewaretoken", token), file_field())
    request.COOKIES[settings.CSRF_COOKIE_NAME] = cookie
    assert receive(request, csrf=True).created


def test_a_script_sends_the_token_as_a_header(evaluator, settings):
    token, cookie = csrf_secret()
    request = form(evaluator, file_field(), HTTP_X_CSRFTOKEN=token)
    request.COOKIES[settings.CSRF_COOKIE_NAME] = cookie
    assert receive(request, csrf=True).created
