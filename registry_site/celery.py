"""The worker application: every task is a door that carries an id; the row is the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry_site.settings")

app = Celery("registry_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
