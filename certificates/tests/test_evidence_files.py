"""The bytes of evidence that are open to everybody, and the pages that say why others are not."""

import hashlib
import io
import zipfile
from base64 import b64encode

import pytest

from certificates import lifecycle, pipeline
from certificates.models import Certificate
from certificates.tests import packages, registry
from evidence import identities, intake, storage
from evidence.models import PackageState
from grading.models import Measurement
from grading.tests import packages as records
from registry_site import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]


@pytest.fixture
def certified(who):
    """A certificate on a package that went the whole way, and that package's bytes."""

    def made(data: bytes | None = None, **descriptor) -> tuple[Certificate, bytes]:
        registry.scheme()
        measured_at = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        data = data or packages.sound(of={"measured_at": measured_at, **descriptor})
        package = intake.receive([data], by=who.evaluator, at=clock.now())
        pipeline.advance(package.pk)
        package.refresh_from_db()
        assert package.state == PackageState.READY
        measurement = Measurement.objects.get()
        system = measurement.system_version.system
        by = who.registrar.person
        identities.confirm_holder(
            system.holder,
            name=system.holder.name,
            identifier_kind="domain",
            identifier="innova.example",
            country="CL",
            by=by,
            at=clock.now(),
        )
        identities.confirm_system(system, name=system.name, by=by, at=clock.now())
        certificate = lifecycle.issue(
            measurement, by=who.certifier, at=clock.now(), statement=registry.STATEMENT
        )
        return certificate, data

    return made


def content(response) -> bytes:
    return b"".join(response.streaming_content)


def inside(data: bytes, path: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return package.read(next(name for name in package.namelist() if name.endswith(path)))


def test_open_evidence_is_handed_out_whole_and_guarded(certified, visitor):
    certificate, data = certified(access="open")
    response = visitor.get(f"/c/{certificate.number}/evidence.zip")
    assert response.status_code == 200
    assert content(response) == data
    assert response["Content-Length"] == str(len(data))
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == f'attachment; filename="{certificate.number}-evidence.zip"'
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response["X-Content-Type-Options"] == "nosniff"
    digest = b64encode(hashlib.sha256(data).digest()).decode()
    assert response["Repr-Digest"] == f"sha-256=:{digest}:"


def test_a_large_file_is_fetched_in_parts(certified, visitor):
    certificate, data = certified(access="open")
    address = f"/c/{certificate.number}/evidence.zip"

    def part(asked: str, **headers):
        return visitor.get(address, headers={"Range": asked, **headers})

    first = part("bytes=0-99")
    assert (first.status_code, content(first)) == (206, data[:100])
    assert first["Content-Range"] == f"bytes 0-99/{len(data)}"
    assert content(part("bytes=100-")) == data[100:]
    assert content(part("bytes=-10")) == data[-10:]
    beyond = part(f"bytes={len(data)}-")
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(data)}")
    for whole in ("bytes=-", "bytes=0-1,5-6", "lines=1-2", "bytes=x-"):
        assert content(part(whole)) == data
    assert content(part("bytes=0-99", **{"If-Range": '"another"'})) == data


def test_what_the_reader_has_already_is_not_sent_again(certified, visitor):
    certificate, _data = certified(access="open")
    for address in ("evidence.zip", "evidence/data/verdicts.jsonl"):
        response = visitor.get(f"/c/{certificate.number}/{address}")
        content(response)
        headers = {"If-None-Match": response["ETag"]}
        assert visitor.get(f"/c/{certificate.number}/{address}", headers=headers).status_code == 304
        head = visitor.head(f"/c/{certificate.number}/{address}")
        assert (head.content, head["Content-Length"]) == (b"", response["Content-Length"])


def test_a_member_comes_straight_out_of_the_archive(certified, visitor):
    certificate, data = certified()
    for path in ("data/items.jsonl", "data/evaluation.json", "manifest-sha256.txt", "bagit.txt"):
        response = visitor.get(f"/c/{certificate.number}/evidence/{path}")
        assert response.status_code == 200, path
        expected = inside(data, path)
        assert content(response) == expected
        assert response["ETag"] == f'"{hashlib.sha256(expected).hexdigest()}"'
        assert response["Content-Disposition"].endswith('.bin"')
    assert visitor.get(f"/c/{certificate.number}/evidence/data/none.jsonl").status_code == 404
    assert visitor.get(f"/c/{certificate.number}/evidence/../settings.py").status_code == 404


def test_members_may_stand_in_a_top_folder(certified, visitor):
    sound = packages.sound(of={"measured_at": clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")})
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(sound)) as bag, zipfile.ZipFile(file, "w") as package:
        for name in bag.namelist():
            package.writestr(f"paquete ñ/{name}", bag.read(name))
    certificate, data = certified(file.getvalue())
    response = visitor.get(f"/c/{certificate.number}/evidence/data/items.jsonl")
    assert content(response) == inside(data, "data/items.jsonl")


@pytest.mark.parametrize(
    ("descriptor", "whole", "member", "sealed"),
    [
        ({}, 403, 200, 200),
        ({"access": "members", "sealed": ["data/items.jsonl"]}, 403, 200, 403),
        ({"access": "open", "sealed": ["data/items.jsonl"]}, 403, 200, 403),
        ({"access": "digest_only"}, 403, 403, 403),
    ],
)
def test_what_is_not_open_says_why(certified, visitor, descriptor, whole, member, sealed):
    certificate, _data = certified(**descriptor)
    addresses = {
        "evidence.zip": whole,
        "evidence/data/evaluation.json": member,
        "evidence/data/items.jsonl": sealed,
    }
    for address, status in addresses.items():
        response = visitor.get(f"/c/{certificate.number}/{address}")
        assert response.status_code == status, address
        if status == 403:
            text = response.content.decode()
            assert "evidence_not_open" in text or "member_sealed" in text
            assert packages.CANARY not in text
        else:
            content(response)
    if descriptor.get("sealed"):
        assert visitor.get(f"/c/{certificate.number}/evidence/manifest-sha256.txt").status_code == 403


def test_other_spellings_and_hosts_are_led_to_the_one_address(certified, visitor, settings):
    certificate, _data = certified(access="open")
    short = certificate.number.replace("-", "").lower()
    response = visitor.get(f"/c/{short}/evidence/data/items.jsonl")
    assert (response.status_code, response["Location"]) == (
        301,
        f"/c/{certificate.number}/evidence/data/items.jsonl",
    )
    settings.FILES_ORIGIN = "https://files.registry.example"
    response = visitor.get(f"/c/{certificate.number}/evidence.zip")
    assert (response.status_code, response["Location"]) == (
        302,
        f"https://files.registry.example/c/{certificate.number}/evidence.zip",
    )
    assert visitor.get("/c/FEH-2026-000042-00/evidence.zip").status_code == 404


def test_withheld_bytes_are_gone_and_said_to_be(certified, visitor):
    certificate, data = certified(access="open")
    storage.current().withhold(hashlib.sha256(data).hexdigest())
    for address in ("evidence.zip", "evidence/data/items.jsonl"):
        assert visitor.get(f"/c/{certificate.number}/{address}").status_code == 410


# ── figures that are not published ───────────────────────────────────────────


@pytest.mark.parametrize(("group", "status"), [("en", 403), (None, 200)])
def test_the_descriptor_does_not_tell_what_was_declared_of_a_suppressed_figure(
    client, certified, group, status
):
    """Issued means that what was declared is what we computed: the descriptor would give the figure away."""
    # Two answers in English of sixteen: the smaller group, and with it the other one, is not published.
    ids = [f"q{number:04d}" for number in range(16)]
    items = records.lines([records.item(one, language="en" if one < "q0002" else "es") for one in ids])
    verdicts = records.lines(
        [records.verdict(one, "incorrect" if one == "q0000" else "exact") for one in ids]
    )
    value = "0.5000" if group else "0.0625"
    certificate, _ = certified(
        packages.sound(
            16,
            of={
                "measured_at": clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
                "sealed": ["data/items.jsonl"],
                "declared_figures": [
                    {"metric": "incorrect", "denominator": "all", "group": group, "value": value}
                ],
            },
            items=items,
            verdicts=verdicts,
        )
    )
    response = client.get(f"/c/{certificate.number}/evidence/data/evaluation.json")
    assert response.status_code == status
    assert (value in (content(response) if response.streaming else response.content).decode()) is (
        status == 200
    )
    page = client.get(f"/en/c/{certificate.number}/").content.decode()
    assert (f"/c/{certificate.number}/evidence/data/evaluation.json" in page) is (status == 200)
    listed = client.get(f"/api/v1/certificates/{certificate.number}/evidence/").json()["members"]
    (descriptor,) = [one for one in listed if one["path"] == "data/evaluation.json"]
    assert (descriptor["address"] is None) is (status == 403)
