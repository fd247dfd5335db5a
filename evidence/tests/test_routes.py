"""However a path is spelled, it is the same path, and the pattern that names it names every spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import routes
from evidence.routes import Patterns, UnusablePattern, matches, normalise

names = st.text(st.characters(codec="utf-8", exclude_characters="/\\%;"), min_size=1, max_size=8).filter(
    lambda name: name.strip(" ").rstrip(". ") == name and "\0" not in name
)
paths = st.lists(names, min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("", "/"),
        ("/", "/"),
        ("*", "/*"),
        ("/conceptos", "/conceptos"),
        ("/conceptos/", "/conceptos"),
        ("//conceptos///agente", "/conceptos/agente"),
        ("/conceptos/agente?pagina=/borradores/", "/conceptos/agente"),
        ("/conceptos/agente#/borradores/", "/conceptos/agente"),
        ("/conceptos#x?y", "/conceptos"),
        ("/./conceptos/../borradores/./plan", "/borradores/plan"),
        ("/../../borradores", "/borradores"),
        ("/conceptos/%2e%2E/borradores", "/borradores"),
        ("/conceptos/..%2Fborradores", "/borradores"),
        ("/conceptos/..%5Cborradores", "/borradores"),
        ("/conceptos\\..\\borradores", "/borradores"),
        ("/%62orradores", "/borradores"),
        ("/%2562orradores", "/borradores"),
        ("/%25252562orradores", "/borradores"),
        ("/%25%36%32orradores", "/borradores"),
        ("/borradores%c0%afplan", "/borradores/plan"),
        ("/borradores;v=1/plan;x", "/borradores/plan"),
        ("/borradores%3Bv=1/plan", "/borradores/plan"),
        ("/borradores./plan.", "/borradores/plan"),
        ("/borradores%20/plan%20%20", "/borradores/plan"),
        ("/conceptos/..;/borradores", "/borradores"),
        ("/índice", "/%C3%ADndice"),
        ("/%c3%adndice", "/%C3%ADndice"),
        ("/100%25", "/100%25"),
        ("/100%", "/100%25"),
        ("/a%3Fb", "/a%3Fb"),
        ("/a%23b", "/a%23b"),
        ("/a%00b", "/a%00b"),
        ("/robots.txt", "/robots.txt"),
        ("http://observatoriodeagentes.com", "/"),
        ("http://observatoriodeagentes.com/conceptos/", "/conceptos"),
        ("HTTPS://u:p@observatoriodeagentes.com:8001?x", "/"),
        ("/Borradores", "/Borradores"),
        (b"/\xff\xfe", "/%FF%FE"),
        (b"/borradores%2fplan", "/borradores/plan"),
    ],
)
def test_a_target_means_one_path(target, path):
    assert normalise(target) == path


@given(st.text(max_size=60) | st.text("/.%25cCfF0aA2eE;\\ ?#*", max_size=40))
def test_normalising_again_changes_nothing(target):
    once = normalise(target)
    assert normalise(once) == once
    assert once.startswith("/")
    assert once == "/" or not once.endswith("/")


@given(st.binary(max_size=60))
def test_bytes_that_are_no_text_have_a_path_too(target):
    once = normalise(target)
    assert once.isascii()
    assert normalise(once) == once


@given(paths, st.data())
def test_no_spelling_of_a_path_escapes_its_pattern(segments, data):
    meant = "/" + "/".join(segments)
    pattern = "/" + "/".join(normalise("/" + routes.quote_from_bytes(s.encode()))[1:] for s in segments)
    spelled = "".join(data.draw(_spellings(segment)) for segment in segments)
    path = normalise(spelled)
    assert path == normalise(routes.quote_from_bytes(meant.encode(), safe="/"))
    if "*" not in meant:
        assert matches(pattern, path)
    assert matches("/**", path)
    assert matches("/" + "/".join("*" * len(segments)), path)
    assert not matches("/" + "/".join("*" * (len(segments) + 1)), path)


@st.composite
def _spellings(draw, segment):
    """A segment with the slash before it, as somebody might write it who wants not to be recognised."""
    out = draw(st.sampled_from(["/", "//", "/./", "/x/../", "%2F", "%252f", "\\", "%5C", "/.;a/", "%c0%af"]))
    for byte in segment.encode():
        safe = chr(byte).isalnum() and byte < 128
        rounds = draw(st.integers(0 if safe else 1, 3))
        letter = chr(byte) if not rounds else draw(st.sampled_from(["%{:02x}", "%{:02X}"])).format(byte)
        for _ in range(rounds - 1):
            letter = letter.replace("%", "%25")
        out += letter
    return out + draw(st.sampled_from(["", ";v=1", ".", "%20", "%2e"]))


@pytest.mark.parametrize(
    ("pattern", "named", "others"),
    [
        ("/", ["/"], ["/conceptos"]),
        ("/**", ["/", "/a", "/a/b"], []),
        ("/robots.txt", ["/robots.txt"], ["/robots.txt/x", "/robotsxtxt", "/"]),
        ("/conceptos/*", ["/conceptos/agente", "/conceptos/agente.md"], ["/conceptos", "/conceptos/a/b"]),
        ("/pruebas/**", ["/pruebas", "/pruebas/pi-001", "/pruebas/a/b"], ["/pruebas2", "/prueba"]),
        ("/*", ["/conceptos"], ["/", "/conceptos/agente"]),
        ("/*/privado", ["/a/privado"], ["/privado", "/a/b/privado"]),
        ("/*/privado/**", ["/a/privado", "/a/privado/b/c"], ["/a/publico", "/a"]),
        ("/pruebas/", ["/pruebas"], ["/pruebas/a"]),
        ("/índice/(a|b)+", ["/%C3%ADndice/(a%7Cb)+"], ["/%C3%ADndice/a"]),
    ],
)
def test_a_pattern_names_its_paths(pattern, named, others):
    assert [path for path in named + others if matches(pattern, path)] == named
    assert [path for path in named + others if Patterns([pattern, "/nowhere"]).matches(path)] == named


@pytest.mark.parametrize("pattern", ["", "pruebas/**", "/**/privado", "/borrador*", "/a**", "/***"])
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(UnusablePattern):
        Patterns([pattern])


def test_a_path_encoded_ten_thousand_times_costs_its_length():
    assert normalise("/" + "%25" * 1 + "25" * 10_000 + "62orradores") == "/borradores"


def test_no_pattern_names_nothing():
    assert not Patterns([]).matches("/")
