"""Rows that may be missing without a word.

Each entry names what is allowed as narrowly as possible and says why nobody could have told. The shorter this list,
the better.
"""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Allowed:
    """Differences that are no silent loss."""
    reason: str
    kinds: str  # All three are patterns: of the kind of damage,
    what: str  # of what was done (which begins with the file),
    tables: str = ""  # and of the table that has fewer rows.
    most_rows: int = 1 << 60  # That may be missing of a table.


ALLOWED = [
    Allowed("A dictionary: it lists the texts that rows use, each once. A row that is lost shows in its own table.",
            ".*", "", r"\.db STRING_IDS$"),
]


def is_allowed(trial, kind, what, table, before, now):
    """Whether a table may have fewer rows after this damage."""
    del trial
    return any(re.fullmatch(each.kinds, kind.name) and re.search(each.what, what) and re.search(each.tables, table) and
               before - now <= each.most_rows for each in ALLOWED)
