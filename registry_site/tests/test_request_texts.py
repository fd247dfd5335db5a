"""What a request's Content-Type says of its texts changes no answer: they are UTF-8."""

import io

import pytest

from registry_site.request_texts import Utf8Handler

PARAMETERS = [
    # Each is a codec of Python; none of them makes text of an address, some fail, some read something else.
    *[
        f"charset={name}"
        for name in ("rot13", "hex", "punycode", "undefined", "idna", "utf-16", "utf-7", "bogus")
    ],
    # RFC 2231, in charsets that do not exist or read no text.
    *["name*=bogus'en'%C3", "name*=rot13''abc", "name*=utf-8''%ff"],
]


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_what_a_content_type_says_of_texts_changes_nothing(parameter):
    request = Utf8Handler.request_class(
        {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/es/certificates/",
            "QUERY_STRING": "q=%C3%B1",
            "CONTENT_TYPE": f"application/x-www-form-urlencoded; {parameter}",
            "CONTENT_LENGTH": "8",
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "wsgi.input": io.BytesIO(b"q=%C3%B1"),
        }
    )
    assert request.GET["q"] == "ñ"
    assert request.POST.get("q", "ñ") == "ñ"


def test_a_multipart_body_keeps_its_boundary():
    request = Utf8Handler.request_class(
        {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": "multipart/form-data; charset=rot13; boundary=abc",
            "wsgi.input": io.BytesIO(),
        }
    )
    assert request.content_type == "multipart/form-data"
    assert request.content_params["boundary"] == "abc"
