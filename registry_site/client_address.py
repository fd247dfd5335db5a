"""Which address a request comes from, as far as it can be believed: one answer for all limits."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The client's address; an IPv6 one as its /64, because one subscriber holds all of that.

    `X-Forwarded-For` counts only as far as TRUSTED_PROXIES proxies of our own have written it: the rest of
    the list is whatever the client liked to send.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.TRUSTED_PROXIES:
        named = [
            part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()
        ]
        if len(named) >= settings.TRUSTED_PROXIES:
            address = named[-settings.TRUSTED_PROXIES]
    return network_of(address)


def network_of(address: str) -> str:
    """«203.0.113.7», or the /64 of an IPv6 address; «unknown» for what is no address."""
    try:
        parsed = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return "unknown"
    if parsed.version == 6 and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    if parsed.version == 6:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
