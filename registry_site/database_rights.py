"""The three database roles and exactly what each may do.

owner: migrations. app: running processes; on written-once tables SELECT and INSERT only, nowhere
TRUNCATE. reader: SELECT on published documents, for the fast path.
"""

import json
import os
import secrets
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection
from psycopg import errors, sql

from registry_site.append_only import written_once_models
from registry_site.models import PublishedDocument, SiteSetting

EVERYTHING = ("SELECT", "INSERT", "UPDATE", "DELETE")


def rights_of_app() -> dict[str, tuple[str, ...]]:
    """Table → rights of the application role, derived from the models."""
    rights: dict[str, tuple[str, ...]] = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            rights[model._meta.db_table] = EVERYTHING
    for model in written_once_models():
        rights[model._meta.db_table] = ("SELECT", "INSERT")
    rights[SiteSetting._meta.db_table] = ("SELECT",)
    rights["django_migrations"] = ("SELECT",)
    return rights


def rights_of_reader() -> dict[str, tuple[str, ...]]:
    return {PublishedDocument._meta.db_table: ("SELECT",)}


def _role_exists(cursor, role: str) -> bool:
    cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [role])
    return cursor.fetchone() is not None


def _make_role(cursor, role: str, password: str) -> None:
    verb = "ALTER" if _role_exists(cursor, role) else "CREATE"
    try:
        cursor.execute(
            sql.SQL(verb + " ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
        )
    except Exception as error:
        if not isinstance(error.__cause__, errors.InsufficientPrivilege):
            raise
        raise CommandError(
            f"The owner of this database may not create the role {role}. As a superuser, then start again:\n"
            f"  CREATE ROLE {role} LOGIN PASSWORD '…';\n"
            f"  GRANT {role} TO CURRENT_USER;\n"
            "and set DATABASE_APP_URL and DATABASE_READER_URL."
        ) from error


def role_of(url: str) -> str:
    """The role that a database address names."""
    return unquote(urlsplit(url).username or "")


def make_roles(roles_file: Path, owner_url: str) -> dict[str, str]:
    """Make `<database>_app` and `<database>_reader` unless the file holds their URLs and they are there.

    Returns {"app": url, "reader": url}; the file is 0600. Passwords are random and never printed; a role that
    is gone (a restored or another cluster) is made again with the password that the file has for it.
    """
    database = connection.settings_dict["NAME"]
    kept = json.loads(roles_file.read_text(encoding="utf-8")) if roles_file.is_file() else {}
    urls: dict[str, str] = {}
    with connection.cursor() as cursor:
        for short in ("app", "reader"):
            role = f"{database}_{short}"
            known = urlsplit(kept.get(short, ""))
            password = unquote(known.password or "") if role_of(known.geturl()) == role else ""
            if not password or not _role_exists(cursor, role):
                password = password or secrets.token_urlsafe(24)
                _make_role(cursor, role, password)
            parts = urlsplit(owner_url)
            host = parts.netloc.rpartition("@")[2]
            urls[short] = parts._replace(netloc=f"{quote(role)}:{quote(password)}@{host}").geturl()
    if urls == kept:
        return urls
    roles_file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(roles_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(urls, file)
    return urls


def grant(*, app: str, reader: str) -> None:
    """Give both roles exactly their rights on every table; rights of dropped tables go with the tables."""
    with connection.cursor() as cursor:
        # Everybody may make temporary tables unless told otherwise; one of them could stand in for a real one.
        cursor.execute(
            sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(
                sql.Identifier(connection.get_connection_params()["dbname"])
            )
        )
        for role, rights in ((app, rights_of_app()), (reader, rights_of_reader())):
            name = sql.Identifier(role)
            cursor.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(name))
            cursor.execute(sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(name))
            for table, verbs in rights.items():
                cursor.execute(
                    sql.SQL("GRANT {} ON {} TO {}").format(
                        sql.SQL(", ").join(map(sql.SQL, verbs)), sql.Identifier(table), name
                    )
                )
        cursor.execute(
            sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {}").format(sql.Identifier(app))
        )


def names() -> tuple[str, str]:
    """(application role, reader role) by the name of the connected database."""
    database = connection.settings_dict["NAME"]
    return f"{database}_app", f"{database}_reader"
