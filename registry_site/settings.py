"""Every setting of the registry: one file; machines differ only by environment variables."""

import json
import os
import secrets
import sys
from pathlib import Path
from urllib.parse import urlsplit

import environ
from celery.schedules import schedule
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from kombu import Queue

from registry_site.embedded.environment import OWNER_COMMANDS

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent


# ── typed helpers ────────────────────────────────────────────────────────────
def _kept_secret(path: Path) -> str:
    """A secret made at first start and kept in the data folder, readable by its owner only."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        value = secrets.token_urlsafe(50)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:  # another process of the same first start made it
            return path.read_text(encoding="ascii").strip()
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(value)
        return value


def _application_database_url() -> str:
    """The URL that a running process uses: never the owner's, unless none but the owner's exists yet.

    `prepare` writes the made-up passwords of the two lesser roles into DATA_DIR/database-roles.json.
    """
    if OWNER_COMMAND and (url := env.str("DATABASE_URL", default="")):
        return url
    if url := env.str("DATABASE_APP_URL", default=""):
        return url
    roles_file = DATA_DIR / "database-roles.json"
    if roles_file.is_file() and not OWNER_COMMAND:
        return json.loads(roles_file.read_text(encoding="utf-8"))["app"]
    return env.str("DATABASE_URL", default="")


def _cache_url(broker: str) -> str:
    """Database 1 of the broker's server: cache and counters may be evicted, messages may not."""
    parts = urlsplit(broker)
    if parts.scheme == "redis+socket":
        return f"unix://{parts.path}?db=1"
    return parts._replace(path="/1", query="").geturl()


# ── machine ──────────────────────────────────────────────────────────────────
DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / "data"))).resolve()
PORT = env.int("PORT", default=8000)
RUNS_PORT = env.int("RUNS_PORT", default=PORT + 1)
DEBUG = env.bool("DEBUG", default=False)
TESTING = env.bool("TESTING", default=False)
# Commands that change tables or rights connect as the owner; everything else as the application role.
OWNER_COMMAND = TESTING or (len(sys.argv) > 1 and sys.argv[1] in OWNER_COMMANDS)
SECRET_KEY = env.str("SECRET_KEY", default="") or _kept_secret(DATA_DIR / "secret-key")

# The address that everything absolute is made from; stored at first start (registry_site.site_address).
PUBLIC_URL = env.str("PUBLIC_URL", default=f"http://localhost:{PORT}").rstrip("/")
_public = urlsplit(PUBLIC_URL)
if _public.scheme not in {"http", "https"} or not _public.hostname or _public.path:
    raise ImproperlyConfigured(
        f"PUBLIC_URL must be scheme://host[:port] without a path, found {PUBLIC_URL!r}. "
        "Example: PUBLIC_URL=https://registro.example"
    )
LOOPBACK = _public.hostname in {"localhost", "127.0.0.1", "::1", "testserver"}
ALLOWED_HOSTS = [_public.hostname, *(["localhost", "127.0.0.1", "[::1]"] if LOOPBACK else [])]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
FILES_ORIGIN = env.str("FILES_ORIGIN", default="").rstrip("/")
ALLOWED_HOSTS += [host] if (host := urlsplit(FILES_ORIGIN).hostname) else []
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
# Tests and rehearsals only: lets events be dated by hand. `check --deploy` fails on it.
CLOCK_MAY_MOVE = env.bool("CLOCK_MAY_MOVE", default=False)

# ── agent runs ───────────────────────────────────────────────────────────────
# Each run is a label of this domain. In production it is another registrable domain than PUBLIC_URL's: no cookie
# of the registry may ever be sent to a site that runs are recorded against.
RUNS_DOMAIN = env.str("RUNS_DOMAIN", default="runs.localhost").lower().strip(".")
RUNS_ON_LOOPBACK = RUNS_DOMAIN == "localhost" or RUNS_DOMAIN.endswith(".localhost")
RUNS_SCHEME = "http" if RUNS_ON_LOOPBACK else _public.scheme
# curl and browsers take *.localhost for either of the two; 127.0.0.2 is the address of who has no name.
RUNS_LISTEN_ALSO = ["::1", "127.0.0.2"] if RUNS_ON_LOOPBACK else []
# So long a configured site may say nothing before its answer counts as cut.
RUNS_UPSTREAM_SECONDS = env.float("RUNS_UPSTREAM_SECONDS", default=30.0)
RUNS_DATABASE_CONNECTIONS = env.int("RUNS_DATABASE_CONNECTIONS", default=16)
# Development and tests only: lets runs be recorded against sites of this machine and its network.
RUNS_PRIVATE_UPSTREAMS = env.bool("RUNS_PRIVATE_UPSTREAMS", default=False)

# ── applications ─────────────────────────────────────────────────────────────
INSTALLED_APPS = [
    "registry_site",
    "evidence",
    "grading",
    "certificates",
    "registry_site.admin_config.RegistryAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "registry_site.sign_in.KeepNoPrivatePages",
    "registry_site.request_texts.RefuseNullCharacters",
    "registry_site.error_pages.ProblemsMiddleware",
]
ROOT_URLCONF = "registry_site.urls"
WSGI_APPLICATION = "registry_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["registry_site.templatetags.wording"],
        },
    }
]

# ── storage ──────────────────────────────────────────────────────────────────
DATABASES = {
    "default": {
        **env.db_url_config(_application_database_url() or "postgres:///fehaciente"),
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "TEST": {"NAME": "test_fehaciente"},
    }
}
# A test is one transaction from its first line to its last, whatever it does in between.
_MOST_IDLE = "120s" if TESTING else "10s"
DATABASES["default"].setdefault("OPTIONS", {})["options"] = (
    f"-c lock_timeout=2s -c idle_in_transaction_session_timeout={_MOST_IDLE} "
    "-c synchronous_commit=on -c timezone=UTC"
)
# A socket's folder comes as the parameter `host`; `dbshell` and test databases look for it here.
DATABASES["default"]["HOST"] = DATABASES["default"]["OPTIONS"].pop("host", DATABASES["default"]["HOST"])
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="redis://localhost:6379/0")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": _cache_url(REDIS_URL),
        "KEY_PREFIX": "feh",
        # Of counters that hang: whoever reads waits no longer than this for being counted.
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
}
EVIDENCE_DIR = DATA_DIR / "evidence"
MAIL_DIR = DATA_DIR / "mail"
# Intake refuses (507) what would leave less free than the larger of these two.
EVIDENCE_FREE_SHARE = 0.05
EVIDENCE_FREE_BYTES = 2 * 1024**3
EVIDENCE_MAX_UPLOAD_BYTES = env.int("EVIDENCE_MAX_UPLOAD_BYTES", default=32 * 1024**3)
# Of the process that reads a hostile archive: address space, and how fast it may read (0: as it can).
EVIDENCE_READER_MEMORY = env.int("EVIDENCE_READER_MEMORY", default=4 * 1024**3)
EVIDENCE_READ_BYTES_PER_SECOND = env.int("EVIDENCE_READ_BYTES_PER_SECOND", default=0)
# A worker that has said nothing for so long is taken for dead, and its package goes to another attempt.
EVIDENCE_LEASE_SECONDS = env.int("EVIDENCE_LEASE_SECONDS", default=60)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024**2
# What reads the records in an offline check: evidence may not import grading, so it is told by name.
EVIDENCE_OFFLINE_READER = "grading.computing.reader"

# ── work ─────────────────────────────────────────────────────────────────────
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
# Two queues, so that expiries, e-mails and sweeps never wait behind long packages; a worker that is not told
# which (`-Q`) serves both.
CELERY_TASK_QUEUES = [Queue("celery"), Queue("packages")]
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_ROUTES = {
    "certificates.tasks.advance_package": {"queue": "packages"},
    "grading.tasks.compare_measurements": {"queue": "packages"},
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 6 * 3600,  # above the longest verification; the lease guards against the rest
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    # Of who publishes: an upload must not wait for a broker that is down. Workers wait as long as it takes.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.2,
}
# A decision or an upload with the broker down succeeds: publishing gives up soon, the sweep sends it.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
# Each is worth nothing once the next is due: while workers are busy they must not pile up.
CELERY_BEAT_SCHEDULE = {
    name: {"task": task, "schedule": schedule(seconds), "options": {"expires": seconds}}
    for name, task, seconds in [
        ("sweep-packages", "certificates.tasks.sweep_packages", 10),
        ("sweep-runs", "certificates.tasks.sweep_runs", 30),
        ("sweep-comparisons", "grading.tasks.sweep_comparisons", 10),
        ("sweep-series", "grading.tasks.sweep_series", 60),
        ("sweep-certificates", "certificates.tasks.sweep_certificates", 30),
        ("sweep-appeals", "certificates.tasks.sweep_appeals", 3600),
        ("sweep-deadlines", "certificates.tasks.sweep_deadlines", 1800),
        ("sweep-reports", "certificates.tasks.sweep_reports", 3600),
        ("sweep-marks", "certificates.tasks.sweep_marks", 30),
        ("send-outbox", "certificates.tasks.send_outbox", 15),
        ("sweep-holders", "evidence.tasks.sweep_holders", 60),
        ("sweep-operators", "evidence.tasks.sweep_operators", 60),
        ("erase-mail", "certificates.tasks.erase_mail", 3600),
        ("collect-attachments", "certificates.tasks.collect_attachments", 3600),
        ("collect-storage", "evidence.tasks.collect_storage", 3600),
    ]
}

# ── people ───────────────────────────────────────────────────────────────────
# After the case is closed; the record of the case stays.
PERSONAL_DATA_DAYS = env.int("PERSONAL_DATA_DAYS", default=180)
# After an e-mail was written; that it was, of which kind and when, stays.
MAIL_DATA_DAYS = env.int("MAIL_DATA_DAYS", default=180)
AUTH_USER_MODEL = "registry_site.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_ADAPTER = "registry_site.sign_in.InvitedOnlyAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Fehaciente"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = LOOPBACK
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "staff:queue"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
SESSION_COOKIE_AGE = 8 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# ── languages and time ───────────────────────────────────────────────────────
LANGUAGE_CODE = "es"
LANGUAGES = [("es", _("Spanish")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# ── the registry ─────────────────────────────────────────────────────────────
CERTIFICATE_PREFIX = env.str("CERTIFICATE_PREFIX", default="FEH")
REGISTRY_NAME = env.str("REGISTRY_NAME", default="Fehaciente")
REGISTRY_OPERATOR = env.str("REGISTRY_OPERATOR", default="")
# Where the demonstration was told, every page says so in its first line.
REGISTRY_DEMO = env.bool(
    "REGISTRY_DEMO", default="seed_demo" in sys.argv or (DATA_DIR / "demo-sign-ins.json").is_file()
)
REGISTRY_TIME_ZONE = env.str("REGISTRY_TIME_ZONE", default="America/Santiago")

# ── e-mail ───────────────────────────────────────────────────────────────────
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="filemail://")
vars().update(EMAIL_CONFIG)
EMAIL_FILE_PATH = str(MAIL_DIR)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="registro@localhost")

# ── web ──────────────────────────────────────────────────────────────────────
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
if DEBUG or TESTING:
    STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    WHITENOISE_USE_FINDERS = True
    WHITENOISE_AUTOREFRESH = True
APPEND_SLASH = True
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
_https = _public.scheme == "https"
SECURE_SSL_REDIRECT = _https and env.bool("SECURE_SSL_REDIRECT", default=True)
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _https
SECURE_HSTS_PRELOAD = _https
SESSION_COOKIE_SECURE = _https
CSRF_COOKIE_SECURE = _https
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "registry_site.error_pages.csrf_failure"
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "style-src": ["'self'"],
        "script-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

# ── API ──────────────────────────────────────────────────────────────────────
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["registry_site.bearer.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["registry_site.taken.StrictJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "registry_site.cursors.CursorPagination",
    "DEFAULT_SCHEMA_CLASS": "registry_site.openapi.Schema",
    "EXCEPTION_HANDLER": "registry_site.problems.api_exception_handler",
    "PAGE_SIZE": 50,
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
# Requests per window in seconds: by address without a token, by token with one; writes counted apart, and what
# anybody may ask of a worker.
API_RATES = {
    "anonymous": (600, 60),
    "token": (1200, 60),
    "writes": (120, 60),
    "comparisons": (20, 3600),
    "appeals": (30, 3600),
    "reports": (10, 3600),
    "circuit_checks": (30, 3600),
}
if TESTING:  # one address makes all requests of a whole suite
    API_RATES = dict.fromkeys(API_RATES, (1_000_000, 60))
SPECTACULAR_SETTINGS = {
    "TITLE": "Fehaciente",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    # Docstrings speak to whoever reads the code, in English; the document speaks the reader's language.
    "DISABLE_DOCSTRING_DESCRIPTIONS": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # Choices stay where they are taken or shown: names made up for them would change with every new field.
    "POSTPROCESSING_HOOKS": ["registry_site.openapi.with_examples"],
}

# ── log ──────────────────────────────────────────────────────────────────────
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {"django.request": {"level": "ERROR"}},
}
