"""Nothing that the registry says lacks its Spanish."""

import io
import re

from babel.messages.pofile import read_po

from registry_site import catalogues


def test_the_spanish_catalogue_is_in_step_with_the_sources():
    faults = catalogues.differences()

    assert not faults, "run script/messages, then script/messages fill:\n" + "\n".join(faults)


def test_translations_fill_in_the_same_values_as_the_originals():
    with catalogues.SPANISH.open("rb") as file:
        catalogue = read_po(file)
    values = re.compile(r"%\((\w+)\)s|\{(\w+)\}")
    for message in catalogue:
        if not message.id:
            continue
        originals = message.id if isinstance(message.id, tuple) else (message.id,)
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        named = {name for original in originals for name in values.findall(original)}
        for form in forms:
            assert set(values.findall(form)) <= named, (message.id, form)
        if all(forms):  # what has no translation yet is told by the test above
            assert {name for form in forms for name in values.findall(form)} == named, message.id


def test_gathering_finds_code_templates_plurals_and_contexts():
    kept = catalogues.gather()

    assert kept.get("in force", "status") is not None
    assert kept.get("What each status means") is not None
    assert kept.get(("{n} certificate", "{n} certificates")) is not None


def test_a_new_message_is_gathered_without_words(tmp_path, monkeypatch):
    kept = tmp_path / "es" / "LC_MESSAGES" / "django.po"
    kept.parent.mkdir(parents=True)
    monkeypatch.setattr(catalogues, "SPANISH", kept)
    kept.write_text('msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n', encoding="utf-8")
    assert "To do" in catalogues.merge()
    assert 'msgid "To do"\nmsgstr ""\n' in kept.read_text(encoding="utf-8")


def test_a_compiled_catalogue_is_one_that_django_reads(tmp_path, monkeypatch):
    import gettext

    folder = tmp_path / "es" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.po").write_bytes(catalogues.SPANISH.read_bytes())
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)

    assert catalogues.compile_catalogues() == [folder / "django.mo"]
    assert catalogues.compile_catalogues() == []
    compiled = gettext.GNUTranslations(io.BytesIO((folder / "django.mo").read_bytes()))
    assert compiled.pgettext("status", "in force") == "vigente"
    assert compiled.ngettext("{n} certificate", "{n} certificates", 2) == "{n} certificados"
