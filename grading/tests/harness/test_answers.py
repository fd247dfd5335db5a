"""Questions go into a structure and never into text that is parsed; answers are found by JMESPath or named faults."""

import json
from datetime import UTC, datetime

import pytest

from grading.harness.answers import Endpoint, Unreadable, redacted
from grading.harness.calls import Reply
from grading.harness.refusals import Refused

ITEM = {"id": "q1", "language": "es", "question": '¿"Plazo"?\n{token} {id}'}
READING = {
    "url": "http://127.0.0.1:1/a",
    "answer": "respuesta",
    "citations": "citas[].{source: norma, article: articulo, verified: estado}",
    "verified_values": ["verificada", True],
    "confidence": "confianza",
    "confidence_scale": 100,
    "abstained": "se_abstuvo",
}


def endpoint(**settings):
    return Endpoint({**READING, **settings}, version="1.0", token="secreto")


def reply(body, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(200, headers, content, None, "", 1, datetime.now(UTC), 5)


def test_a_question_cannot_break_out_of_its_place():
    asked = endpoint(body={"q": "{question}", "meta": ["{language}", "{run}", {"v": "{version}"}]}).request(
        ITEM, 2
    )
    assert json.loads(asked.body) == {"q": ITEM["question"], "meta": ["es", "2", {"v": "1.0"}]}
    assert asked.headers["Authorization"] == "Bearer secreto"
    assert asked.method == "POST"


def test_the_token_goes_where_the_header_says_and_nowhere_else():
    asked = endpoint(body={"q": "{question}"}, headers={"X-Api-Key": "{token}"}).request(ITEM, 1)
    assert asked.headers["X-Api-Key"] == "secreto"
    assert "Authorization" not in asked.headers
    assert b"secreto" not in asked.body


def test_get_and_forms_are_encoded():
    asked = endpoint(url="http://127.0.0.1:1/a?x=1", query={"q": "{question}"}).request(ITEM, 1)
    assert (asked.method, asked.body) == ("GET", None)
    assert asked.url.startswith("http://127.0.0.1:1/a?x=1&q=%C2%BF%22Plazo%22")
    asked = endpoint(form={"q": "{question}"}).request({**ITEM, "question": "a&b=c"}, 1)
    assert asked.body == b"q=a%26b%3Dc"


def test_an_answer_is_read_with_its_citations_and_their_mark():
    reading = endpoint().read(
        reply(
            {
                "respuesta": "Treinta días.\u0000",
                "citas": [
                    {"norma": "Ley 1", "articulo": 7, "estado": "verificada"},
                    {"norma": "Ley 1", "articulo": "8", "estado": "pendiente"},
                    {"norma": "Ley 1", "articulo": "9", "estado": 1},
                ],
                "confianza": 95,
                "se_abstuvo": False,
            }
        )
    )
    assert reading.record == {
        "answer": "Treinta días.\ufffd",
        "abstained": False,
        "citations": [
            {"source": "Ley 1", "article": "7", "verified": True},
            {"source": "Ley 1", "article": "8", "verified": False},
            {"source": "Ley 1", "article": "9", "verified": False},
        ],
        "confidence": 0.95,
    }
    assert reading.left_out == ()


def test_what_makes_no_sense_is_left_out_and_counted():
    reading = endpoint().read(reply({"respuesta": "x", "confianza": 120, "se_abstuvo": "no"}))
    assert reading.record == {"answer": "x", "citations": []}
    assert reading.left_out == ("abstained", "confidence")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"<!DOCTYPE html><p>Inicie sesi\xc3\xb3n", "html"),
        (b"  <html>", "html"),
        (b"lo siento", "not_json"),
        (b'{"respuesta": NaN}', "not_json"),
        (b"\xff\xfe", "not_json"),
        (b"[" * 100_000, "not_json"),
        ({"answer": "x"}, "nothing_at_path"),
        ({"respuesta": {"text": "x"}}, "answer_not_text"),
        ({"respuesta": "x", "citas": {"a": 1}}, None),
        ({"respuesta": "x", "citas": [{"norma": "Ley 1"}]}, "citation_without_keys"),
    ],
)
def test_what_cannot_be_read_has_a_name(body, code):
    if code is None:
        assert endpoint().read(reply(body)).record["citations"] == []
        return
    with pytest.raises(Unreadable) as unreadable:
        endpoint().read(reply(body))
    assert unreadable.value.code == code


def test_an_expression_that_is_none_is_refused_before_anyone_is_asked():
    with pytest.raises(Refused) as refused:
        endpoint(answer="answer[")
    assert refused.value.data["key"] == "endpoint.answer"


def test_a_token_that_comes_back_is_taken_out():
    assert redacted(b"Bearer secreto", ["secreto", None]) == b"Bearer [token]"
