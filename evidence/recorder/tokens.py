"""A run's two secrets: the token that programs send, and the label that is its host name.

Each is shown once and kept as SHA-256 only. They are not derived from one another: a label stands in addresses, which
wander into histories and logs; whoever reads one has no token.
"""

import hashlib
import re
import secrets
import zlib

PREFIX = "fehr_"
_TOKEN = re.compile(r"fehr_[0-9a-f]{72}")
_LABEL = re.compile(r"[a-z2-7]{26}")
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def new_token() -> str:
    """`fehr_`, 64 hex digits (256 bits), and 8 of their CRC-32."""
    body = secrets.token_hex(32)
    return f"{PREFIX}{body}{_checksum(body)}"


def new_label() -> str:
    """26 letters of lower-case base32: 130 bits in one label of a host name."""
    return "".join(secrets.choice(_BASE32) for _ in range(26))


def is_token(text: str) -> bool:
    """Whether it has the form of a token: a typing error is told apart without the database."""
    return bool(_TOKEN.fullmatch(text)) and _checksum(text[5:69]) == text[69:]


def is_label(text: str) -> bool:
    return bool(_LABEL.fullmatch(text))


def digest(secret: str) -> str:
    """What is kept of a token or a label."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"
