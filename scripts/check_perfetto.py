#!/usr/bin/env python3
"""Compares a native Perfetto trace with the JSON timeline of the same profile.

    scripts/check_perfetto.py trace_view.perfetto-trace trace_view.json

The trace is decoded with Perfetto's own message definitions (Python packages perfetto and protobuf) and replayed as its
trace processor does: events in order of time, those of equal time in the order of the file, a stack for each track.
"""

import collections
import json
import sys
import zlib

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4


def packets(data):
    trace = schema.Trace()
    trace.ParseFromString(data)
    for packet in trace.packet:
        if packet.HasField("compressed_packets"):
            yield from packets(zlib.decompress(packet.compressed_packets))
        else:
            yield packet


class Strings:
    """Texts by number, until the sequence clears them."""

    def __init__(self):
        self.tables = collections.defaultdict(dict)

    def add(self, interned):
        for kind in ("event_names", "event_categories", "debug_annotation_names"):
            for entry in getattr(interned, kind):
                self.tables[kind][entry.iid] = entry.name
        for entry in interned.debug_annotation_string_values:
            self.tables["values"][entry.iid] = entry.str.decode()

    def argument(self, annotation):
        kind = annotation.WhichOneof("value")
        value = getattr(annotation, kind)
        if kind == "string_value_iid":
            value = self.tables["values"][value]
        return self.tables["debug_annotation_names"][annotation.name_iid], value


def read_events(data):
    """Tracks by number, and (time, event, name, category, arguments) in order of time."""
    tracks, events, strings = {}, [], Strings()
    for packet in packets(data):
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if packet.sequence_flags & 1:
            strings = Strings()
        if packet.HasField("interned_data"):
            strings.add(packet.interned_data)
        if not packet.HasField("track_event"):
            continue
        event, described = packet.track_event, ("", "", "")
        if event.type in (SLICE_BEGIN, INSTANT):
            described = (strings.tables["event_names"][event.name_iid],
                         ",".join(strings.tables["event_categories"][i] for i in event.category_iids),
                         json.dumps(dict(map(strings.argument, event.debug_annotations)), sort_keys=True))
        events.append((packet.timestamp, event, *described))
    return tracks, sorted(events, key=lambda row: row[0])


def read_trace(path):
    """Slices (with how often they occur), ends of each arrow, number of counter values."""
    with open(path, "rb") as file:
        tracks, events = read_events(file.read())
    slices, arrows, values = collections.Counter(), collections.Counter(), 0
    stacks = collections.defaultdict(list)

    def add(track, start, end, name, category, arguments):
        process = tracks[tracks[track].parent_uuid].process.process_name
        process = process.split(": ", 1)[-1] if process.startswith("Rank ") else process
        slices[process.split(" (NPU ")[0], tracks[track].name, start, end, name, category, arguments] += 1

    for time, event, *described in events:
        stack = stacks[event.track_uuid]
        arrows.update(event.flow_ids)
        if event.type == SLICE_BEGIN:
            stack.append((time, described))
        elif event.type == SLICE_END:
            start, opened = stack.pop()
            add(event.track_uuid, start, time, *opened)
        elif event.type == INSTANT:
            add(event.track_uuid, time, time, *described)
        elif event.type == COUNTER:
            values += 1
    assert not any(stacks.values()), "a slice does not end"
    return slices, arrows, values


def read_json(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    processes, threads = {}, {}
    for event in events:
        if event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    slices, arrows, values = collections.Counter(), collections.Counter(), 0
    for event in events:
        if event["ph"] == "X":
            start = int(event["ts"].replace(".", ""))
            slices[processes[event["pid"]], threads[event["pid"], event["tid"]], start,
                   start + round(event["dur"] * 1000), event["name"], event.get("cat", ""),
                   json.dumps(event.get("args", {}), sort_keys=True)] += 1
        elif event["ph"] in "sf":
            arrows[event["cat"], event["id"]] += 1
        elif event["ph"] == "C":
            values += len(event["args"])
    return slices, arrows, values


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    native, text = read_trace(sys.argv[1]), read_json(sys.argv[2])
    only_native, only_text = native[0] - text[0], text[0] - native[0]
    for title, rows in (("only in the trace", only_native), ("only in the JSON timeline", only_text)):
        for row in list(rows)[:3]:
            print(f"{title}: {row}")
    ends = collections.Counter(native[1].values())
    print(f"slices {native[0].total()}, arrows {len(native[1])} (JSON: {len(text[1])}), "
          f"counter values {native[2]} (JSON: {text[2]})")
    alike = not only_native and not only_text and len(native[1]) == len(text[1]) and native[2] == text[2]
    sys.exit(0 if alike and set(ends) <= {2} else 1)


if __name__ == "__main__":
    main()
