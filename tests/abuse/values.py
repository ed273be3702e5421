"""Values that nobody expects, and how to put them into JSON."""

import json

HOSTILE = [
    "=HYPERLINK(\"http://localhost\",\"click\")", "+1+1", "-1+1", "@SUM(A1)", "<script>abuse()</script>", "\"><abuse>",
    "\x1b[31mred\x1b[0m", "bell\x07", "new\nline", "carriage\rreturn", "tab\there", "quote\"quote", "comma,comma",
    "semi;colon", "back\\slash", "\\u0000", "%s%n%s", "{}{0}", "../../etc/passwd", "\u202eevil", "\ud83d\ude00", "",
    " ", "'", "x" * 1_000_000, "\x7f", "\x85", "NaN", "null",
]
BAD_TEXT = [b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"cut\xe4\xb8", b"nul\x00nul", b"\x80" * 10]


def nested(depth):
    return "[" * depth + "]" * depth


def wrong_json_values(rng):
    """What no reader expects as a value, as JSON text."""
    return rng.choice(["null", "true", "-1", "0", "1e308", "-1e308", "1e999", "18446744073709551615",
                       "-9223372036854775808", "99999999999999999999999999", "0.5", "\"\"", "\"abc\"", "\"-5\"", "[]", "{}",
                       "[[]]", "{\"a\":{}}", nested(200), nested(100_000), "\"" + "9" * 5000 + "\"", "NaN", "\"nan\"",
                       "\"inf\"", "\"\\ud800\"", "\"\\u0000\"", "\"0x10\"", "\" 1\"", "\"1e3\""])


def spots(value, path=()):
    """Paths of all members and elements inside a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from spots(part, (*path, key))


def parent_of(value, path):
    for key in path[:-1]:
        value = value[key]
    return value


MARK = "@@here@@"


def with_text_at(value, path, text):
    """JSON with any text, valid or not, at one place."""
    parent_of(value, path)[path[-1]] = MARK
    return json.dumps(value).replace(f'"{MARK}"', text)
