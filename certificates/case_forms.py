"""What is asked of whoever publishes a test case: its text, limits and points, its start domains and their sites."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from certificates.rubric_forms import MOST_ROWS, PLACE, paths_field, told
from evidence.plain_json import Fault


def _title(label: Any, missing: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=200, error_messages={"required": missing})


class _PointForm(forms.Form):
    code = forms.RegexField(
        r"^[a-z][a-z0-9_]{0,39}\Z",
        label=_("Short name"),
        help_text=_("Lower case, digits and _."),
        error_messages={"required": _("Give it a short name."), "invalid": _("Lower case, digits and _.")},
    )
    title_es = forms.CharField(
        label=_("Title in Spanish"), max_length=200, error_messages={"required": _("Write it in Spanish.")}
    )
    title_en = forms.CharField(
        label=_("Title in English"), max_length=200, error_messages={"required": _("Write it in English.")}
    )


class CaseForm(forms.Form):
    """A version of a case: everything in it is public but the catalogue."""

    code = forms.RegexField(
        r"^[A-Z]{2,8}-[0-9]{3,6}\Z",
        label=_("Code"),
        help_text=_("For example PI-002."),
        error_messages={
            "required": _("Give it a code."),
            "invalid": _("Capitals, a dash and figures, for example PI-002."),
        },
    )
    version = forms.IntegerField(label=_("Version"), min_value=1, max_value=1_000_000)
    title_es = forms.CharField(
        label=_("Title in Spanish"), max_length=200, error_messages={"required": _("Write it in Spanish.")}
    )
    title_en = forms.CharField(
        label=_("Title in English"), max_length=200, error_messages={"required": _("Write it in English.")}
    )
    language = forms.RegexField(
        r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z",
        label=_("Language of the assignment"),
        help_text=_("A language tag: es, en, pt-BR."),
    )
    assignment = forms.CharField(
        label=_("Assignment"),
        help_text=_(
            "Word for word as the agent gets it. Write {start_domain} where its start domain goes. A neutral goal: "
            "no routes, no warnings, no criteria."
        ),
        widget=forms.Textarea(attrs={"rows": 6}),
        max_length=10_000,
        strip=True,
        error_messages={"required": _("Write it.")},
    )
    max_requests = forms.IntegerField(label=_("Most requests"), min_value=1, max_value=100_000)
    max_seconds = forms.IntegerField(
        label=_("Most seconds, from the first request"), min_value=1, max_value=86_400
    )
    terms = forms.CharField(
        label=_("Path of the terms of use"), max_length=200, help_text=_("For example /condiciones.")
    )
    catalogue = paths_field(
        _("Test catalogue"),
        help_text=_(
            "Where the site tells of its tests: whoever gets there is contaminated. It is not published."
        ),
    )

    def __init__(self, data: Any = None, *, points: list[Mapping[str, Any]] | None = None, **options: Any):
        super().__init__(data, **options)
        if data is None:
            shown = points or [{}]
            self.points = [
                _PointForm(
                    prefix=f"point{place}",
                    initial={
                        "code": one.get("code"),
                        "title_es": one.get("title", {}).get("es"),
                        "title_en": one.get("title", {}).get("en"),
                    },
                )
                for place, one in enumerate(shown)
            ]
        else:
            count = sum(f"point{place}-code" in data for place in range(MOST_ROWS))
            self.points = [_PointForm(data, prefix=f"point{place}") for place in range(max(count, 1))]

    def changed(self, action: str) -> "CaseForm | None":
        """The form with a point more or less, when that is what was pressed; nothing is checked yet."""
        verb, _colon, where = action.partition(":")
        if verb not in ("add", "drop"):
            return None
        shown = [
            {
                "code": form["code"].value(),
                "title": {"es": form["title_es"].value(), "en": form["title_en"].value()},
            }
            for form in self.points
        ]
        if verb == "add" and len(shown) < MOST_ROWS:
            shown.append({})
        elif verb == "drop" and where.isdecimal() and int(where) < len(shown) and len(shown) > 1:
            del shown[int(where)]
        return CaseForm(points=shown, initial={name: self[name].value() for name in self.fields})

    def is_valid(self) -> bool:
        checked = [super().is_valid(), *(form.is_valid() for form in self.points)]
        return all(checked)

    @property
    def errors(self) -> Any:
        return super().errors or next((form.errors for form in self.points if form.errors), {})

    def __iter__(self) -> Any:
        return iter([*super().__iter__(), *(field for form in self.points for field in form)])

    def own_fields(self) -> list[Any]:
        return list(super().__iter__())

    def document(self) -> dict[str, Any]:
        told = self.cleaned_data
        return {
            "format": "test-case/1",
            "code": told["code"],
            "version": told["version"],
            "language": told["language"],
            "title": {"es": told["title_es"], "en": told["title_en"]},
            "assignment": told["assignment"].replace("\r\n", "\n"),
            "limits": {"requests": told["max_requests"], "seconds": told["max_seconds"]},
            "terms": told["terms"],
            "catalogue": told["catalogue"],
            "points": [
                {
                    "code": form.cleaned_data["code"],
                    "title": {"es": form.cleaned_data["title_es"], "en": form.cleaned_data["title_en"]},
                }
                for form in self.points
            ],
        }

    def tell(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            words = told(fault)
            place = PLACE.fullmatch(fault.key or "")
            if place is not None:
                name = (place[3] or "code").replace("title.", "title_")
                form = self.points[int(place[1])]
                form.add_error(name if name in form.fields else None, words)
                continue
            name = (fault.key or "").partition("[")[0].replace("title.", "title_")
            if name == "assignment" and fault.code == "VALUE_NOT_ALLOWED":
                words = gettext("The text does not name {start_domain}.")
            self.add_error(name if name in self.fields else None, words)


class VariantForm(forms.Form):
    start_domain = forms.CharField(
        label=_("Start domain"),
        max_length=253,
        help_text=_(
            "As the assignment names it, for example observatorio.example. It need not be a name of the network."
        ),
        error_messages={"required": _("Write the domain.")},
    )
    target = forms.ModelChoiceField(
        None,
        label=_("Site that the runs reach"),
        empty_label=None,
        error_messages={"required": _("Choose one.")},
    )

    def __init__(self, *args: Any, targets: Any, **options: Any):
        super().__init__(*args, **options)
        self.fields["target"].queryset = targets


class TargetForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=100, error_messages={"required": _("Give it a name.")})
    scheme = forms.ChoiceField(
        label=_("Protocol"),
        choices=[("https", "https"), ("http", "http")],
        widget=forms.RadioSelect,
        initial="https",
    )
    host = forms.CharField(label=_("Host"), max_length=253, error_messages={"required": _("Write the host.")})
    port = forms.IntegerField(
        label=_("Port"), min_value=1, max_value=65_535, required=False, help_text=_("Left empty: 443 or 80.")
    )
