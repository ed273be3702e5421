"""What must be true after every case, whatever was damaged."""

import collections
import hashlib
import json
import os
import re
import signal
import stat

import allowed

RAW_EXCEPTIONS = ("std::", "bad_alloc", "terminate called", "Assertion", "AddressSanitizer", "runtime error:",
                  "basic_string", "vector::", "map::at", "stoi", "filesystem error", "json.exception", "_M_range_check")
PROGRESS = re.compile(rb"^(parse|export): \d+%$")
LEFTOVER = re.compile(r"\.(partial|old)-\d+$")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
DAY_NS = 86_400 * 10**9
MOST_HASHED_BYTES = 8 << 20


def snapshot(folder, without=()):
    """What is in a folder: types, sizes, times and contents by path."""
    found = {}
    for directory, names, files in os.walk(folder, followlinks=False):
        paths = [os.path.join(directory, name) for name in [*names, *files]]
        for path in paths:
            if any(path == str(each) or path.startswith(f"{each}/") for each in without):
                continue
            found[path] = entry(path)
    return found


def entry(path):
    """What is remembered of a file."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return ("link", os.readlink(path))
    if stat.S_ISREG(status.st_mode):
        digest = ""
        if status.st_size <= MOST_HASHED_BYTES:
            try:
                with open(path, "rb") as file:
                    digest = hashlib.sha1(file.read()).hexdigest()
            except OSError:
                pass
        return ("file", status.st_mode, status.st_size, status.st_mtime_ns, digest)
    return (stat.S_IFMT(status.st_mode), status.st_mode, status.st_rdev)


def messages(stderr):
    """What is said on standard error, without progress."""
    return [line for line in stderr.split(b"\n") if line and not PROGRESS.match(line)]


def told(trial, stderr):
    """What is said, whatever the folder of the case."""
    return {line.replace(bytes(trial.case), b"") for line in messages(stderr)}


def check_end(kind, outcome):
    """How the program ended, and what it said."""
    if outcome.hangs:
        yield "hangs"
        return
    if outcome.status < 0:
        yield f"crash: {signal.Signals(-outcome.status).name}"
        return
    if outcome.status not in ((0, 1, 2, 3) if kind.wild_arguments else (0, 1, 3)):
        yield f"wrong status: {outcome.status}"
    said = messages(outcome.stderr)
    if outcome.status != 0 and not said:
        yield f"no message: status {outcome.status}"
    text = b"\n".join(said)
    for word in RAW_EXCEPTIONS:
        if word.encode() in text:
            yield f"raw exception: '{word}' in a message"
    try:
        if found := CONTROL.search(text.decode("utf-8")):
            yield f"control character: {found.group()!r} in a message"
    except UnicodeDecodeError:
        yield "control character: a message is no UTF-8"


def check_summary(trial, outcome):
    """What --json prints agrees with the status."""
    if "--json" not in trial.run.arguments or trial.run.stdout or 1 in trial.run.closed or outcome.status not in (0, 1):
        return
    try:
        summary = json.loads(outcome.stdout.decode("utf-8"))
    except ValueError as failure:
        yield f"output not well-formed: --json: {failure}"
        return
    lost = bool(summary["left_out"]) or any(profile["losses"] or profile["error"] for profile in summary["profiles"])
    if lost != (outcome.status == 1):
        yield f"wrong status: {outcome.status}, but --json lists {'' if lost else 'no '}losses"


def check_places(trial, before, after):
    """Nothing was changed but the output."""
    for path in sorted(before.keys() | after.keys()):
        name = os.path.relpath(path, trial.case)
        if path not in after:
            yield f"writes elsewhere: {name} is gone"
        elif path not in before:
            yield f"writes elsewhere: {name} is new"
        elif before[path] != after[path] and before[path][0] not in (stat.S_IFDIR,):
            yield f"writes elsewhere: {name} was changed"


def check_leftovers(trial):
    planted = {str(path) for path in trial.planted}
    for directory, names, files in os.walk(trial.case):
        for name in [*names, *files]:
            path = os.path.join(directory, name)
            if LEFTOVER.search(name) and not any(each.startswith(path) for each in planted):
                yield f"leftover: {os.path.relpath(path, trial.case)}"


def check_planted(trial, before):
    """What was in the way of the output is still there and the same."""
    for path in trial.planted:
        name = os.path.relpath(path, trial.case)
        if not os.path.lexists(path):
            yield f"user's file: {name} is gone"
        elif before[str(path)][0] != entry(path)[0] or (before[str(path)][0] == "file" and
                                                        before[str(path)] != entry(path)):
            yield f"user's file: {name} was replaced or changed"


def check_times(trial, kind, what, outcome, results, whole):
    """No event is days apart from all that the undamaged input has; or, if that is said, from all others."""
    if not whole.times_ns or not results.times_ns or kind.wild_arguments:  # Which may name other profiles.
        return
    first, last = span(whole)
    if told(trial, outcome.stderr) - whole.told:
        length = last - first
        first, last = span(results)
        if last - first <= length + DAY_NS:
            return
        last = first  # Those of a day are near each other; which are right is not known.
    if allowed.may_be_far(trial, kind, what):
        return
    far = [f"{begin if begin < first - DAY_NS else end} ns in {table}" for table, begin, end in results.times_ns
           if begin < first - DAY_NS or end > last + DAY_NS]
    if far:
        yield f"far time: {some(far)}"


def span(results):
    """The first and the last time in any table."""
    return min(times[1] for times in results.times_ns), max(times[2] for times in results.times_ns)


def check_rows(trial, kind, what, outcome, results, whole):
    """No table has fewer rows than from the undamaged input, unless that is said; and damage makes no rows."""
    if told(trial, outcome.stderr) <= whole.told:
        fewer = {name: (count, results.counts.get(name, 0)) for name, count in whole.counts.items()
                 if results.counts.get(name, 0) < count and name.split(" ")[0] not in results.unreadable}
        fewer = {name: counts for name, counts in fewer.items()
                 if not has_other_name(name, results, whole) and
                 not allowed.is_allowed(trial, kind, what, name, *counts)}
        if fewer:
            yield f"silent loss: {some([f'{name} {before} -> {now}' for name, (before, now) in fewer.items()])}"
    if kind.adds_garbage and not allowed.has_no_mark(what):
        before, now = by_file(whole.counts), by_file(results.counts)
        more = [f"{name} {before[name]} -> {count}" for name, count in now.items() if count > before[name]]
        if more:
            yield f"invented rows: {some(more)}"


def has_other_name(layer, results, whole):
    """Whether all of a layer is there under another name, such as that of a process."""
    if layer in results.counts:
        return False
    return any(name not in whole.counts and name.split(" ")[0] == layer.split(" ")[0] and
               count == whole.counts[layer] for name, count in results.counts.items())


def by_file(counts):
    """Rows of files, whatever their tables and layers are called."""
    files = collections.Counter()
    for name, count in counts.items():
        files[name.split(" ")[0]] += count
    return files


def some(texts):
    """The first of many."""
    return ", ".join(texts[:4]) + (f" and {len(texts) - 4} more" if len(texts) > 4 else "")
