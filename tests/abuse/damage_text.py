"""Damage to results as text: tables and timelines."""

import csv
import io
import json

from kinds import NotApplicable, kind
from values import BAD_TEXT, HOSTILE, MARK, nested, wrong_json_values


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


@on_table("csv-drop-column", "a column is gone")
def csv_drop_column(trial, lines):
    index = trial.rng.randrange(len(columns_of(lines[0])))
    name = columns_of(lines[0])[index].decode()
    return [b",".join(cells[:index] + cells[index + 1:]) for cells in map(columns_of, lines)], f"without {name}"


@on_table("csv-reorder-columns", "columns are in another order")
def csv_reorder_columns(trial, lines):
    rows = list(csv.reader(io.StringIO(b"\n".join(lines).decode(), newline="")))
    order = list(range(len(rows[0])))
    trial.rng.shuffle(order)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([row[i] for i in order if i < len(row)] for row in rows)
    return text.getvalue().encode().splitlines(), f"columns in the order {order}"


@on_table("csv-rename-column", "a column has another name, or none")
def csv_rename_column(trial, lines):
    cells = columns_of(lines[0])
    index = trial.rng.randrange(len(cells))
    old, cells[index] = cells[index], trial.rng.choice([b"", b"other", cells[0], b"\"", b"\xff", b"=1"])
    return [b",".join(cells), *lines[1:]], f"{old.decode()} is called {cells[index]!r}"


@on_table("csv-cell", "a cell is empty, extreme, no number or hostile")
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


@on_table("csv-cut-line", "a line is cut")
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


@on_table("csv-long-line", "a line has a million cells or bytes")
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


@on_timeline("event-drop-key", "events lack a member")
def event_drop_key(trial, events):
    key = trial.rng.choice(["ph", "ts", "dur", "pid", "tid", "name", "args", "id", "cat"])
    chosen = some_events(trial, events)
    for index in chosen:
        events[index].pop(key, None)
    return events, f"{len(chosen)} events have no {key}"


@on_timeline("event-value", "members of events have another type or size")
def event_value(trial, events):
    key = trial.rng.choice(["ph", "ts", "dur", "pid", "tid", "name", "args", "id", "cat"])
    text = wrong_json_values(trial.rng)
    chosen = some_events(trial, events)[:200]
    for index in chosen:
        events[index][key] = MARK
    return json.dumps(events).replace(f'"{MARK}"', text), f"{key} of {len(chosen)} events is {text[:60]}"


@on_timeline("event-args", "arguments of events have another type or size")
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


@on_timeline("event-hostile", "names of events are hostile")
def event_hostile(trial, events):
    text = trial.rng.choice(HOSTILE)
    chosen = some_events(trial, events)[:50]
    for place, index in enumerate(chosen):  # Names stay different.
        events[index]["name"] = text + (str(place) if place else "")
    return events, f"{len(chosen)} events are called {text[:40]!r} and the like"


@on_timeline("event-ids", "ids of arrows are all the same, or each comes once")
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
