"""What read_run.py knows of calls: arguments, arrays, datatypes, communicators and notes, written from docs/trace-format.md, sections 7 and 8.
Names of predefined datatypes are those that stand there. Which requests a call made or completed is not worked out."""
import collections
import pathlib
import re
import struct
import zlib

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "trace-format.md"
SPECIALS = [None, "varies", "unknown", "any", "null", "MPI_ROOT", "undefined", "in place", "all", "none"]
KINDS = {1: "communicator", 2: "to", 3: "from", 4: "tag", 5: "data", 6: "root", 7: "operation", 8: "color", 9: "requests", 10: "window", 11: "at",
         12: "lock", 13: "condition", 14: "barrier", 15: "live", 16: "other data", 17: "counts", 18: "elements of", 19: "elements of",
         20: "dimensions", 21: "periods", 22: "kept", 23: "neighbours", 24: "degrees", 25: "index", 26: "edges", 27: "group", 28: "ranks",
         29: "key", 30: "displacement", 31: "unit", 32: "size", 33: "type", 34: "assertion", 35: "file", 36: "offset", 37: "from", 38: "mode",
         39: "code", 40: "level", 41: "rank", 42: "number", 43: "coordinates", 44: "partitions", 45: "partition", 46: "partitions",
         47: "ranges", 48: "datatype", 49: "data"}
ARRAYS = {15, 17, *range(19, 29), 43, 46, 47}
SIGNED = {2, 3, 11, 29}
WORDS = {33: {1: "exclusive", 2: "shared"}, 37: ["the start", "here", "the end"], 40: ["single", "funneled", "serialized", "multiple"]}
OPERATIONS = ["max", "min", "sum", "prod", "land", "band", "lor", "bor", "lxor", "bxor", "minloc", "maxloc", "replace", "no_op"]
CONSTRUCTORS = [None, "contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "hindexed_block", "struct", "subarray", "darray",
                "resized"]
TOLD = ("data ", "got data ", "data changed to ", "got source ", "failed: ", "provided ", "lock ")
BASE, MASK = 0x9e3779b97f4a7c15, 2**64 - 1
LONGEST, MOST_MEMBERS = 300, 8

Note = collections.namedtuple("Note", "position kind values text")
Datatype = collections.namedtuple("Datatype", "text hash length known")


def expect(condition, what):
    if not condition:
        raise SystemExit("damaged: " + what)


def numbers_of(data, at, end):
    """LEB128, one after the other."""
    while at < end:
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        yield value & MASK, at


def signed(value):
    return -(value + 1) // 2 if value & 1 else value // 2


def row(values):
    """[1 2^3 4-9]"""
    words, at = [], 0
    while at < len(values):
        equal = up = 1
        while at + equal < len(values) and values[at + equal] == values[at]:
            equal += 1
        while at + up < len(values) and values[at + up] == values[at] + up:
            up += 1
        length = equal if equal >= 2 else up if up >= 3 and values[at] >= 0 else 1
        words.append("%d^%d" % (values[at], equal) if equal >= 2 else "%d-%d" % (values[at], values[at] + up - 1) if length > 1 else "%d" % values[at])
        at += length
    return "[%s]" % " ".join(words)


# ---- notes -----------------------------------------------------------------------------------------------------------


def notes_of(chunk):
    position, = struct.unpack_from("<Q", chunk)
    at = 8
    while at < len(chunk):
        length, at = chunk[at], at + 1
        if 0 < length < 128:
            yield note_of(chunk[at:at + length], position)
        at += length & 127


def note_of(body, position):
    rest = numbers_of(body, 0, len(body))
    offset, _ = next(rest)
    head, end = next(rest)
    count = head & 15
    if count == 15:
        count, end = next(rest)
    expect(count <= 64, "values of a note")
    values = []
    for _ in range(count):
        value, end = next(rest)
        values.append(signed(value))
    return Note(position + offset, head >> 4, values, body[end:])


def told_of_request(values):
    return (" by request %d" % values[2] if len(values) >= 3 else "") + (" of thread #%d" % values[3] if len(values) >= 4 else "")


def told(note):
    """What is said of a note beside the call; None: nothing, or of requests."""
    kind, values = note.kind, note.values
    if kind == 4:
        return "got source %d, tag %d" % tuple(values[:2]) + told_of_request(values)
    if kind == 6:
        return "lock %d not taken: error %d" % tuple(values)
    if kind == 9:
        return "failed: error class %d" % values[0]
    if kind == 10:
        return "provided level " + WORDS[40][values[0]]
    if kind == 11:
        return "%s %08x" % ({1: "data", 2: "got data", 3: "data changed to"}[values[0]], values[1]) + told_of_request(values)
    return None


# ---- communicators and arrays ------------------------------------------------------------------------------------------


def records(payload, head):
    """Of those that tell how long they are: (its head, its bytes)."""
    at = 0
    while at + struct.calcsize("<" + head) <= len(payload):
        fields = struct.unpack_from("<" + head, payload, at)
        if fields[0] == 0:
            return
        expect(fields[0] % 8 == 0 and at + fields[0] <= len(payload), "length of a record")
        yield fields, payload[at:at + fields[0]]
        at += fields[0]


def check_of(record, at):
    return zlib.crc32(record[:at] + bytes(4) + record[at + 4:])


class Calls:
    """The tables of a process."""

    def __init__(self):
        self.arrays, self.communicators, self.arguments, self.notes, self.made = {}, {}, {}, collections.defaultdict(dict), {}
        predefined = re.search(r"predefined ones, in this order:(.*?)\. 256", DOCUMENT.read_text(encoding="utf-8"), re.S)
        self.predefined = [None, *(name.strip().lower() for name in predefined[1].split(","))]

    def read_arrays(self, payload):
        for (size, number, count, check), record in records(payload, "IIII"):
            expect(check == check_of(record, 12), "array %d" % number)
            values, end = [], 16
            for value, end in numbers_of(record, 16, size):
                if len(values) == count:
                    break
                values.append(signed(value))
            expect(len(values) == count and not any(record[end + 8:]), "array %d" % number)
            self.arrays[number] = values

    def read_communicators(self, payload):
        for (size, number, parent, creation, _, _, members, remote, check), record in records(payload, "IIIIQiiiI"):
            expect(check == check_of(record, 36) and size >= 40 + 4 * (members + max(remote, 0)), "communicator %d" % number)
            self.communicators[number] = parent, creation

    def communicator(self, number):
        if number not in self.communicators:
            return "#%d" % number
        parent, creation = self.communicators[number]
        return ("world", "self")[number] if number < 2 else "%s/%d" % (self.communicator(parent), creation) if creation else "#%d" % number

    # ---- datatypes

    def datatype(self, number):
        if number >= 256 and self.is_datatype(number - 256):
            return self.derived(number - 256)
        if 0 < number < len(self.predefined):
            mixed = (number + 1) * 0xff51afd7ed558ccd & MASK
            return Datatype(self.predefined[number], mixed ^ mixed >> 33, 1, True)
        return Datatype("unknown", 0, 0, False)

    def is_datatype(self, number):
        values = self.arrays.get(number, ())
        return len(values) >= 3 and -2**40 - len(CONSTRUCTORS) < values[0] < -2**40

    def derived(self, number):
        """A tree of constructors; its hash is worked out, and compared with the one that is recorded."""
        if number in self.made:
            return self.made[number]
        values = self.arrays[number]
        name = CONSTRUCTORS[-2**40 - values[0]]
        inner, row_of_types = getattr(self, name)(iter(values[3:]), values)
        text = "%s(%s" % (name, inner)
        text = (text[:LONGEST] + "..." if len(text) > LONGEST else text) + ")"
        hashed = length = 0
        for datatype, times in row_of_types:
            more, more_length = self.repeated(datatype, times)
            hashed = (hashed * pow(BASE, more_length, 2**64) + more) & MASK
            length += more_length
        known = all(datatype.known for datatype, _ in row_of_types)
        if name == "darray":  # how much a rank has of it is MPI's business
            hashed, length, known = values[1] & MASK, values[2], values[1:3] != [0, 0]
            if known:
                of = row_of_types[0][0]
                expect((hashed, length) == self.repeated(of, length // of.length), "hash of datatype %d" % number)
        expect(values[1:3] == [0, 0] if not known else (values[1] & MASK, values[2]) == (hashed, length), "hash of datatype %d: %s" % (number, text))
        self.made[number] = Datatype(text, hashed, length, known)
        return self.made[number]

    @staticmethod
    def repeated(datatype, times):
        """h B^(n-1) + ... + h, by doubling."""
        hashed = length = 0
        step, step_length = datatype.hash, datatype.length
        while times:
            if times & 1:
                hashed, length = (hashed * pow(BASE, step_length, 2**64) + step) & MASK, length + step_length
            step, step_length, times = (step * pow(BASE, step_length, 2**64) + step) & MASK, 2 * step_length, times >> 1
        return hashed, length

    def contiguous(self, rest, _):
        count, of = next(rest), self.datatype(next(rest))
        return "%d of %s" % (count, of.text), [(of, count)]

    def vector(self, rest, _, unit=""):
        count, length, stride, of = next(rest), next(rest), next(rest), self.datatype(next(rest))
        return "%d x %d / %d%s of %s" % (count, length, stride, unit, of.text), [(of, count * length)]

    def hvector(self, rest, values):
        return self.vector(rest, values, " B")

    def indexed(self, rest, _, unit=""):
        count = next(rest)
        lengths, places = self.take(rest, count), self.take(rest, count)
        of = self.datatype(next(rest))
        return "%s at %s%s of %s" % (row(lengths), row(places), unit, of.text), [(of, sum(lengths))]

    def hindexed(self, rest, values):
        return self.indexed(rest, values, " B")

    def indexed_block(self, rest, _, unit=""):
        count, length = next(rest), next(rest)
        places, of = self.take(rest, count), self.datatype(next(rest))
        return "%d x %d at %s%s of %s" % (count, length, row(places), unit, of.text), [(of, count * length)]

    def hindexed_block(self, rest, values):
        return self.indexed_block(rest, values, " B")

    def struct(self, rest, _):
        count = next(rest)
        lengths, places = self.take(rest, count), self.take(rest, count)
        members = list(zip(lengths, map(self.datatype, self.take(rest, count)), places))
        texts = ["%d %s at %d" % (length, of.text, place) for length, of, place in members]
        more = ["%d more" % (count - MOST_MEMBERS)] if count > MOST_MEMBERS else []
        return ", ".join(texts[:MOST_MEMBERS] + more), [(of, length) for length, of, _ in members]

    def subarray(self, rest, _):
        dimensions = next(rest)
        sizes, parts, starts = (self.take(rest, dimensions) for _ in range(3))
        order, of, elements = next(rest), self.datatype(next(rest)), 1
        for part in parts:
            elements *= part
        return "%s in %s at %s of %s%s" % (row(parts), row(sizes), row(starts), of.text, ", Fortran's order" if order else ""), [(of, elements)]

    def darray(self, rest, _):
        size, rank, dimensions = next(rest), next(rest), next(rest)
        rows = [row(self.take(rest, dimensions)) for _ in range(4)]
        order, of = next(rest), self.datatype(next(rest))
        return "rank %d of %d, %s, distributed %s %s over %s of %s%s" % (rank, size, *rows, of.text, ", Fortran's order" if order else ""), [(of, 1)]

    def resized(self, rest, _):
        of, lower, extent = self.datatype(next(rest)), next(rest), next(rest)
        return "%d + %d B of %s" % (lower, extent, of.text), [(of, 1)]

    @staticmethod
    def take(rest, count):
        return [next(rest) for _ in range(count)]

    # ---- arguments

    def argument(self, kind, value):
        name = KINDS.get(kind, "argument")
        if value < -2**55 + len(SPECIALS) and value > -2**55:
            return "%s %s" % (name, SPECIALS[value + 2**55])
        if kind in (5, 16, 49):
            return ("other " if kind == 16 else "") + self.data(kind, value)
        if kind in ARRAYS and value >= 2**48:
            return "%s %s" % (name, row(self.arrays[value - 2**48]))
        if kind in WORDS:
            return "%s %s" % (name, WORDS[kind][value])
        if kind == 1:
            return self.communicator(value)
        if kind == 7:
            return OPERATIONS[value - 1] if value < 16 else "own operation %d" % (value - 16)
        if kind == 48:
            return self.datatype(value).text
        if kind == 9:
            return "%d requests" % value
        return ("%s %+d" if kind in SIGNED else "%s %d B" if kind in (18, 31, 32) else "%s %d") % (name, value)

    def data(self, kind, value):
        count, size, of = value & 0xffffffff, value >> 32, None
        if kind == 49:
            size, of = size & 255, size >> 8
            expect(0 < of < len(self.predefined), "a predefined datatype")
            of = None
        elif value >= 2**54:
            count, size, *more = self.arrays[value - 2**54]
            of = self.datatype(more[0]) if more and more[0] >= 256 else None
        return "%d x unknown" % count if size < 0 else "%d x %d B%s" % (count, size, " of " + of.text if of else "")

    def signature(self, number, notes=()):
        """With what notes say of arguments that vary; an empty text without arguments."""
        arguments = [((argument >> 56) & 255, (argument << 8 & MASK) >> 8) for argument in self.arguments.get(number, ())]
        arguments = [[kind, value - 2**56 if value >= 2**55 else value] for kind, value in arguments]
        for note in notes:
            for at, value in zip(note.values[::2], note.values[1::2]) if note.kind == 7 else ():
                arguments[at][1] = value
        return "(%s)" % ", ".join(self.argument(*argument) for argument in arguments) if arguments else ""

    def notes_by_position(self, owner):
        notes = collections.defaultdict(list)
        for sequence in sorted(self.notes[owner]):
            for note in notes_of(self.notes[owner][sequence]):
                notes[note.position].append(note)
        return notes
