"""Web entry: published documents are served before Django wakes up, everything else by Django."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry_site.settings")

application = get_wsgi_application()
