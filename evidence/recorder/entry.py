"""The door for browsers that cannot use a run's host name: the token in a form, a cookie from then on.

It stands at `/.run` of the recorder's own address. The token goes in a body, never in an address: addresses wander into
histories, logs and Referer headers. What happens here is no request to the site and is not recorded.
"""

from http import HTTPStatus
from urllib.parse import parse_qs

from evidence.recorder import tokens
from evidence.recorder.headers import RUN_COOKIE, Headers

PATH = b"/.run"
MOST_BYTES = 4096
_LIFETIME = 24 * 3600

_PAGE = """<!doctype html>
<html lang="es">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Entrada de la ejecución · Run entry</title>
<h1>Entrada de la ejecución <span lang="en">· Run entry</span></h1>
<form method="post" action="/.run">
<p><label for="token">Token de la ejecución <span lang="en">· Run token</span></label><br>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required size="40"></p>
<p><button>Entrar <span lang="en">· Enter</span></button></p>
</form>
</html>
""".encode()


def page(status: HTTPStatus = HTTPStatus.OK) -> tuple[int, Headers, bytes]:
    """The form; with another status when what was sent is no token of a run."""
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", b"%d" % len(_PAGE)),
        (b"cache-control", b"no-store"),
        (b"x-robots-tag", b"noindex, nofollow"),
        (
            b"content-security-policy",
            b"default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]
    return status, headers, _PAGE


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
