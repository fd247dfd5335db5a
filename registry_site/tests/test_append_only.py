"""Written-once rows stay as written: for the application role, for the owner, and in Python."""

from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from evidence.models import EvidencePackage, Member, Verification
from registry_site import append_only, clock, database_rights, public_events
from registry_site.models import AuditEntry, Person, PublicEvent, PublishedDocument, SiteSetting, User

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def verification():
    now = clock.now()
    person = Person.objects.create(name="Elena Evaluadora")
    submitter = User.objects.create_user("elena@example.org", person=person)
    package = EvidencePackage.objects.create(
        submitter=submitter,
        sha256="a" * 64,
        size=10,
        state="verifying",
        created_at=now,
        received_at=now,
        deadline_at=now + timedelta(hours=1),
    )
    return Verification.objects.create(
        package=package,
        verifier_version="1",
        integrity="verified",
        complete=True,
        sha256="a" * 64,
        size=10,
        member_count=1,
        at=now,
    )


def on(model, statement: str) -> sql.Composed:
    """`statement` on the table of `model`, with its key."""
    key = sql.Identifier(model._meta.pk.column)
    return sql.SQL(statement).format(table=sql.Identifier(model._meta.db_table), key=key)


def test_every_written_once_model_has_its_triggers():
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal")
        triggers = set(cursor.fetchall())
    for model in append_only.written_once_models():
        assert (model._meta.db_table, "written_once") in triggers, (
            f"add append_only.refuse_changes({model._meta.db_table!r}) to the app's migrations"
        )


def test_every_child_of_a_frozen_parent_is_frozen_with_it():
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'frozen_parent'")
        frozen = {row[0] for row in cursor.fetchall()}
    assert {"evidence_member", "grading_figure"} <= frozen


def test_the_application_role_has_exactly_its_rights(role_urls):
    app, reader = database_rights.names()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT grantee, table_name, privilege_type FROM information_schema.role_table_grants "
            "WHERE grantee IN (%s, %s) AND table_schema = 'public'",
            [app, reader],
        )
        granted = set(cursor.fetchall())
    expected = {(app, t, v) for t, verbs in database_rights.rights_of_app().items() for v in verbs}
    expected |= {(reader, t, v) for t, verbs in database_rights.rights_of_reader().items() for v in verbs}
    assert granted == expected
    assert not any(verb == "TRUNCATE" for _, _, verb in granted)


@pytest.mark.parametrize(
    "statement", ["UPDATE {table} SET {key} = {key}", "DELETE FROM {table}", "TRUNCATE {table} CASCADE"]
)
def test_the_application_role_cannot_touch_what_is_written_once(application, statement):
    for model in append_only.written_once_models():
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            application.execute(on(model, statement))


@pytest.mark.parametrize("statement", ["UPDATE {table} SET {key} = {key}", "DELETE FROM {table}"])
def test_the_owner_cannot_either(owner, verification, statement):
    now = clock.now()
    AuditEntry.objects.create(at=now, person=None, action="tried")
    public_events.append("evidence.verified", subject="package:1", at=now, document={"n": 1})
    for model in (AuditEntry, PublicEvent, Verification):
        with pytest.raises(psycopg.errors.RestrictViolation, match="written once"):
            owner.execute(on(model, statement))


def test_nothing_is_added_under_a_frozen_parent(verification):
    with pytest.raises(Exception, match="frozen parent"):
        Member.objects.create(verification=verification, path="data/late.jsonl", size=1, sha256="b" * 64)
    assert not verification.members.exists()


def test_nothing_is_dated_back(verification):
    yesterday = clock.now() - timedelta(days=1)
    with pytest.raises(Exception, match="nothing is dated back or ahead"):
        AuditEntry.objects.create(at=yesterday, person=None, action="tried")


def test_a_session_cannot_let_the_clock_move():
    with connection.cursor() as cursor:
        cursor.execute("SET fehaciente.clock_may_move = 'on'")
    with pytest.raises(Exception, match="nothing is dated back or ahead"):
        AuditEntry.objects.create(at=clock.now() - timedelta(hours=1), person=None, action="tried")


def test_a_table_of_the_session_stands_in_for_no_parent(owner, verification):
    # A temporary table is found before the real one by whoever does not say where to look.
    with owner.transaction(force_rollback=True):
        owner.execute(
            "CREATE TEMPORARY TABLE evidence_verification AS "
            "SELECT id, pg_current_xact_id()::text::bigint AS created_in FROM public.evidence_verification"
        )
        with pytest.raises(psycopg.errors.RestrictViolation, match="frozen parent"):
            owner.execute(
                "INSERT INTO evidence_member (verification_id, path, size, sha256, sealed, commitment) "
                "VALUES (%s, 'data/late.jsonl', 1, %s, false, '')",
                [verification.pk, "b" * 64],
            )


def test_a_table_of_the_session_does_not_let_the_clock_move(owner):
    with owner.transaction(force_rollback=True):
        owner.execute(
            "CREATE TEMPORARY TABLE pg_db_role_setting AS SELECT oid AS setdatabase, 0::oid AS setrole, "
            "ARRAY['fehaciente.clock_may_move=on'] AS setconfig FROM pg_database"
        )
        with pytest.raises(psycopg.errors.CheckViolation, match="nothing is dated back or ahead"):
            owner.execute(
                "INSERT INTO registry_site_auditentry (at, action, subject, detail) "
                "VALUES (now() - interval '1 day', 'tried', '', '{}')"
            )


def test_the_lesser_roles_make_no_tables_not_even_temporary_ones(application, reader):
    for session in (application, reader):
        for statement in ("CREATE TEMPORARY TABLE shadow (id int)", "CREATE TABLE shadow (id int)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(statement)


def test_every_trigger_function_says_where_it_looks():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
            "LEFT JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' "
            "WHERE n.nspname = 'public' AND d.objid IS NULL "
            "AND NOT coalesce(p.proconfig::text LIKE '%search_path=pg_catalog, public, pg_temp%', false)"
        )
        assert cursor.fetchall() == [], "add append_only.look_only_here(…) to the app's migrations"


def test_a_row_refuses_in_python_too(verification):
    with pytest.raises(append_only.WrittenOnceError):
        verification.save()
    with pytest.raises(append_only.WrittenOnceError):
        verification.delete()
    with pytest.raises(append_only.WrittenOnceError):
        PublicEvent.objects.all().delete()
    with pytest.raises(append_only.WrittenOnceError):
        PublicEvent.objects.update(subject="other")


def test_the_hash_of_a_public_event_is_of_its_bytes():
    event = public_events.append(
        "scheme.published", subject="scheme:X-1", at=clock.now(), document={"a": "b"}
    )
    with pytest.raises(Exception, match="public_event_hash_is_of_its_bytes"):
        PublicEvent.objects.create(
            type=event.type,
            subject=event.subject,
            at=clock.now(),
            salt=b"",
            document="",
            bytes=b"{}",
            hash="0" * 64,
        )


def test_the_reader_sees_published_documents_alone(reader):
    PublishedDocument.objects.create(
        path="/es/c/X/", content_type="text/html", body=b"", etag='"1"', as_of=clock.now()
    )
    assert reader.execute("SELECT count(*) FROM registry_site_publisheddocument").fetchone() == (1,)
    for table in ("registry_site_user", "evidence_evidencepackage", "registry_site_auditentry"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute("DELETE FROM registry_site_publisheddocument")


def test_the_application_cannot_rewrite_the_public_address(application):
    SiteSetting.objects.create(name="public_url", value="http://testserver")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute("UPDATE registry_site_sitesetting SET value = 'http://elsewhere'")
