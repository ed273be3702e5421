"""Reads what npuprof wrote: is it well-formed, how many rows has it, and of which time are they."""

import csv
import dataclasses
import gzip
import io
import json
import re
import sqlite3
import zlib

# In names of files: the time of the export, and the rank, which may be what was lost.
LOOSE_NAME = re.compile(r"_\d{14}(?=[_.])|(?<=ascend_pytorch_profiler)_\d+(?=\.db)")
TIME_COLUMN = re.compile(r"^(start|end)(Time)?Ns$|^timestampNs$")
NUMBER = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\t?$")
NEVER_TIMES = (0, -1)


@dataclasses.dataclass
class Results:
    """What a run has written."""
    counts: dict = dataclasses.field(default_factory=dict)  # Rows by file and table or layer.
    times_ns: list = dataclasses.field(default_factory=list)  # The first and the last of each table.
    problems: list = dataclasses.field(default_factory=list)
    unreadable: set = dataclasses.field(default_factory=set)  # Names of files with no counts.
    files: int = 0
    told: set = dataclasses.field(default_factory=set)  # Lines on standard error.

    def count(self, name, number):
        self.counts[name] = self.counts.get(name, 0) + number

    def add_times(self, table, times):
        if times:
            self.times_ns.append((table, min(times), max(times)))


def read_results(folder, places, skip=()):
    """All result files at some places below a folder."""
    results = Results()
    found = [path for place in places for path in [place, *place.rglob("*")]]
    for path in sorted(found):
        if path.is_symlink() or not path.is_file() or path in skip:
            continue
        results.files += 1
        name = LOOSE_NAME.sub("", str(path.relative_to(folder)))
        try:
            read_file(path, name, results)
        except (ValueError, csv.Error, sqlite3.Error, zlib.error, EOFError, OSError, IndexError, TypeError, KeyError,
                AttributeError, RecursionError) as failure:
            results.problems.append(f"{name}: {type(failure).__name__}: {str(failure)[:200]}")
            results.unreadable.add(name)
    return results


def read_file(path, name, results):
    if path.suffix == ".csv":
        read_csv(path, name, results)
    elif path.suffix == ".db":
        read_database(path, name, results)
    elif name.endswith(".json.gz"):
        read_json(gzip.decompress(path.read_bytes()), name, results)
    elif path.suffix == ".json":
        read_json(path.read_bytes(), name, results)
    elif path.suffix == ".perfetto-trace":
        read_perfetto(path.read_bytes(), name, results)
    elif path.suffix == ".html":
        text = path.read_bytes().decode("utf-8")
        if "<abuse" in text or "<script>abuse" in text:
            results.problems.append(f"{name}: markup of a name is not escaped")
        if not text.rstrip().endswith("</html>"):
            results.problems.append(f"{name}: no end")
    else:
        text = path.read_bytes().decode("utf-8")
        if path.suffix != ".txt":  # Which only lists the other files.
            results.count(name, text.count("\n"))


def read_csv(path, name, results):
    content = path.read_bytes()
    if b"\x00" in content:
        raise ValueError("NUL in it")
    csv.field_size_limit(1 << 30)
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
    if not rows:
        raise ValueError("no head")
    # The summary of a data pipeline has a line for each fact, some of them about one operator alone.
    is_list = path.name.startswith("minddata_pipeline_summary")
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]) and not is_list:
            raise ValueError(f"row {number} has {len(row)} cells, the head {len(rows[0])}")
        for cell in row:
            if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not is_harmless(cell):
                raise ValueError(f"row {number} has a cell that spreadsheets take for a formula: {cell[:60]!r}")
    results.count(name, len(rows) - 1)
    for index, column in enumerate(rows[0]):
        if "Start Time(us)" in column or column == "Timestamp(us)":
            cells = (row[index].strip() for row in rows[1:])
            results.add_times(f"{name} {column}", [int(float(cell) * 1000) for cell in cells if NUMBER.match(cell)])


def is_harmless(cell):
    """Numbers, also several, and what stands for none."""
    return all(NUMBER.match(part) or part in ("-", "-nan", "-inf") for part in re.split(r"[,;\s]+", cell) if part)


def read_database(path, name, results):
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            raise ValueError(f"integrity_check: {verdict}")
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            rows = database.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in rows.description]
            content = rows.fetchall()  # Texts that are no UTF-8 fail here.
            results.count(f"{name} {table}", len(content))
            for index, column in enumerate(columns):
                if TIME_COLUMN.match(column):
                    values = [row[index] for row in content if row[index] is not None]
                    results.add_times(f"{name} {table}.{column}", [int(value) for value in values
                                                                   if int(value) not in NEVER_TIMES])
    database.close()


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def read_json(content, name, results):
    value = json.loads(content.decode("utf-8"), parse_constant=refuse)
    if isinstance(value, list) and value and isinstance(value[0], dict) and "ph" in value[0]:
        read_timeline(value, name, results)
    elif isinstance(value, dict) and "operators" in value:
        results.count(f"{name} operators", len(value["operators"]))
        results.count(f"{name} calls", sum(each["count"] for each in value["operators"]))
        results.add_times(name, [each[key] for each in value["operators"] for key in ("start", "end") if key in each])
    else:
        results.count(f"{name} objects", objects_in(value))


def objects_in(value):
    """JSON objects inside of a value."""
    if isinstance(value, dict):
        return 1 + sum(objects_in(each) for each in value.values())
    if isinstance(value, list):
        return sum(objects_in(each) for each in value) if value and isinstance(value[0], (dict, list)) else 0
    return 0


def read_timeline(events, name, results):
    layers = {event["pid"]: event["args"]["name"] for event in events
              if event["ph"] == "M" and event["name"] == "process_name"}
    times = {}
    for event in events:
        layer = layers.get(event.get("pid"), "?")
        if event["ph"] == "M":
            continue
        if event["ph"] in "XCi":
            results.count(f"{name} {layer} {event['ph']}", 1)
            times.setdefault(layer, []).append(int(float(event["ts"]) * 1000))
        else:
            results.count(f"{name} arrows {event['ph']}", 1)
        if event["ph"] == "X" and float(event["dur"]) < 0:
            results.problems.append(f"{name}: an event of {layer} has a negative duration")
    for layer, found in times.items():
        results.add_times(f"{name} {layer}", found)


def fields(data):
    """Numbers and values of the fields of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 70:
                raise ValueError("a number without end")

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 in (1, 5):
            size = 8 if key & 7 == 1 else 4
            yield key >> 3, data[at:at + size]
            at += size
        elif key & 7 == 2:
            size = varint()
            if at + size > len(data):
                raise ValueError("a field goes beyond the end")
            yield key >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"a field of type {key & 7}")


PACKET, COMPRESSED, TIME, TRACK_EVENT = 1, 50, 8, 11  # Of perfetto's Trace and TracePacket.
EVENT_TYPE = 9  # Of TrackEvent: 1 begin, 2 end, 3 instant, 4 counter.


def read_perfetto(content, name, results):
    times = []

    def read_packets(data):
        for number, packet in fields(data):
            if number != PACKET:
                raise ValueError(f"field {number} in the trace")
            time = None
            for field, value in fields(packet):
                if field == COMPRESSED:
                    read_packets(zlib.decompress(value))
                elif field == TIME:
                    time = value
                elif field == TRACK_EVENT:
                    kinds = [each for number, each in fields(value) if number == EVENT_TYPE]
                    results.count(f"{name} events {kinds[0] if kinds else '?'}", 1)
            if time is not None:
                times.append(time - (1 << 64) if time >= 1 << 63 else time)

    read_packets(content)
    results.add_times(name, times)
