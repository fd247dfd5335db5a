"""The door for browsers that cannot use a run's host name: the token in a form, a cookie from then on.

It stands at `/.run` of the recorder's own address. The token goes in a body, never in an address: addresses wander into
histories, logs and Referer headers. What happens here is no request to the site and is not recorded.
"""

from base64 import b64encode
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import parse_qs

from evidence.recorder import tokens
from evidence.recorder.headers import RUN_COOKIE, Headers

PATH = b"/.run"
MOST_BYTES = 4096
_LIFETIME = 24 * 3600

_STYLE = """
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
label { display: block; }
input, button { box-sizing: border-box; font: inherit; padding: .55rem .75rem; min-height: 2.75rem; }
input { width: 100%; }
""".strip()
_PAGE = """<!doctype html>
<html lang="es">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Entrada de la ejecución · Run entry</title>
<style>{style}</style>
<main>
<h1>Entrada de la ejecución <span lang="en">· Run entry</span></h1>
<form method="post" action="/.run">
{error}<p><label for="token">Token de la ejecución <span lang="en">· Run token</span></label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required{described}></p>
<p><button>Entrar <span lang="en">· Enter</span></button></p>
</form>
</main>
</html>
"""
_ERROR = """<p id="error" role="alert"><strong>Este token no es de ninguna ejecución.
<span lang="en">· This is the token of no run.</span></strong></p>
"""
_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
        *("form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
    )
)


def page(*, is_wrong: bool = False) -> tuple[int, Headers, bytes]:
    """The form; `is_wrong` when what was sent is no token of a run."""
    content = _PAGE.format(
        style=_STYLE,
        error=_ERROR if is_wrong else "",
        described=' aria-invalid="true" aria-describedby="error"' if is_wrong else "",
    ).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", b"%d" % len(content)),
        (b"cache-control", b"no-store"),
        (b"x-robots-tag", b"noindex, nofollow"),
        (b"content-security-policy", _POLICY.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]
    return HTTPStatus.FORBIDDEN if is_wrong else HTTPStatus.OK, headers, content


def token_of(body: bytes) -> str | None:
    """The token of a form that was sent, or None."""
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=5)
    except ValueError:
        return None
    token = fields.get("token", [""])[0].strip()
    return token if tokens.is_token(token) else None


def admitted(token: str, *, scheme: str) -> tuple[int, Headers, bytes]:
    """To the site's first page, with the cookie."""
    secure = "; Secure" if scheme == "https" else ""
    cookie = f"{RUN_COOKIE}={token}; Path=/; Max-Age={_LIFETIME}; HttpOnly; SameSite=Lax{secure}"
    return (
        HTTPStatus.SEE_OTHER,
        [
            (b"location", b"/"),
            (b"set-cookie", cookie.encode()),
            (b"content-length", b"0"),
            (b"cache-control", b"no-store"),
        ],
        b"",
    )
