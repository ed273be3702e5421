"""Damage to control files (JSON and clocks) and to names inside of raw data."""

import json
import re
import struct

from kinds import NotApplicable, kind
from values import BAD_TEXT, HOSTILE, parent_of, spots, with_text_at, wrong_json_values


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


@kind("control files", "json-drop", "a member of a control file is gone")
def json_drop(trial):
    path, value, place = a_json(trial)
    del parent_of(value, place)[place[-1]]
    path.write_text(json.dumps(value), encoding="utf-8")
    return f"{trial.name_of(path)}: {place_name(place)} is gone"


@kind("control files", "json-value", "a member of a control file has a value of another type or size")
def json_value(trial):
    path, value, place = a_json(trial)
    text = wrong_json_values(trial.rng)
    path.write_text(with_text_at(value, place, text), encoding="utf-8")
    return f"{trial.name_of(path)}: {place_name(place)} is {text[:60]}"


@kind("control files", "json-twice", "a member of a control file comes twice")
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


@kind("control files", "json-hostile", "texts of a control file are hostile")
def json_hostile(trial):
    path, value, _ = a_json(trial)
    text = trial.rng.choice(HOSTILE)
    for place in list(spots(value)):
        holder = parent_of(value, place)
        if isinstance(holder[place[-1]], str) and trial.rng.random() < 0.5:
            holder[place[-1]] = text
    path.write_bytes(json.dumps(value).encode())
    return f"{trial.name_of(path)}: texts are {text[:60]!r}"


@kind("control files", "json-bad-text", "texts of a control file are no UTF-8")
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


# Names inside of raw data.

@kind("names", "hostile-names", "names of the dictionary are hostile")
def hostile_names(trial):
    path = trial.pick(families=("dictionary",))
    text = trial.rng.choice(HOSTILE).encode("utf-8", "replace").replace(b"\n", b" ")
    return rename_in(trial, path, text)


@kind("names", "bad-text-names", "names of the dictionary are no UTF-8")
def bad_text_names(trial):
    return rename_in(trial, trial.pick(families=("dictionary",)), trial.rng.choice(BAD_TEXT))


def rename_in(trial, path, text):
    lines = path.read_bytes().splitlines(keepends=True)
    chosen = [index for index in range(len(lines)) if trial.rng.random() < 0.3] or [0]
    for place, index in enumerate(chosen[:20]):  # Names stay different.
        lines[index] = lines[index].split(b":")[0] + b":" + text + (b"%d" % place if place else b"") + b"\n"
    path.write_bytes(b"".join(lines))
    return f"{trial.name_of(path)}: {len(chosen[:20])} names are {text[:40]!r} and the like"


@kind("names", "hostile-operators", "names of the framework's operators, shapes and stacks are hostile")
def hostile_operators(trial):
    """Fields of records of type, length, value are replaced by others of any length."""
    path = trial.pick("tlv")
    content = path.read_bytes()
    bounds = trial.bounds(path, content)
    fixed = {"op_range": 58, "op_mark": 40, "memory_usage": 77, "python_tracer_hash": 8,
             "param_tensor_info": 8, "mindspore.op_range": 54, "mindspore.memory_usage": 100,
             "mindspore.record_shapes": 0}[trial.layout(path).family]
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
