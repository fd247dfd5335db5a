"""Web entry: published documents are served before Django wakes up, everything else by Django."""

import json
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry_site.settings")


def _reader_url(data_dir) -> str:
    """DATABASE_READER_URL, or the one that `prepare` made."""
    if url := os.environ.get("DATABASE_READER_URL"):
        return url
    roles = data_dir / "database-roles.json"
    return json.loads(roles.read_text(encoding="utf-8"))["reader"] if roles.is_file() else ""


def _application():
    django.setup(set_prefix=False)

    from django.conf import settings

    from registry_site import fast_path
    from registry_site.request_texts import Utf8Handler

    django_application = Utf8Handler()
    reader_url = _reader_url(settings.DATA_DIR)
    if not reader_url:
        return django_application
    return fast_path.FastPath(
        django_application,
        reader_url=reader_url,
        headers=fast_path.security_headers(settings),
        allowed_hosts=settings.ALLOWED_HOSTS,
        https_only=settings.SECURE_SSL_REDIRECT,
    )


application = _application()
