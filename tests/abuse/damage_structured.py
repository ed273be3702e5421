"""Damage that knows what is inside: control files, clocks, databases, tables, timelines, names."""

import json
import re
import sqlite3
import struct

from kinds import NotApplicable, kind

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


def a_json(trial, families=None):
    """A control file with its value, and a place in it."""
    path = trial.pick("json", families=families)
    value = json.loads(path.read_text(encoding="utf-8"))
    places = list(spots(value))
    if not places:
        raise NotApplicable
    return path, value, trial.rng.choice(places)


def place_name(place):
    return ".".join(map(str, place))


@kind("control files", "json-drop", "a member of a control file is gone", changes_values=True)
def json_drop(trial):
    path, value, place = a_json(trial)
    del parent_of(value, place)[place[-1]]
    path.write_text(json.dumps(value), encoding="utf-8")
    return f"{trial.name_of(path)}: {place_name(place)} is gone"


@kind("control files", "json-value", "a member of a control file has a value of another type or size", changes_values=True)
def json_value(trial):
    path, value, place = a_json(trial)
    text = wrong_json_values(trial.rng)
    path.write_text(with_text_at(value, place, text), encoding="utf-8")
    return f"{trial.name_of(path)}: {place_name(place)} is {text[:60]}"


@kind("control files", "json-twice", "a member of a control file comes twice", changes_values=True)
def json_twice(trial):
    path, value, place = a_json(trial)
    holder = parent_of(value, place)
    if not isinstance(holder, dict):
        raise NotApplicable
    text = json.dumps(value)
    key = json.dumps(place[-1]) + ":"
    again = f"{key} {wrong_json_values(trial.rng)}, "
    at = text.find(key)
    path.write_text(text[:at] + again + text[at:], encoding="utf-8")
    return f"{trial.name_of(path)}: {place_name(place)} comes twice"


@kind("control files", "json-not-json", "a control file is no JSON")
def json_not_json(trial):
    path = trial.pick("json")
    content = trial.rng.choice([b"<html></html>", b"\x00" * 100, b"\xef\xbb\xbf{}", b"'single': 1", b"{,}", b"null", b"[]",
                                b"{}", b"1", b"\"text\"", b"[" * 100_000, b"{\"a\":" * 100_000, b"{\"a\": 1} {\"b\": 2}",
                                b"{\"\xff\xfe\": \"\xff\"}", b"\n", b" " * 100_000, b"version https://git-lfs"])
    path.write_bytes(content)
    return f"{trial.name_of(path)} is {content[:40]!r}"


@kind("control files", "json-hostile", "texts of a control file are hostile", changes_values=True)
def json_hostile(trial):
    path, value, _ = a_json(trial)
    text = trial.rng.choice(HOSTILE)
    for place in list(spots(value)):
        holder = parent_of(value, place)
        if isinstance(holder[place[-1]], str) and trial.rng.random() < 0.5:
            holder[place[-1]] = text
    path.write_bytes(json.dumps(value).encode())
    return f"{trial.name_of(path)}: texts are {text[:60]!r}"


@kind("control files", "json-bad-text", "texts of a control file are no UTF-8", changes_values=True)
def json_bad_text(trial):
    path = trial.pick("json")
    content = path.read_bytes()
    texts = list(re.finditer(rb'"[^"\\]*"', content))
    if not texts:
        raise NotApplicable
    chosen = trial.rng.choice(texts)
    bad = trial.rng.choice(BAD_TEXT)
    path.write_bytes(content[:chosen.start() + 1] + bad + content[chosen.end() - 1:])
    return f"{trial.name_of(path)}: {chosen.group()[:40]!r} is {bad!r}"


# Clocks.

CLOCK_KEYS = ("cpu", "Frequency", "hwts_frequency", "aic_frequency", "collectionTimeBegin", "collectionTimeEnd",
              "clockMonotonicRaw", "platform_version", "start_info", "syscnt", "freq", "monotonic", "localtime_diff",
              "start_monotonic", "start_cnt", "syscnt_enable")


@kind("clocks", "clock-value", "a frequency or time of a control file is 0, negative, null or absurd")
def clock_value(trial):
    path, value, _ = a_json(trial, ("info.json", "start and end", "profiler_info", "sample.json"))
    places = [place for place in spots(value)
              if any(key.lower() in str(place[-1]).lower() for key in CLOCK_KEYS)]
    if not places:
        raise NotApplicable
    place = trial.rng.choice(places)
    text = trial.rng.choice(["0", "-1", "null", "\"\"", "\"0\"", "\"-100.0\"", "\"abc\"", "1e-300", "1e300", "1",
                             "9223372036854775807", "-9223372036854775808", "\"NaN\"", "\"100,0\"", "\"1e5\""])
    path.write_text(with_text_at(value, place, text), encoding="utf-8")
    return f"{trial.name_of(path)}: {place_name(place)} is {text}"


@kind("clocks", "clock-log", "a number of host_start.log or dev_start.log is gone or absurd")
def clock_log(trial):
    path = trial.pick(families=("clock logs",))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    index = trial.rng.randrange(len(lines))
    if trial.rng.random() < 0.3:
        what = f"without {lines.pop(index).strip()}"
    else:
        number = trial.rng.choice(["0", "-1", "18446744073709551615", "18446744073709551616", "abc", "", "1", "1.5",
                                   "9223372036854775807"])
        lines[index] = lines[index].split(":")[0] + f": {number}\n"
        what = lines[index].strip()
    path.write_text("".join(lines), encoding="utf-8")
    return f"{trial.name_of(path)}: {what}"


@kind("clocks", "clocks-gone", "files of clocks are gone, one, some or all")
def clocks_gone(trial):
    paths = trial.files(families=("clock logs", "start and end", "profiler_info"))
    if not paths:
        raise NotApplicable
    chosen = trial.rng.choice([trial.rng.sample(paths, 1), trial.rng.sample(paths, len(paths) // 2), paths,
                               [path for path in paths if "start_info" in path.name],
                               [path for path in paths if "host_start" in path.name],
                               [path for path in paths if "dev_start" in path.name]])
    if not chosen:
        raise NotApplicable
    for path in chosen:
        path.unlink()
        mark = path.with_name(path.name + ".done")
        if trial.rng.random() < 0.5 and mark.exists():
            mark.unlink()
    return "gone: " + ", ".join(trial.name_of(path) for path in chosen)


# Databases.

def on_database(name, text, **flags):
    """A kind that changes a database with SQL; the function gets the connection and its tables."""
    def register(function):
        @kind("databases", name, text, **flags)
        def apply(trial):
            path = trial.pick("database")
            with sqlite3.connect(path, isolation_level=None) as database:
                database.text_factory = bytes
                tables = [row[0].decode() for row in database.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
                what = function(trial, database, tables)
            database.close()
            return f"{trial.name_of(path)}: {what}"
        return apply
    return register


def a_table(trial, database, tables):
    """A table that has rows, with its columns."""
    filled = [table for table in tables if database.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()]
    table = trial.rng.choice(filled)
    columns = [row[1].decode() for row in database.execute(f'PRAGMA table_info("{table}")')]
    return table, columns


@on_database("drop-table", "a table is gone")
def drop_table(trial, database, tables):
    table = trial.rng.choice(tables)
    database.execute(f'DROP TABLE "{table}"')
    return f"without {table}"


@on_database("rename-table", "a table has another name")
def rename_table(trial, database, tables):
    table = trial.rng.choice(tables)
    database.execute(f'ALTER TABLE "{table}" RENAME TO "OTHER_{table}"')
    return f"{table} is OTHER_{table}"


@on_database("rename-column", "a column has another name")
def rename_column(trial, database, tables):
    table, columns = a_table(trial, database, tables)
    column = trial.rng.choice(columns)
    database.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"')
    return f"{column} of {table} is called other"


@on_database("drop-column", "a column is gone")
def drop_column(trial, database, tables):
    table, columns = a_table(trial, database, tables)
    column = trial.rng.choice(columns)
    rest = ", ".join(f'"{each}"' for each in columns if each != column)
    if not rest:
        raise NotApplicable
    database.execute(f'CREATE TABLE kept AS SELECT {rest} FROM "{table}"')
    database.execute(f'DROP TABLE "{table}"')
    database.execute(f'ALTER TABLE kept RENAME TO "{table}"')
    return f"{table} without {column}"


@on_database("table-as-view", "a view has the place of a table")
def table_as_view(trial, database, tables):
    table = trial.rng.choice(tables)
    endless = trial.rng.random() < 0.3
    database.execute(f'ALTER TABLE "{table}" RENAME TO kept')
    if endless:
        columns = ", ".join(f'n AS "{row[1].decode()}"' for row in database.execute("PRAGMA table_info(kept)"))
        database.execute(f'CREATE VIEW "{table}" AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) '
                         f"SELECT {columns} FROM c")
    else:
        database.execute(f'CREATE VIEW "{table}" AS SELECT * FROM kept')
    return f"{table} is a view{' without end' if endless else ''}"


@on_database("delete-rows", "a table has lost rows that others refer to")
def delete_rows(trial, database, tables):
    table, _ = a_table(trial, database, [each for each in tables if each in ("STRING_IDS", "CONNECTION_IDS", "NPU_INFO",
                                                                           "TASK", "ENUM_API_TYPE", "META_DATA",
                                                                           "SESSION_TIME_INFO", "PYTORCH_CALLCHAINS",
                                                                           "ENUM_MODULE", "RANK_DEVICE_MAP")])
    share = trial.rng.choice(["1", "abs(random()) % 2 = 0", "rowid = (SELECT max(rowid) FROM kept)"])
    share = "1" if share == "1" else f"rowid % {trial.rng.randint(2, 9)} = 0"
    gone = database.execute(f'DELETE FROM "{table}" WHERE {share}').rowcount
    if not gone:
        raise NotApplicable
    return f"{gone} rows of {table} are gone"


@on_database("set-cells", "cells are NULL, of another type, extreme, or hostile", changes_values=True)
def set_cells(trial, database, tables):
    table, columns = a_table(trial, database, tables)
    column = trial.rng.choice(columns)
    value = trial.rng.choice([None, -1, 0, 2**63 - 1, -2**63, 2**31, 1.5, 1e308, float("inf"), "abc", "", "12abc", b"\x00\xff",
                              b"", trial.rng.choice(HOSTILE)])
    where = trial.rng.choice(["1", f"rowid % {trial.rng.randint(2, 5)} = 0", "rowid = 1"])
    try:
        database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {where}',
                         (value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
                          if isinstance(value, str) else value,))
    except sqlite3.DatabaseError as failure:
        raise NotApplicable from failure
    return f"{column} of {table} is {str(value)[:40]!r} where {where}"


@on_database("bad-text-cells", "texts of a database are no UTF-8", changes_values=True)
def bad_text_cells(trial, database, tables):
    bad = trial.rng.choice(BAD_TEXT)
    if "STRING_IDS" not in tables:
        raise NotApplicable
    database.execute(f"UPDATE STRING_IDS SET value = CAST(x'{bad.hex()}' AS TEXT) WHERE rowid % 3 = 0")
    return f"a third of the names is {bad!r}"


@on_database("unknown-strings", "ids of texts are unknown", changes_values=True)
def unknown_strings(trial, database, tables):
    if "STRING_IDS" not in tables:
        raise NotApplicable
    database.execute("UPDATE STRING_IDS SET id = id + 1000000000")
    return "all ids of STRING_IDS are others"


@on_database("virtual-table", "a table of a database would run code of an extension")
def virtual_table(trial, database, tables):
    table = trial.rng.choice(tables)
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE ' || name || ' USING fts5(a)' WHERE name = ?",
                     (table,))
    return f"{table} is said to be virtual"


@on_database("schema-text", "the schema of a database is damaged")
def schema_text(trial, database, tables):
    table = trial.rng.choice(tables)
    text = trial.rng.choice(["CREATE TABLE", "", "x" * 10_000, "CREATE TABLE other(a)", f'CREATE TABLE "{table}" (a, a)'])
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (text, table))
    return f"{table} is said to be {text[:40]!r}"


@on_database("root-page", "a table of a database lies on a page of another")
def root_page(trial, database, tables):
    table = trial.rng.choice(tables)
    page = trial.rng.choice([0, 1, 2, 3, 1_000_000, -1])
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (page, table))
    return f"{table} lies on page {page}"


@kind("databases", "page-damage", "bytes of pages of a database are others")
def page_damage(trial):
    path = trial.pick("database")
    content = bytearray(path.read_bytes())
    bounds = trial.layout(path).bounds(content)
    pages = trial.rng.sample(range(len(bounds) - 1), min(trial.rng.choice([1, 3]), len(bounds) - 1))
    for page in pages:
        begin, end = bounds[page], bounds[page + 1]
        offset = begin + trial.rng.choice([0, 1, 3, 5, 8, 12, 100, trial.rng.randrange(max(1, end - begin))])
        for each in range(offset, min(offset + trial.rng.choice([1, 2, 30]), end)):
            content[each] = trial.rng.randrange(256)
    path.write_bytes(content)
    return f"{trial.name_of(path)}: bytes of pages {pages} are others"


@kind("databases", "database-head", "the head of a database is extreme")
def database_head(trial):
    path = trial.pick("database")
    content = bytearray(path.read_bytes())
    offset, width = trial.rng.choice([(16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (28, 4), (32, 4), (36, 4), (44, 4), (52, 4),
                                      (56, 4), (92, 4)])
    value = trial.rng.choice([0, 1, 2, 3, 255, 2**(8 * width) - 1, 2**(8 * width - 1)]) % 2**(8 * width)
    content[offset:offset + width] = value.to_bytes(width, "big")
    path.write_bytes(content)
    return f"{trial.name_of(path)}: {value} at {offset}"


@kind("databases", "journal-beside", "a journal of a killed writer lies beside a database")
def journal_beside(trial):
    path = trial.pick("database")
    suffix = trial.rng.choice(["-journal", "-wal", "-shm"])
    magic = {"-journal": b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "-wal": struct.pack(">II", 0x377F0682, 3007000)}
    beside = path.with_name(path.name + suffix)
    beside.write_bytes(magic.get(suffix, b"") + trial.rng.randbytes(4096))
    return f"{beside.name} lies beside it"


# Tables.

def on_table(name, text, **flags):
    """A kind that changes the lines of a CSV file."""
    def register(function):
        @kind("tables", name, text, **flags)
        def apply(trial):
            path = trial.pick("csv")
            lines = path.read_bytes().splitlines()
            if len(lines) < 2:
                raise NotApplicable
            changed, what = function(trial, lines)
            path.write_bytes(b"\n".join(changed) + b"\n")
            return f"{trial.name_of(path)}: {what}"
        return apply
    return register


def columns_of(line):
    """Cells; quotes are not looked at, which makes for more damage."""
    return line.split(b",")


@on_table("csv-drop-column", "a column is gone", changes_values=True)
def csv_drop_column(trial, lines):
    index = trial.rng.randrange(len(columns_of(lines[0])))
    name = columns_of(lines[0])[index].decode()
    return [b",".join(cells[:index] + cells[index + 1:]) for cells in map(columns_of, lines)], f"without {name}"


@on_table("csv-reorder-columns", "columns are in another order", changes_values=True)
def csv_reorder_columns(trial, lines):
    order = list(range(len(columns_of(lines[0]))))
    trial.rng.shuffle(order)
    def reorder(line):
        cells = columns_of(line)
        return b",".join(cells[i] for i in order) if len(cells) == len(order) else line
    return [reorder(line) for line in lines], f"columns in the order {order}"


@on_table("csv-rename-column", "a column has another name, or none")
def csv_rename_column(trial, lines):
    cells = columns_of(lines[0])
    index = trial.rng.randrange(len(cells))
    old, cells[index] = cells[index], trial.rng.choice([b"", b"other", cells[0], b"\"", b"\xff", b"=1"])
    return [b",".join(cells), *lines[1:]], f"{old.decode()} is called {cells[index]!r}"


@on_table("csv-cell", "a cell is empty, extreme, no number or hostile", changes_values=True)
def csv_cell(trial, lines):
    row = trial.rng.randrange(1, len(lines))
    cells = columns_of(lines[row])
    index = trial.rng.randrange(len(cells))
    hostile = trial.rng.choice(HOSTILE).encode("utf-8", "replace")
    cells[index] = trial.rng.choice([b"", b"0", b"-1", b"1e308", b"-9223372036854775808", b"9" * 400, b"nan", b"inf", b"N/A",
                                     b"abc", b"1,5", b"\"", b"\"\"\"", b"\x00", b"1\t", b"0x10", hostile,
                                     trial.rng.choice(BAD_TEXT)])
    what = f"cell {index} of row {row} is {cells[index][:40]!r}"
    return [*lines[:row], b",".join(cells), *lines[row + 1:]], what


@on_table("csv-quote", "a quote is opened and never closed")
def csv_quote(trial, lines):
    row = trial.rng.randrange(1, len(lines))
    return [*lines[:row], b"\"" + lines[row], *lines[row + 1:]], f"row {row} opens a quote"


@on_table("csv-cut-line", "a line is cut", changes_values=True)
def csv_cut_line(trial, lines):
    row = trial.rng.randrange(1, len(lines))
    size = trial.rng.randrange(max(1, len(lines[row])))
    return [*lines[:row], lines[row][:size], *lines[row + 1:]], f"row {row} ends after {size} bytes"


@on_table("csv-separator", "another separator, or other line ends")
def csv_separator(trial, lines):
    how = trial.rng.choice(["semicolons", "tabs", "returns", "only returns", "byte order mark", "UTF-16"])
    if how == "semicolons":
        return [line.replace(b",", b";") for line in lines], how
    if how == "tabs":
        return [line.replace(b",", b"\t") for line in lines], how
    if how == "returns":
        return [line + b"\r" for line in lines], how
    if how == "only returns":
        return [b"\r".join(lines)], how
    if how == "byte order mark":
        return [b"\xef\xbb\xbf" + lines[0], *lines[1:]], how
    return [b"\n".join(lines).decode("utf-8", "replace").encode("utf-16")], how


@on_table("csv-head", "the head is gone, or comes twice, or is all there is")
def csv_head(trial, lines):
    how = trial.rng.choice(["gone", "twice", "alone"])
    return {"gone": lines[1:], "twice": [lines[0], *lines], "alone": lines[:1]}[how], f"the head is {how}"


@on_table("csv-long-line", "a line has a million cells or bytes", changes_values=True)
def csv_long_line(trial, lines):
    row = trial.rng.randrange(1, len(lines))
    more = trial.rng.choice([b"," * 1_000_000, b"x" * 1_000_000, b",x" * 500_000])
    return [*lines[:row], lines[row] + more, *lines[row + 1:]], f"row {row} is long"


# Timelines.

def on_timeline(name, text, **flags):
    """A kind that changes the events of a timeline."""
    def register(function):
        @kind("timelines", name, text, **flags)
        def apply(trial):
            path = trial.pick("timeline")
            events = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(events, list) or len(events) < 2:
                raise NotApplicable
            result, what = function(trial, events)
            path.write_text(result if isinstance(result, str) else json.dumps(result), encoding="utf-8")
            return f"{trial.name_of(path)}: {what}"
        return apply
    return register


def some_events(trial, events):
    """Indexes of one event, of some, or of all with one name of phase."""
    how = trial.rng.choice(["one", "some", "phase"])
    if how == "one":
        return [trial.rng.randrange(len(events))]
    if how == "some":
        return trial.rng.sample(range(len(events)), min(len(events), 20))
    phase = trial.rng.choice(sorted({event.get("ph", "") for event in events}))
    return [index for index, event in enumerate(events) if event.get("ph", "") == phase]


@on_timeline("event-drop-key", "events lack a member", changes_values=True)
def event_drop_key(trial, events):
    key = trial.rng.choice(["ph", "ts", "dur", "pid", "tid", "name", "args", "id", "cat"])
    chosen = some_events(trial, events)
    for index in chosen:
        events[index].pop(key, None)
    return events, f"{len(chosen)} events have no {key}"


@on_timeline("event-value", "members of events have another type or size", changes_values=True)
def event_value(trial, events):
    key = trial.rng.choice(["ph", "ts", "dur", "pid", "tid", "name", "args", "id", "cat"])
    text = wrong_json_values(trial.rng)
    chosen = some_events(trial, events)[:200]
    for index in chosen:
        events[index][key] = MARK
    return json.dumps(events).replace(f'"{MARK}"', text), f"{key} of {len(chosen)} events is {text[:60]}"


@on_timeline("event-args", "arguments of events have another type or size", changes_values=True)
def event_args(trial, events):
    having = [event for event in events if isinstance(event.get("args"), dict) and event["args"]]
    if not having:
        raise NotApplicable
    key = trial.rng.choice(sorted({key for event in having for key in event["args"]}))
    text = wrong_json_values(trial.rng)
    for event in having:
        if key in event["args"]:
            event["args"][key] = MARK
    return json.dumps(events).replace(f'"{MARK}"', text), f"argument {key} is {text[:60]}"


@on_timeline("event-hostile", "names of events are hostile", changes_values=True)
def event_hostile(trial, events):
    text = trial.rng.choice(HOSTILE)
    chosen = some_events(trial, events)[:50]
    for place, index in enumerate(chosen):  # Names stay different.
        events[index]["name"] = text + (str(place) if place else "")
    return events, f"{len(chosen)} events are called {text[:40]!r} and the like"


@on_timeline("event-ids", "ids of arrows are all the same, or each comes once", changes_values=True)
def event_ids(trial, events):
    same = trial.rng.random() < 0.5
    for index, event in enumerate(events):
        if "id" in event:
            event["id"] = "7" if same else str(index)
    return events, "all ids are equal" if same else "no ids are equal"


@on_timeline("event-elsewhere", "an element of the timeline is no event")
def event_elsewhere(trial, events):
    text = trial.rng.choice(["1", "null", "[]", "\"x\"", nested(100), nested(100_000), "{}", "true"])
    at = trial.rng.randrange(len(events))
    return json.dumps([*events[:at], MARK, *events[at:]]).replace(f'"{MARK}"', text), f"element {at} is {text[:40]}"


@on_timeline("timeline-shape", "the timeline is an object, cut, or two in one file")
def timeline_shape(trial, events):
    text = json.dumps(events)
    how = trial.rng.choice(["object", "empty object", "no end", "two", "comma", "nested"])
    return {"object": json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}),
            "empty object": json.dumps({"traceEvents": {}}), "no end": text.rstrip("]"), "two": text + text,
            "comma": text[:-1] + ",]", "nested": "[" * 5000 + text + "]" * 5000}[how], how


@on_timeline("event-order", "events are in any order")
def event_order(trial, events):
    trial.rng.shuffle(events)
    return events, "events in another order"


# Names inside of raw data.

@kind("names", "hostile-names", "names of the dictionary are hostile", changes_values=True)
def hostile_names(trial):
    path = trial.pick(families=("dictionary",))
    text = trial.rng.choice(HOSTILE).encode("utf-8", "replace").replace(b"\n", b" ")
    return rename_in(trial, path, text)


@kind("names", "bad-text-names", "names of the dictionary are no UTF-8", changes_values=True)
def bad_text_names(trial):
    return rename_in(trial, trial.pick(families=("dictionary",)), trial.rng.choice(BAD_TEXT))


def rename_in(trial, path, text):
    lines = path.read_bytes().splitlines(keepends=True)
    chosen = [index for index in range(len(lines)) if trial.rng.random() < 0.3] or [0]
    for place, index in enumerate(chosen[:20]):  # Names stay different.
        lines[index] = lines[index].split(b":")[0] + b":" + text + (b"%d" % place if place else b"") + b"\n"
    path.write_bytes(b"".join(lines))
    return f"{trial.name_of(path)}: {len(chosen[:20])} names are {text[:40]!r} and the like"


@kind("names", "hostile-operators", "names of the framework's operators, shapes and stacks are hostile", changes_values=True)
def hostile_operators(trial):
    """Fields of records of type, length, value are replaced by others of any length."""
    path = trial.pick("tlv")
    content = path.read_bytes()
    bounds = trial.bounds(path, content)
    fixed = {"op_range": 58, "op_mark": 40, "memory_usage": 77, "python_tracer_hash": 8,
             "param_tensor_info": 8}[trial.layout(path).family]
    text = trial.rng.choice([*[each.encode("utf-8", "replace") for each in HOSTILE], *BAD_TEXT])
    parts = []
    for begin, end in zip(bounds, bounds[1:]):
        record = content[begin:end]
        if trial.rng.random() < 0.2:
            record = with_fields(record, fixed, text, trial.rng)
        parts.append(record)
    changed = b"".join(parts)
    if len(changed) > 20_000_000:
        raise NotApplicable
    path.write_bytes(changed)
    return f"{trial.name_of(path)}: texts are {text[:40]!r}"


def with_fields(record, fixed, text, rng):
    """The record with some of its texts replaced."""
    kind_number = record[:2]
    value = record[6:6 + fixed]
    at = 6 + fixed
    while at + 6 <= len(record):
        (length,) = struct.unpack_from("<I", record, at + 2)
        field = record[at + 6:at + 6 + length]
        if rng.random() < 0.5:
            field = text
        value += record[at:at + 2] + struct.pack("<I", len(field)) + field
        at += 6 + length
    return kind_number + struct.pack("<I", len(value)) + value
