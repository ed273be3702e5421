"""Damage that knows nothing of a file but where its records begin."""

import struct

from kinds import NotApplicable, kind

INTERESTING = [0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x20, 0x2C, 0x22, 0x7B, 0x5A]


def changing(group, name, text, *forms, **flags):
    """A kind that turns the content of a file into another; the function returns that and what it did."""
    def register(function):
        @kind(group, name, text, **flags)
        def apply(trial):
            path = trial.pick(*forms)
            content = path.read_bytes()
            if not content:
                raise NotApplicable
            changed, what = function(trial, path, content)
            path.write_bytes(changed)
            return f"{trial.name_of(path)}: {what}"
        return apply
    return register


def put(content, offset, data):
    return content[:offset] + data + content[offset + len(data):]


def a_record(trial, path, content):
    """Begin and end of one of the records."""
    bounds = trial.bounds(path, content)
    index = trial.rng.randrange(len(bounds) - 1)
    return bounds[index], bounds[index + 1]


@changing("bytes", "flip-bit", "one bit is flipped")
def flip_bit(trial, _, content):
    offset, bit = trial.rng.randrange(len(content)), trial.rng.randrange(8)
    return put(content, offset, bytes([content[offset] ^ 1 << bit])), f"bit {bit} of byte {offset}"


@changing("bytes", "flip-bits", "up to 50 bits are flipped")
def flip_bits(trial, _, content):
    changed = bytearray(content)
    count = trial.rng.randint(2, 50)
    for _ in range(count):
        changed[trial.rng.randrange(len(changed))] ^= 1 << trial.rng.randrange(8)
    return bytes(changed), f"{count} bits"


@changing("bytes", "overwrite-random", "a run of bytes becomes random")
def overwrite_random(trial, _, content):
    offset = trial.rng.randrange(len(content))
    size = min(trial.rng.choice([1, 4, 16, 64, 300, 4096]), len(content) - offset)
    return put(content, offset, trial.rng.randbytes(size)), f"{size} random bytes at {offset}"


@changing("bytes", "overwrite-same", "a run of bytes becomes all the same")
def overwrite_same(trial, _, content):
    offset = trial.rng.randrange(len(content))
    size = min(trial.rng.choice([1, 8, 64, 300, 4096]), len(content) - offset)
    value = trial.rng.choice(INTERESTING)
    return put(content, offset, bytes([value]) * size), f"{size} bytes {value:#x} at {offset}"


@changing("bytes", "all-random", "all bytes become random")
def all_random(trial, _, content):
    return trial.rng.randbytes(len(content)), "random bytes"


@changing("bytes", "all-zero", "all bytes become zero, as after a crash of the machine")
def all_zero(_, __, content):
    return bytes(len(content)), "zeros"


@changing("bytes", "insert", "some bytes are inserted")
def insert(trial, _, content):
    offset = trial.rng.randrange(len(content) + 1)
    data = trial.rng.randbytes(trial.rng.choice([1, 3, 16, 100, 5000]))
    return content[:offset] + data + content[offset:], f"{len(data)} bytes inserted at {offset}"


@changing("bytes", "delete", "some bytes are gone")
def delete(trial, _, content):
    offset = trial.rng.randrange(len(content))
    size = trial.rng.choice([1, 3, 16, 100, 5000])
    return content[:offset] + content[offset + size:], f"{size} bytes deleted at {offset}"


@changing("bytes", "cut-anywhere", "the file ends early, anywhere")
def cut_anywhere(trial, _, content):
    size = trial.rng.randrange(len(content))
    return content[:size], f"cut at {size} of {len(content)}"


@changing("bytes", "cut-begin", "the begin of the file is gone")
def cut_begin(trial, _, content):
    size = trial.rng.randint(1, len(content))
    return content[size:], f"the first {size} of {len(content)} bytes are gone"


@changing("bytes", "zero-tail", "the end of the file is zeros, as after a crash of the machine")
def zero_tail(trial, _, content):
    offset = trial.rng.randrange(len(content))
    return put(content, offset, bytes(len(content) - offset)), f"zeros from {offset} of {len(content)}"


@changing("bytes", "extend-zeros", "zeros follow the file", adds_garbage=True)
def extend_zeros(trial, _, content):
    size = trial.rng.choice([1, 40, 64, 256, 4096, 100_000])
    return content + bytes(size), f"{size} zeros appended to {len(content)}"


@changing("bytes", "extend-random", "random bytes follow the file", adds_garbage=True)
def extend_random(trial, _, content):
    size = trial.rng.choice([1, 40, 64, 256, 4096, 100_000])
    return content + trial.rng.randbytes(size), f"{size} random bytes appended to {len(content)}"


@changing("bytes", "extend-itself", "the file follows itself")
def extend_itself(trial, _, content):
    times = trial.rng.choice([1, 1, 2, 20])
    return content * (1 + times), f"repeated {times} times"


# Record by record.

@changing("records", "cut-at-record", "the file ends early, after a whole record", "records", "tlv", "lines", "csv")
def cut_at_record(trial, path, content):
    size = trial.rng.choice(trial.bounds(path, content)[:-1])
    return content[:size], f"cut at {size} of {len(content)}"


@changing("records", "cut-in-last-record", "the last record is not whole", "records", "tlv", "lines", "csv")
def cut_in_last_record(trial, path, content):
    begin = trial.bounds(path, content)[-2]
    if len(content) - begin < 2:
        raise NotApplicable
    size = trial.rng.randrange(begin + 1, len(content))
    return content[:size], f"cut at {size} of {len(content)}"


@changing("records", "cut-in-first-record", "the first record lacks its begin", "records", "tlv", "lines", "csv")
def cut_in_first_record(trial, path, content):
    end = trial.bounds(path, content)[1]
    size = trial.rng.randrange(1, max(2, end))
    return content[size:], f"the first {size} bytes are gone"


@changing("records", "zero-records", "some records are all zeros", "records", "tlv", "lines")
def zero_records(trial, path, content):
    count = trial.rng.choice([1, 1, 3, 20])
    for _ in range(count):
        begin, end = a_record(trial, path, content)
        content = put(content, begin, bytes(end - begin))
        if trial.layout(path).form == "tlv":  # Lengths are gone: no more bounds.
            break
    return content, f"{count} records of zeros"


@changing("records", "zero-records-follow", "records of zeros follow", "records", adds_garbage=True)
def zero_records_follow(trial, path, content):
    count = trial.rng.choice([1, 2, 50])
    return content + bytes(count * trial.layout(path).record_bytes), f"{count} records of zeros follow"


@changing("records", "random-record", "a record is random", "records", "tlv")
def random_record(trial, path, content):
    begin, end = a_record(trial, path, content)
    return put(content, begin, trial.rng.randbytes(end - begin)), f"random bytes in the record at {begin}"


@changing("records", "drop-record", "a record is gone", "records", "tlv", "lines", "csv")
def drop_record(trial, path, content):
    begin, end = a_record(trial, path, content)
    return content[:begin] + content[end:], f"the record at {begin} is gone"


@changing("records", "repeat-record", "a record comes again", "records", "tlv", "lines", "csv")
def repeat_record(trial, path, content):
    begin, end = a_record(trial, path, content)
    times = trial.rng.choice([1, 1, 2, 30])
    return content[:end] + content[begin:end] * times + content[end:], f"the record at {begin} comes {times} times more"


@changing("records", "swap-records", "two records change places", "records", "tlv", "lines", "csv")
def swap_records(trial, path, content):
    bounds = trial.bounds(path, content)
    if len(bounds) < 3:
        raise NotApplicable
    first, second = sorted(trial.rng.sample(range(len(bounds) - 1), 2))
    parts = [content[a:b] for a, b in zip(bounds, bounds[1:])]
    parts[first], parts[second] = parts[second], parts[first]
    return b"".join(parts), f"records {first} and {second} changed places"


@changing("records", "shuffle-records", "records are in any order", "records", "tlv", "lines", "csv")
def shuffle_records(trial, path, content):
    bounds = trial.bounds(path, content)
    parts = [content[a:b] for a, b in zip(bounds, bounds[1:])]
    trial.rng.shuffle(parts)
    return b"".join(parts), f"{len(parts)} records in another order"


@changing("records", "set-field", "a number is 0, -1, the least, the greatest, or not a number", "records", "tlv")
def set_field(trial, path, content):
    begin, end = a_record(trial, path, content)
    width = trial.rng.choice([width for width in (1, 2, 4, 8) if width <= end - begin])
    offset = begin + trial.rng.randrange((end - begin) // width) * width
    data = extreme(trial, width)
    return put(content, offset, data), f"{data.hex()} at {offset}, {offset - begin} in its record"


@changing("records", "set-head", "a number at the begin of a record is extreme", "records", "tlv")
def set_head(trial, path, content):
    begin, end = a_record(trial, path, content)
    width = trial.rng.choice([width for width in (1, 2, 4, 8) if width <= end - begin])
    offset = begin + trial.rng.randrange(max(1, min(24, end - begin) // 2 - width // 2 + 1)) * 2
    offset = min(offset, end - width)
    data = extreme(trial, width)
    return put(content, offset, data), f"{data.hex()} at {offset}, {offset - begin} in its record"


@changing("records", "set-column", "a field of all records is extreme", "records")
def set_column(trial, path, content):
    size = trial.layout(path).record_bytes
    width = trial.rng.choice([width for width in (1, 2, 4, 8) if width <= size])
    offset = trial.rng.randrange(size // width) * width
    data = extreme(trial, width)
    changed = bytearray(content)
    for begin in range(0, len(content) - size + 1, size):
        changed[begin + offset:begin + offset + width] = data
    return bytes(changed), f"{data.hex()} at {offset} of all records"


def extreme(trial, width):
    """Bytes of a number that nobody expects."""
    top = 1 << (8 * width - 1)
    values = [0, 1, 2 * top - 1, 2 * top - 2, top, top - 1, trial.rng.randrange(2 * top)]
    choices = [value.to_bytes(width, "little") for value in values]
    if width == 8:
        choices += [struct.pack("<d", number) for number in (float("nan"), float("inf"), -1.0)]
    return trial.rng.choice(choices)
