#!/usr/bin/env python3
"""Draws part of a trace_view.json as an SVG: the picture in the README.

    scripts/draw_timeline.py out/demo/<rank>_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json \
        --begin-ms 0 --length-ms 20 > docs/images/timeline.svg
"""

import argparse
import html
import json

LANE_HEIGHT, LABEL_WIDTH, WIDTH = 26, 230, 1100
COLOURS = {"cpu_op": "#7f8fa9", "dequeue": "#c9a26b", "AI_CORE": "#4c78a8", "AI_VECTOR_CORE": "#72b7b2",
           "MIX_AIC": "#54a24b", "AI_CPU": "#b279a2", "Communication": "#e45756", "Computing": "#4c78a8",
           "Communication(Not Overlapped)": "#f58518", "Free": "#dddddd"}


def lanes_of(events):
    """Lanes worth showing: (title, slices as (begin us, end us, colour, name))."""
    processes, threads = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    lanes = {}
    for event in events:
        if event["ph"] != "X":
            continue
        process = processes.get(event["pid"], "")
        thread = threads.get((event["pid"], event["tid"]), str(event["tid"]))
        category = event.get("cat", "")
        if process == "Python" and category not in ("cpu_op", "dequeue"):
            continue
        if process not in ("Python", "Ascend Hardware", "Communication", "Overlap Analysis"):
            continue
        if process == "Communication" and "Communication" not in thread:
            continue
        kind = category or event.get("args", {}).get("Task Type", "")
        if process == "Communication":
            kind = "Communication"
        if process == "Overlap Analysis":
            kind = event["name"]
        begin = float(event["ts"]) - BASE_US
        lanes.setdefault((process, thread), []).append(
            (begin, begin + event["dur"], COLOURS.get(kind, "#bab0ac"), event["name"]))
    order = ["Python", "Ascend Hardware", "Communication", "Overlap Analysis"]
    return sorted(lanes.items(), key=lambda lane: (order.index(lane[0][0]), lane[0][1]))


def draw(lanes, begin_us, length_us):
    height = LANE_HEIGHT * len(lanes) + 30
    scale = (WIDTH - LABEL_WIDTH) / length_us
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
          'font-family="sans-serif" font-size="11">')
    print(f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>')
    for row, ((process, thread), slices) in enumerate(lanes):
        y = row * LANE_HEIGHT + 4
        title = html.escape(f"{process}: {thread}"[:40])
        print(f'<text x="4" y="{y + 14}" fill="#333333">{title}</text>')
        for begin, end, colour, name in sorted(slices, key=lambda item: item[0] - item[1]):
            left, right = max(begin, begin_us), min(end, begin_us + length_us)
            if right - left <= 0:
                continue
            x, width = LABEL_WIDTH + (left - begin_us) * scale, (right - left) * scale
            if width < 0.2:
                continue
            print(f'<rect x="{x:.1f}" y="{y}" width="{width:.2f}" height="{LANE_HEIGHT - 8}" fill="{colour}">'
                  f'<title>{html.escape(name)}</title></rect>')
    y = LANE_HEIGHT * len(lanes) + 20
    for tick in range(6):
        x = LABEL_WIDTH + (WIDTH - LABEL_WIDTH - 40) * tick / 5
        print(f'<text x="{x:.0f}" y="{y}" fill="#666666">{(begin_us + length_us * tick / 5) / 1000:.1f} ms</text>')
    print("</svg>")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("trace", help="trace_view.json or msprof_*.json")
parser.add_argument("--begin-ms", type=float, default=0)
parser.add_argument("--length-ms", type=float, default=20)
arguments = parser.parse_args()
with open(arguments.trace, encoding="utf-8") as file:
    all_events = json.load(file)
BASE_US = min(float(event["ts"]) for event in all_events if event["ph"] == "X")
draw(lanes_of(all_events), arguments.begin_ms * 1000, arguments.length_ms * 1000)
