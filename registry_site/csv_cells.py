"""PURE. Cells of a file that a spreadsheet opens: what would be read as a formula is told to be text."""

_READ_AS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """The text, with a leading ' when a spreadsheet would compute it."""
    return f"'{text}" if text.startswith(_READ_AS_A_FORMULA) else text
