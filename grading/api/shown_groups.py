"""What figures show beyond themselves as the API shows it: groups, acceptance criteria, agreement with people.

The shapes of `grading.publishable`. Numbers that are not whole are decimal strings; what may not be told is null.
"""

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from grading import between_groups, criteria, homogeneity, reviews
from grading.clauses import Direction, Requirement, Scope

BANDS = ["no_data", "suppressed", "indicative", "full"]
STRENGTHS = ["poor", "slight", "fair", "moderate", "substantial", "almost_perfect"]


def names_by_key() -> serializers.DictField:
    """Key of a group → its name in both languages. Made anew: a serializer binds its fields."""
    return serializers.DictField(
        child=ShownName(), help_text=_("Names of the groups, by key: languages, scripts, or a scheme's own.")
    )


class ShownName(serializers.Serializer):
    """A name in both languages."""

    es = serializers.CharField()
    en = serializers.CharField()


class ShownLeftOut(serializers.Serializer):
    """A group that takes no part, and its band."""

    group = serializers.CharField()
    band = serializers.ChoiceField(choices=BANDS)


class _AsStored(serializers.Serializer):
    """What is not there is left out: null would say that it was there and may not be told."""

    def to_representation(self, instance):
        told = super().to_representation(instance)
        return {key: value for key, value in told.items() if key in instance}


class _OfOneRate(serializers.Serializer):
    metric = serializers.CharField()
    denominator = serializers.CharField()


class ShownHomogeneity(_OfOneRate):
    """Whether the groups may be said to differ: only where «differ» is true, whatever p is rounded to."""

    outcome = serializers.ChoiceField(choices=[str(of) for of in between_groups.Outcome])
    differ = serializers.BooleanField(allow_null=True)
    groups = serializers.ListField(child=serializers.CharField())
    left_out = ShownLeftOut(many=True)
    design = serializers.ChoiceField(choices=[str(of) for of in between_groups.Design], allow_null=True)
    blocks = serializers.IntegerField(allow_null=True, help_text=_("Questions that the groups share."))
    method = serializers.ChoiceField(choices=[str(of) for of in homogeneity.Method], allow_null=True)
    statistic = serializers.CharField(allow_null=True)
    df = serializers.IntegerField(allow_null=True)
    p = serializers.CharField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    draws = serializers.IntegerField(allow_null=True)


class ShownGroupInterval(serializers.Serializer):
    group = serializers.CharField()
    low = serializers.CharField()
    high = serializers.CharField()


class ShownWorst(_OfOneRate):
    """The lowest-performing groups: named only where the groups differ. The observed range is no gap."""

    more_is_worse = serializers.BooleanField()
    differ = serializers.BooleanField(allow_null=True)
    groups = serializers.ListField(child=serializers.CharField())
    left_out = ShownLeftOut(many=True)
    worst = serializers.ListField(child=serializers.CharField(), allow_null=True)
    tied = serializers.ListField(child=serializers.CharField(), allow_null=True)
    tied_groups = serializers.IntegerField(allow_null=True, help_text=_("How many may be the lowest."))
    confidence = serializers.CharField(allow_null=True)
    intervals = ShownGroupInterval(many=True, allow_null=True)
    observed_range = serializers.CharField(allow_null=True)


class ShownPairs(serializers.Serializer):
    """Shared questions in which both, only the group, only the reference or neither had a case."""

    both = serializers.IntegerField()
    only_group = serializers.IntegerField()
    only_reference = serializers.IntegerField()
    neither = serializers.IntegerField()


class ShownGap(serializers.Serializer):
    """One group less the reference group. No difference is given unless it is significant after Holm."""

    group = serializers.CharField()
    design = serializers.ChoiceField(choices=[str(of) for of in between_groups.Design])
    difference = serializers.CharField(allow_null=True)
    low = serializers.CharField(allow_null=True)
    high = serializers.CharField(allow_null=True)
    test = serializers.ChoiceField(choices=["fisher", "mcnemar"])
    p = serializers.CharField()
    p_holm = serializers.CharField()
    significant = serializers.BooleanField()
    pairs = ShownPairs(allow_null=True)
    detectable = serializers.CharField(allow_null=True, help_text=_("Difference found in 80% of cases."))
    cannot_be_significant = serializers.BooleanField()


class ShownGaps(_OfOneRate):
    """Each group against the declared reference group; empty unless the groups differ."""

    outcome = serializers.ChoiceField(choices=[str(of) for of in between_groups.Outcome])
    differ = serializers.BooleanField(allow_null=True)
    reference = serializers.CharField()
    reference_band = serializers.ChoiceField(choices=BANDS, allow_null=True)
    left_out = ShownLeftOut(many=True)
    groups = ShownGap(many=True)


class ShownMacro(_OfOneRate):
    """The mean of the groups' rates, each with the same weight."""

    outcome = serializers.CharField()
    groups = serializers.ListField(child=serializers.CharField())
    left_out = ShownLeftOut(many=True)
    estimate = serializers.CharField(allow_null=True)
    low = serializers.CharField(allow_null=True)
    high = serializers.CharField(allow_null=True)
    interval = serializers.CharField()
    clusters = serializers.IntegerField(allow_null=True)


class ShownGroups(serializers.Serializer):
    """The groups among each other, an entry for each metric over each denominator."""

    homogeneity = ShownHomogeneity(many=True, allow_null=True)
    worst = ShownWorst(many=True, allow_null=True)
    gaps = ShownGaps(many=True, allow_null=True, help_text=_("Null: the scheme has no reference group."))
    macro = ShownMacro(many=True, allow_null=True)


class ShownDecidedOn(serializers.Serializer):
    """The bound that decided."""

    bound = serializers.ChoiceField(choices=["upper", "lower"])
    value = serializers.CharField()
    confidence = serializers.CharField()


class ShownDecidedRate(_AsStored):
    """One rate beside the threshold."""

    group = serializers.CharField(required=False, help_text=_("Absent: the total."))
    outcome = serializers.ChoiceField(choices=[str(of) for of in criteria.Outcome])
    reason = serializers.ChoiceField(choices=[str(of) for of in criteria.Reason], allow_null=True)
    k = serializers.IntegerField()
    n = serializers.IntegerField()
    unjudged = serializers.IntegerField()
    estimate = serializers.CharField()
    low = serializers.CharField()
    high = serializers.CharField()
    decided_on = ShownDecidedOn()
    margin = serializers.CharField(help_text=_("From the bound that has to hold; above 0 on the right side."))
    needed = serializers.IntegerField(allow_null=True)
    needed_for = serializers.ChoiceField(choices=[str(of) for of in criteria.Outcome], allow_null=True)
    needed_in = serializers.ChoiceField(choices=["answers", "clusters"])


class ShownWanting(serializers.Serializer):
    """A required group that could not be decided on."""

    group = serializers.CharField()
    reason = serializers.ChoiceField(choices=[str(of) for of in criteria.Reason])


class ShownClause(_OfOneRate):
    """One demand of the scheme, and what was decided on it."""

    scope = serializers.ChoiceField(choices=[str(of) for of in Scope])
    direction = serializers.ChoiceField(choices=[str(of) for of in Direction])
    threshold = serializers.CharField()
    minimum_n = serializers.IntegerField()
    required_groups = serializers.ListField(child=serializers.CharField())
    outcome = serializers.ChoiceField(choices=[str(of) for of in criteria.Outcome])
    reason = serializers.ChoiceField(choices=[str(of) for of in criteria.Reason], allow_null=True)
    overall = ShownDecidedRate(allow_null=True)
    groups = ShownDecidedRate(many=True)
    required_groups_wanting = ShownWanting(many=True)
    groups_left_out = ShownLeftOut(many=True)


class ShownRequirement(_AsStored):
    """What the evidence has to be before the clauses count."""

    code = serializers.ChoiceField(choices=[str(of) for of in Requirement])
    met = serializers.BooleanField()
    missing = serializers.ListField(child=serializers.CharField(), required=False)
    judges = serializers.IntegerField(required=False)
    unknown = serializers.ListField(child=serializers.CharField(), required=False)
    custodian = serializers.CharField(required=False, allow_null=True)
    holder_had_access = serializers.CharField(required=False)


class ShownCriteria(serializers.Serializer):
    """The decision on the acceptance criteria: always by the bound of an interval."""

    outcome = serializers.ChoiceField(choices=[str(of) for of in criteria.Outcome])
    requirements = ShownRequirement(many=True)
    clauses = ShownClause(many=True)


class ShownKappa(_AsStored):
    """Cohen's kappa of one table, or Fleiss's of several raters, whose keys are a part of these.

    «withheld» says why numbers are null: too few answers, or a hidden figure could be worked out.
    """

    categories = serializers.ListField(
        child=serializers.ChoiceField(choices=[*reviews.VERDICTS, "hallucinates", "does_not"]), required=False
    )
    matrix = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), required=False, allow_null=True
    )
    rows = serializers.ListField(child=serializers.IntegerField(), required=False, allow_null=True)
    columns = serializers.ListField(child=serializers.IntegerField(), required=False, allow_null=True)
    n = serializers.IntegerField(allow_null=True)
    raters = serializers.IntegerField(required=False, allow_null=True)
    kappa = serializers.CharField(allow_null=True)
    standard_error = serializers.CharField(allow_null=True)
    low = serializers.CharField(required=False, allow_null=True)
    high = serializers.CharField(required=False, allow_null=True)
    strength = serializers.ChoiceField(choices=STRENGTHS, allow_null=True)
    strength_low = serializers.ChoiceField(choices=STRENGTHS, required=False, allow_null=True)
    strength_high = serializers.ChoiceField(choices=STRENGTHS, required=False, allow_null=True)
    raw_agreement = serializers.JSONField(
        allow_null=True, help_text=_("Of two raters k, n and Wilson's interval; of several one share.")
    )
    per_category = serializers.DictField(
        child=serializers.CharField(allow_null=True), required=False, allow_null=True
    )
    by_chance = serializers.CharField(required=False, allow_null=True)
    disagreement_bound = serializers.CharField(required=False, allow_null=True)
    reason = serializers.CharField(required=False, allow_null=True)
    indicative = serializers.BooleanField()
    withheld = serializers.ChoiceField(choices=["few", "complementary"], allow_null=True)


class ShownJudgeKappas(serializers.Serializer):
    """A judge beside people; null is the verdict that counts."""

    judge = serializers.CharField(allow_null=True)
    verdicts = ShownKappa()
    hallucinates = ShownKappa()


class ShownAmongKappas(serializers.Serializer):
    """Several raters among themselves."""

    kind = serializers.ChoiceField(choices=["cohen", "fleiss"])
    verdicts = ShownKappa()
    hallucinates = ShownKappa()


class ShownAgreement(_AsStored):
    """Blind reviews by people; without «judges» none were handed in, which is a declared limitation."""

    reviews = serializers.IntegerField(required=False, allow_null=True)
    reviewers = serializers.IntegerField(required=False)
    answers = serializers.IntegerField(required=False, allow_null=True)
    compared = serializers.IntegerField(required=False, allow_null=True)
    left_out = serializers.DictField(child=serializers.IntegerField(), required=False, allow_null=True)
    judges = ShownJudgeKappas(many=True, required=False)
    between_reviewers = ShownAmongKappas(required=False, allow_null=True)
    between_judges = ShownAmongKappas(required=False)
