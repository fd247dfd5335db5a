"""What the examples of the OpenAPI document are made of: one believable value for each name of a field."""

from typing import Any

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
NUMBER = "FEH-2026-000042-87"
ADDRESS = f"/api/v1/certificates/{NUMBER}/"

BY_NAME: dict[str, Any] = {
    "access": "members",
    "address": ADDRESS,
    "after": "suspended",
    "answers": 50,
    "appeal": None,
    "appeal_until": "2026-12-31T03:00:00Z",
    "as_of": "2026-11-30T14:05:00Z",
    "assignment": "Busca en observatoriodeagentes.com …",
    "at": "2026-11-30T14:05:00Z",
    "attempts": 1,
    "band": "full",
    "before": "active",
    "blocks": None,
    "bytes": 1234567,
    "bytes_done": 1234567,
    "bytes_total": 1234567,
    "cannot_be_significant": False,
    "case": "PI-001",
    "case_version": 1,
    "categories": ["hallucinates", "does_not"],
    "category": None,
    "certificate": NUMBER,
    "certificates": [NUMBER],
    "checked_at": "2026-11-28T10:31:07Z",
    "closes_at": "2027-03-01T03:00:00Z",
    "clusters": None,
    "code": "HALU",
    "columns": [30, 20],
    "commitment": SHA256,
    "compared": 50,
    "complete": True,
    "computed": "0.101351",
    "confidence": "0.950000",
    "corpus": {"documents": 16, "articles": 1173, "as_of": "2026-07-10"},
    "country": "CL",
    "custodian": "Registro",
    "declared": "0.101",
    "denominator": "judged",
    "detectable": "0.081000",
    "df": 2,
    "differ": False,
    "difference": None,
    "disagreement_bound": None,
    "document": "5d4140",
    "draws": None,
    "effect": None,
    "error": None,
    "estimate": "0.101351",
    "evidence_sha256": SHA256,
    "expected": "64",
    "failure": None,
    "fault": None,
    "figures_address": f"{ADDRESS}figures/",
    "filename": "package.zip",
    "found": "63",
    "group": "es",
    "group_names": {"es": {"es": "español", "en": "Spanish"}, "en": {"es": "inglés", "en": "English"}},
    "groups": ["en", "es", "pt"],
    "hash": SHA256,
    "high": "0.159900",
    "history_address": f"{ADDRESS}history/",
    "holder": "Innova SpA",
    "holder_had_access": "no",
    "id": 19,
    "identifier": "76.543.210-3",
    "identifier_kind": "tax_number",
    "in_force": False,
    "inadmissible": None,
    "integrity": "verified",
    "interval": "wilson",
    "issued_at": "2026-11-29T12:00:00Z",
    "judge": None,
    "k": 15,
    "kappa": "0.400000",
    "key": "language",
    "kind": "evidence",
    "language": "es",
    "last_day": "2027-02-28",
    "left_out": {"not_judged": 2, "reviewer_undecided": 1, "reviewers_tied": 0},
    "low": "0.062300",
    "margin": "0.021000",
    "matrix": [[20, 5], [10, 15]],
    "meaning": "A key that format 1 does not know.",
    "measured_at": "2026-11-20T15:00:00Z",
    "member": "data/items.jsonl:3",
    "members": 7,
    "members_total": 7,
    "mend": "Check its spelling, or leave it out.",
    "method": "hallucination",
    "metric": "hallucination",
    "minimum_n": 100,
    "model_family": "quillay",
    "n": 148,
    "n_eff": None,
    "name": None,
    "needed": 93,
    "newer_version_certificate": None,
    "next": None,
    "notice": "AV-2026-000123",
    "notices": [],
    "number": NUMBER,
    "observed_range": "0.054000",
    "occurred_on": None,
    "other": None,
    "p": "0.213",
    "p_holm": "0.426",
    "pairs": None,
    "other_versions": [2],
    "outcome": "upheld",
    "path": "data/evaluation.json",
    "per_category": {"hallucinates": "0.727273", "does_not": "0.666667"},
    "planned_runs": 9,
    "publication_delay": 2,
    "published_at": "2026-11-30T14:05:00Z",
    "raters": None,
    "raw_agreement": {"k": 35, "n": 50, "estimate": "0.700000", "low": "0.562472", "high": "0.808993"},
    "reason": "system_changed",
    "reference": "M-19",
    "registered_at": "2026-11-30T14:05:00Z",
    "requests": 40,
    "required_groups": ["es"],
    "result": {"same_set": True, "outcomes": []},
    "review_days": 5,
    "review_on": "2027-01-31",
    "reviewers": 1,
    "reviews": 53,
    "role": "certifier",
    "rows": [25, 25],
    "rubric": None,
    "rubric_address": None,
    "rubric_version": 1,
    "rules": {"format": "scheme/1", "code": "HALU", "version": "1"},
    "scheme": "HALU-1",
    "runs_total": 0,
    "salt": None,
    "sampled": 300,
    "sealed_at": "2026-11-30T14:05:00Z",
    "seconds": 1200,
    "seed": None,
    "sequence": 2,
    "set_name": "normativa-cl",
    "set_sha256": SHA256,
    "sha256": SHA256,
    "since": "2026-11-30T14:05:00Z",
    "standard_error": "0.127000",
    "start_domain": "observatoriodeagentes.com",
    "state": "ready",
    "statistic": "3.093000",
    "status": "suspended",
    "status_address": f"{ADDRESS}status/",
    "step": "suspend",
    "strength": "fair",
    "superseded_by": None,
    "supersedes": None,
    "system": "Asistente Normativo",
    "terms_path": "/condiciones",
    "threshold": "0.150000",
    "tied": None,
    "tied_groups": 3,
    "times_used_before": 0,
    "unjudged": 0,
    "valid_until": "2027-11-30T03:00:00Z",
    "value": "0.129000",
    "verifier": "1",
    "version": "2026.07.1",
    "worst": None,
}
TEXTS = {
    "es": "El sistema que se ofrece ya no es la versión evaluada.",
    "en": "The system offered is no longer the version evaluated.",
}
BY_TYPE: dict[str, Any] = {"string": "text", "integer": 1, "number": 1, "boolean": False, "object": {}}


def example_of(schema: dict[str, Any], components: dict[str, Any], *, name: str = "", depth: int = 0) -> Any:
    """A value that `schema` describes; `components` is `components.schemas` of the same document."""
    if depth > 8:
        return None
    if "$ref" in schema:
        target = components[schema["$ref"].rpartition("/")[2]]
        return example_of(target, components, name=name, depth=depth + 1)
    if name in TEXTS:
        return TEXTS[name]
    kinds = schema.get("type", "")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "array" in kinds:
        if isinstance(BY_NAME.get(name), list) and "$ref" not in schema.get("items", {}):
            return BY_NAME[name]
        return [example_of(schema.get("items", {}), components, name=f"one of {name}", depth=depth + 1)]
    if "properties" in schema:
        return {
            key: example_of(inner, components, name=key, depth=depth + 1)
            for key, inner in schema["properties"].items()
        }
    if "enum" in schema:
        return BY_NAME[name] if name in BY_NAME and BY_NAME[name] in schema["enum"] else schema["enum"][0]
    for choice in ("allOf", "oneOf", "anyOf"):
        if schema.get(choice):
            return example_of(schema[choice][0], components, name=name, depth=depth + 1)
    value = BY_NAME.get(name, BY_TYPE.get(next((kind for kind in kinds if kind != "null"), "")))
    return value if _fits(value, kinds) else BY_TYPE.get(kinds[0])


def _fits(value: Any, kinds: list[str]) -> bool:
    if value is None:
        return "null" in kinds or kinds == [""]
    named = {str: "string", bool: "boolean", int: "integer", dict: "object", list: "array"}[type(value)]
    return kinds == [""] or named in kinds
