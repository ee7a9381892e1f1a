#!/usr/bin/env python3
"""A reader of runs written from docs/trace-format.md, codec-tz.md and codec-lzr.md; shares only TZ's tables of constants with difftrace.

    read_run.py SOURCE RUN           prints what `difftrace dump --flat RUN` prints, SOURCE being src/codec; names stay as the linker has them
    read_run.py SOURCE RUN --args    the same of `difftrace dump --flat --args RUN`, but nothing of requests by number

Every checksum is verified; damage of any kind is an error.
"""
import collections
import ctypes
import json
import pathlib
import struct
import sys
import tempfile
import zlib

PARLOT, TZ, RAW, LZR = 1, 2, 4, 5
THREAD, DATA, FUNCTIONS, IMAGES, NOTES, ENDED_THREADS = 1, 2, 3, 4, 5, 6
COMMUNICATORS, CALL_SITES, SITE_IMAGES, ARRAYS = 8, 9, 10, 11
EXCLUDED = 65534
ESCAPE = 65535
MOST_WORDS = 1 << 25  # of a segment

Header = collections.namedtuple("Header", "magic major minor endian header_bytes flags file_bytes pid ppid rank world_size "
                                "start_realtime start_monotonic end_monotonic end_state end_status")
Chunk = collections.namedtuple("Chunk", "magic type bytes owner sequence records check seal")
Thread = collections.namedtuple("Thread", "kind number tid creator end_state selector start end dropped segments serial0 serial1 "
                                "check dropped_notes kept_stream kept_words")
Commit = collections.namedtuple("Commit", "words stream_bytes segment_start segment_words crc32 active_tail tail_serial check pending")
Segment = collections.namedtuple("Segment", "magic codec first_event events bytes crc32 depth")


def unpack(kind, layout, data, at=0):
    return kind._make(struct.unpack_from("<" + layout, data, at))


def expect(condition, what):
    if not condition:
        raise SystemExit("damaged: " + what)


def crc(data, *ranges):
    """Of bytes a to b, c to d, ..., ends included."""
    value = 0
    for first, last in ranges:
        value = zlib.crc32(data[first:last + 1], value)
    return value


def text(data):
    return data.split(b"\0")[0].decode("utf-8", "replace")


# ---- codecs ---------------------------------------------------------------------------------------------------------


sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "codec"))
import decode_lzr as lzr
import decode_tz as tz
import read_calls


def decode_raw(code, count):
    stored, words = iter(struct.unpack("<%dH" % (len(code) // 2), code)), []
    for word in stored:
        if word == 65533:
            words.append(next(stored))
        elif 32768 <= word < 49152:
            words += [word - 32768, 0]
        else:
            words.append(word)
    expect(len(words) == count, "raw code of %d words instead of %d" % (len(words), count))
    return words


def parlot_groups(code, pending):
    """The words of the first stage."""
    finished = pending is None
    end, words, at, last = len(code) - finished, [], 0, 0
    while at < end:
        bitmap, at, data = code[at], at + 1, bytearray(8)
        for bit in range(8):
            if bitmap >> bit & 1:
                data[bit], at = code[at], at + 1
        words += struct.unpack("<4H", data)
    if finished:
        last = code[end]
        return words[:len(words) - 4 + last] if words else []
    return words + list(struct.unpack_from("<%dH" % pending[0], pending, 2))


def decode_parlot(code, count, pending):
    coded = iter(parlot_groups(code, pending))
    ring, last, position, hashed, out = [0] * 65536, [0] * 4096, 0, 0, []

    def put(word):
        nonlocal position, hashed
        out.append(word)
        last[hashed] = position
        hashed = (hashed * 16 ^ word) % 4096
        ring[position] = word
        position = (position + 1) % 65536

    try:
        while True:
            place = last[hashed]
            if all(ring[(place - k) % 65536] == ring[(position - k) % 65536] for k in (1, 2, 3)):
                for _ in range(next(coded)):
                    put(ring[place])
                    place = (place + 1) % 65536
            put(next(coded))
    except StopIteration:
        pass
    expect(len(out) == count, "%d words in a segment of %d" % (len(out), count))
    return out


def decode_tz(tables, code, count, pending):
    if pending is not None:
        code += pending[1:1 + pending[0]]
    return tz.decode(tables, code, count)


# ---- the sealed form ---------------------------------------------------------------------------------------------------


def unzstd(packed, size):
    library, data = ctypes.CDLL("libzstd.so.1"), ctypes.create_string_buffer(size)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    expect(library.ZSTD_decompress(data, size, packed, len(packed)) == size, "a packed block")
    return data.raw


def put_number(out, value):
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


class Rows:
    """The numbers that follow each other in rows of notes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value % 2**64

    def behind(self, before):
        folded = self.number()
        return (before + (-(folded + 1) // 2 if folded & 1 else folded // 2)) % 2**64

    def take(self, size):
        self.at += size
        expect(self.at <= len(self.data), "end of notes")
        return self.data[self.at - size:self.at]


def notes_of_rows(data, sizes):
    """Chunks of notes of these sizes."""
    rows, last = Rows(data), collections.defaultdict(lambda: [0] * 64)
    for size in sizes:
        count = rows.number()
        if count == 0:
            yield rows.take(size)
            continue
        chunk, offset = bytearray(rows.take(72)), 0
        for _ in range(count):
            kind, values, text_bytes = rows.number(), rows.number(), rows.number()
            offset = rows.behind(offset)
            body, before = bytearray(), last[kind % 16, values % 16]
            put_number(body, offset)
            put_number(body, 16 * kind + min(values, 15))
            if values >= 15:
                put_number(body, values)
            for i in range(values):
                before[i] = rows.behind(before[i])
                put_number(body, 2 * before[i] if before[i] < 2**63 else 2 * (2**64 - before[i]) - 1)
            body += rows.take(text_bytes)
            chunk.append(len(body))
            chunk += body
        expect(size <= len(chunk) and not any(chunk[size:]), "notes of a chunk")
        yield bytes(chunk[:size])
    expect(rows.at == len(data), "end of notes")


def prefix(source):
    return (source.parent / "store" / "packed" / "dictionary.txt").read_bytes().replace(b"\n", b"\0")


def unzstd_prefix(packed, size, start):
    library, data = ctypes.CDLL("libzstd.so.1"), ctypes.create_string_buffer(size)
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    library.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    library.ZSTD_decompress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
                                                  ctypes.c_char_p, ctypes.c_size_t]
    found = library.ZSTD_decompress_usingDict(library.ZSTD_createDCtx(), data, size, packed, len(packed), start, len(start))
    expect(found == size, "what is packed")
    return data.raw


def unseal(data):
    """The file that a sealed one stands for."""
    check, seal = struct.unpack_from("<II", data, 120)
    expect(check == crc(data, (0, 19), (32, 63), (80, 87), (184, 2295)), "header of a sealed file")
    expect(seal == zlib.crc32(data[:124] + bytes(4) + data[128:2296]), "seal of a sealed file")
    magic, image_bytes, pieces, blocks, table_bytes, table_crc, _, check = struct.unpack_from("<8sQIIIIII", data, 2296)
    expect(magic == b"DiffSeal" and check == crc(data, (2296, 2331)), "table of a sealed file")
    at, size = 2336 + table_bytes, 16 * pieces + 16 * blocks
    table = data[2336:at]
    expect(table_crc == zlib.crc32(table), "table of a sealed file")
    if table_bytes != size:
        table = unzstd(table, size)
    rows, content = [struct.unpack_from("<QQ", table, 16 * row) for row in range(pieces)], b""
    starts = [sum(size for _, size in rows[:row]) for row in range(pieces)]
    for row in range(blocks):
        unpacked, packed, block_crc, rows_bytes = struct.unpack_from("<IIII", table, 16 * pieces + 16 * row)
        block = data[at:at + packed]
        expect(zlib.crc32(block) == block_crc, "block at %d" % at)
        block = block if packed == (rows_bytes or unpacked) else unzstd(block, rows_bytes or unpacked)
        if rows_bytes:
            sizes = [size for start, (_, size) in zip(starts, rows) if size and len(content) <= start < len(content) + unpacked]
            block = b"".join(notes_of_rows(block, sizes))
        expect(len(block) == unpacked, "block at %d" % at)
        content += block
        at += packed
    expect(at == len(data), "end of a sealed file")
    image, place = bytearray(image_bytes), 0
    for offset, size in rows:
        image[offset:offset + size] = content[place:place + size]
        place += size
    expect(place == len(content) and len(image) == image_bytes, "pieces of a sealed file")
    return bytes(image)


# ---- packed runs -------------------------------------------------------------------------------------------------------


def unpack_run(source, path, run):
    data = path.read_bytes()
    magic, major, _, endian, content_bytes, _, check = struct.unpack_from("<8sHHIQII", data)
    expect(magic == b"DiffPack" and major == 1 and endian == 0x01020304 and check == crc(data, (0, 27)), "header of %s" % path)
    content, at = unzstd_prefix(data[32:], content_bytes, prefix(source)), 0
    while True:
        kind, name_bytes, size, pieces, _ = struct.unpack_from("<IIQII", content, at)
        body_at = at + 24 + name_bytes
        name, body = content[at + 24:body_at].decode(), content[body_at:body_at + size]
        expect(struct.unpack_from("<I", content, body_at + size) == (zlib.crc32(content[at:body_at + size]),), "entry %s" % name)
        at = body_at + size + 4
        if kind == 0:
            expect(at == len(content), "end of %s" % path)
            return
        file = run / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if kind == 1:
            file.write_bytes(body)
        elif kind == 6:
            file.write_bytes(symbols_of_columns(body))
        elif kind in (2, 5):
            put_pieces(file, bytes(struct.unpack_from("<Q", body)[0]), pieces, body[8:], kind)
        else:
            expect(kind in (3, 4), "entry of kind %d" % kind)
            put_pieces(file, file.read_bytes(), pieces, body, kind)


def put_pieces(file, image, count, body, kind):
    rows, image, at = [struct.unpack_from("<QQ", body, 16 * row) for row in range(count)], bytearray(image), 16 * count
    content = list(notes_of_rows(body[at:], [size for _, size in rows])) if kind == 4 else []
    for row, (offset, size) in enumerate(rows):
        image[offset:offset + size] = content[row] if content else body[at:at + size]
        at += size
    for offset, size in rows if kind == 5 else ():
        make_checks(image, offset, size)
    file.write_bytes(image)


def put_crc(image, at, *ranges):
    struct.pack_into("<I", image, at, crc(image, *ranges))


def make_seal(image, at, start, size):
    struct.pack_into("<I", image, at, zlib.crc32(image[start:at] + bytes(4) + image[at + 4:start + size]))


def make_thread_checks(image, at, whole):
    for commit in (at + 112, at + 192):
        put_crc(image, commit + 44, (commit, commit + 43), (commit + 48, commit + 79))
    if whole and any(image[at + 272:at + 276]):
        put_crc(image, at + 308, (at + 272, at + 307))
    if whole and any(image[at + 320:at + 324]):
        count = min(struct.unpack_from("<I", image, at + 316)[0], 224)
        make_seal(image, at + 324, at + 312, 40 + 16 * count)
    put_crc(image, at + 60, (at, at + 19), (at + 24, at + 39), (at + 96, at + 111))


def make_checks(image, at, size):
    """Of the first page, or of a chunk."""
    if at == 0:
        put_crc(image, 120, (0, 19), (32, 63), (80, 87), (184, 2295))
        make_seal(image, 124, 0, struct.unpack_from("<I", image, 16)[0])
        for record in range(2304, 4096, 128):
            if any(image[record:record + 4]):
                put_crc(image, record + 16, (record, record + 15), (record + 20, record + 127))
        return
    magic, kind, chunk_bytes = struct.unpack_from("<III", image, at)
    if magic != 0x4b435444:
        return
    put_crc(image, at + 24, (at + 4, at + 19))
    place, end = at + 64, at + chunk_bytes
    if kind == DATA:
        return
    if kind == THREAD:
        make_thread_checks(image, place, True)
    while kind == ENDED_THREADS and place + 288 <= end and any(image[place:place + 4]):
        record_bytes, _, words = struct.unpack_from("<III", image, place)
        make_thread_checks(image, place + 16, False)
        put_crc(image, place + 12, (place + 4, place + 11), (place + 288, place + 287 + 2 * words))
        place += record_bytes
    while kind == 8 and place + 40 <= end and any(image[place:place + 4]):
        record_bytes, = struct.unpack_from("<I", image, place)
        make_seal(image, place + 36, place, record_bytes)
        place += record_bytes
    record_bytes, number, ranges, check = {FUNCTIONS: (88, 80, ((0, 83),), 84), CALL_SITES: (24, 0, ((0, 19),), 20),
                                           IMAGES: (512, 0, ((0, 23), (28, 511)), 24),
                                           SITE_IMAGES: (512, 0, ((0, 23), (28, 511)), 24)}.get(kind, (0, 0, (), 0))
    while record_bytes and place + record_bytes <= end:
        if any(image[place + number:place + number + 4]):
            put_crc(image, place + check, *((place + first, place + last) for first, last in ranges))
        place += record_bytes
    if kind != 7:
        make_seal(image, at + 28, at, chunk_bytes)


def symbols_of_columns(body):
    rows = Rows(body)
    minor, count = rows.number(), rows.number()
    sizes, addresses, before = [rows.number() for _ in range(count)], [], 0
    for size in sizes:
        addresses.append(rows.behind(before))
        before = (addresses[-1] + size + 15) // 16 * 16
    flags, reasons = [rows.number() for _ in range(count)], [rows.number() for _ in range(count)]
    names, records, name = body[rows.at:], b"", 0
    for row in zip(addresses, sizes, flags, reasons):
        records += struct.pack("<QIIII", row[0], row[1], name, *row[2:])
        name = names.index(b"\0", name) + 1
    expect(not any(names[name:]), "names of symbols")
    return struct.pack("<8sHHIIIII", b"DiffSym\n", 1, minor, 0x01020304, count, len(names), zlib.crc32(records + names), 0) + records + names


# ---- files -----------------------------------------------------------------------------------------------------------


class Symbols:
    def __init__(self, path):
        data = path.read_bytes()
        magic, major, _, endian, count, text_bytes, check, _ = struct.unpack_from("<8sHHIIIII", data)
        expect(magic == b"DiffSym\n" and major == 1 and endian == 0x01020304, str(path))
        expect(zlib.crc32(data[32:32 + 24 * count + text_bytes]) == check, str(path))
        names = data[32 + 24 * count:32 + 24 * count + text_bytes]
        starts = (struct.unpack_from("<I", data, 32 + 24 * i + 12)[0] for i in range(count))
        self.names = [text(names[start:names.index(b"\0", start)]) for start in starts]


class Process:
    def __init__(self, run, path, tz_tables):
        self.data, self.run, self.tz_tables, self.path = path.read_bytes(), run, tz_tables, path
        if struct.unpack_from("<H", self.data, 8) == (2,):
            self.data = unseal(self.data)
        data = self.data
        self.header = unpack(Header, "8sHHIIIQIIiiQQQIi", data)
        expect(self.header.magic == b"DiffTrc\n" and self.header.endian == 0x01020304, "magic of %s" % path)
        expect(self.header.major == 1, "version of %s" % path)
        check, seal = struct.unpack_from("<II", data, 120)
        self.checked = self.header.minor >= 1 or check or seal
        if self.checked:
            expect(check == crc(data, (0, 19), (32, 63), (80, 87), (184, 2295)), "header of %s" % path)
        if seal:
            whole = data[:124] + bytes(4) + data[128:self.header.header_bytes]
            expect(seal == zlib.crc32(whole), "seal of %s" % path)
        self.host = text(data[184:248])
        self.threads, self.ended, self.streams = {}, {}, collections.defaultdict(dict)
        self.images, self.functions, self.sites, self.calls = {}, {}, {}, read_calls.Calls()
        self.read_chunks()

    def read_chunks(self):
        at = -(-self.header.header_bytes // 4096) * 4096
        while at + 64 <= len(self.data):
            chunk = unpack(Chunk, "IIIIIIII", self.data, at)
            if chunk.magic == 0:
                at += 4096
                continue
            expect(chunk.magic == 0x4b435444, "chunk at %d" % at)
            expect(not self.checked or chunk.check == crc(self.data, (at + 4, at + 19)), "chunk at %d" % at)
            whole = self.data[at:at + chunk.bytes]
            if chunk.seal:
                expect(chunk.seal == zlib.crc32(whole[:28] + bytes(4) + whole[32:]), "seal of chunk at %d" % at)
            self.read_chunk(chunk, whole[64:])
            at += chunk.bytes

    def read_chunk(self, chunk, payload):
        if chunk.type == THREAD:
            self.threads[chunk.owner] = payload
        elif chunk.type == ENDED_THREADS:
            self.read_ended_threads(payload)
        elif chunk.type == DATA:
            self.streams[chunk.owner][chunk.sequence] = payload
        elif chunk.type == FUNCTIONS:
            for at in range(0, len(payload) - 87, 88):
                image, symbol, flags, arguments = struct.unpack_from("<IIII", payload, at)
                number, check = struct.unpack_from("<II", payload, at + 80)
                if number:
                    expect(not self.checked or check == crc(payload, (at, at + 83)), "function %d" % number)
                    self.functions[number] = image, symbol, flags
                    self.calls.arguments[number] = struct.unpack_from("<%dq" % arguments, payload, at + 16)
        elif chunk.type == NOTES:
            self.calls.notes[chunk.owner][chunk.sequence] = payload
        elif chunk.type == COMMUNICATORS:
            self.calls.read_communicators(payload)
        elif chunk.type == ARRAYS:
            self.calls.read_arrays(payload)
        elif chunk.type == CALL_SITES:
            for at in range(0, len(payload) - 23, 24):
                number, image, address, flags, check = struct.unpack_from("<IIQII", payload, at)
                if number:
                    expect(check == crc(payload, (at, at + 19)), "call site of %d" % number)
                    self.sites[number] = image - 1, address, flags
        elif chunk.type in (IMAGES, SITE_IMAGES):
            for at in range(0, len(payload) - 511, 512):
                index, = struct.unpack_from("<I", payload, at)
                check, = struct.unpack_from("<I", payload, at + 24)
                if index:
                    good = check == crc(payload, (at, at + 23), (at + 28, at + 511))
                    expect(not self.checked or good, "image %d" % index)
                    self.images[index - 1] = text(payload[at + 40:at + 128])

    def read_ended_threads(self, payload):
        at = 0
        while at + 288 <= len(payload):
            size, index, words, check = struct.unpack_from("<IIII", payload, at)
            if size == 0:
                return
            text_end = at + 288 + 2 * words
            expect(check == crc(payload, (at + 4, at + 11), (at + 288, text_end - 1)), "ended thread %d" % index)
            self.ended[index] = payload[at + 16:at + 288], payload[at + 288:text_end]
            at += size

    def function_name(self, number, symbols):
        image, symbol, flags = self.functions[number]
        key = self.images[image]
        if key not in symbols:
            own = self.path.parent.parent / "images" / (key + ".sym")
            symbols[key] = Symbols(own if own.exists() else self.run / "images" / (key + ".sym"))
        return symbols[key].names[symbol] + ("@plt" if flags & 1 else "")

    # ---- a thread

    def commit(self, record, thread):
        commits = [record[112:192], record[192:272]]
        parsed = [unpack(Commit, "QQQQIIII32s", data) for data in commits]
        selected, other = thread.selector, thread.selector ^ 1
        if not self.checked:
            return parsed[selected]
        good = [parsed[i].check == crc(commits[i], (0, 43), (48, 79)) for i in (0, 1)]
        expect(good[selected], "commit record")
        newer = (parsed[other].tail_serial - parsed[selected].tail_serial) % 2**32
        return parsed[other if good[other] and 0 < newer < 2**31 else selected]

    def words(self, owner):
        record, ended = self.threads.get(owner), self.ended.get(owner)
        if ended:
            record = ended[0]
        thread = unpack(Thread, "IIIIIIQQQIIIIQQQ", record)
        if self.checked and thread.check:
            expect(thread.check == crc(record, (0, 19), (24, 39), (96, 111)), "thread %d" % owner)
        commit = self.commit(record, thread)
        yield from self.stream_words(owner, thread, commit)
        if ended:
            yield from self.tail_words(struct.unpack("<%dH" % (len(ended[1]) // 2), ended[1]))
            return
        capacity = 2048 if self.header.minor >= 5 else 1024
        tails = [struct.unpack_from("<%dH" % capacity, record, 4032 + 2 * capacity * i) for i in (0, 1)]
        serials = thread.serial0, thread.serial1
        active = commit.active_tail
        used = [active]
        if serials[active ^ 1] == (commit.tail_serial + 1) % 2**32:
            used.append(active ^ 1)
        for tail in used:
            yield from self.tail_words(tails[tail])

    def tail_words(self, tail):
        for word in tail:
            if self.header.minor >= 4 and 32768 < word < 49152:
                yield from (word - 32768, 0)
            elif word != EXCLUDED:
                yield word

    def stream_words(self, owner, thread, commit):
        chunks = self.streams[owner]
        stream = b"".join(chunks[i] for i in sorted(chunks))
        at, expected = thread.kept_stream, None
        if thread.kept_stream and chunks:
            at -= min(chunks) * len(chunks[min(chunks)])
        shift = thread.kept_stream - at
        while at < commit.stream_bytes - shift:
            segment = unpack(Segment, "IIQQQII", stream, at)
            expect(segment.magic == 0x47455344, "segment at %d of thread %d" % (at, owner))
            expect(expected in (None, segment.first_event), "order of segments of thread %d" % owner)
            is_open = at == commit.segment_start - shift
            code_at = at + 40 + 4 * segment.depth
            end = commit.stream_bytes - shift if is_open else code_at + segment.bytes
            code, count = stream[code_at:end], commit.segment_words if is_open else segment.events
            expect(count <= MOST_WORDS, "words of the segment at %d of thread %d" % (at, owner))
            ranges = [(at, at + 15), (at + 36, end - 1)] + ([] if is_open else [(at + 16, at + 31)])
            if not self.checked:
                ranges = [(code_at, end - 1)]
            expect(crc(stream, *ranges) == (commit.crc32 if is_open else segment.crc32), "segment at %d of thread %d" % (at, owner))
            yield from self.decode(segment.codec, code, count, commit.pending if is_open else None)
            at, expected = end, segment.first_event + count
        expect(expected in (None, commit.words), "words of thread %d" % owner)

    def decode(self, codec, code, count, pending):
        if codec == RAW:
            return decode_raw(code, count)
        if codec == PARLOT:
            return decode_parlot(code, count, pending)
        if codec == TZ:
            return decode_tz(self.tz_tables, code, count, pending)
        expect(codec == LZR, "codec %d" % codec)
        return lzr.decode(code, count, pending)

    def events(self, owner):
        """Ids, 0 for a return, and how many words there were with it."""
        words, position = self.words(owner), 0
        for word in words:
            position += 1
            if word != ESCAPE:
                yield word, position
                continue
            low, high = next(words, None), next(words, None)
            position += 2
            if high is not None:
                yield low | high << 15, position


# ---- labels -----------------------------------------------------------------------------------------------------------


def label_processes(processes):
    """[(P, process)] in order."""
    def claim(process):
        return bool(process.header.flags & 1), not process.header.flags & 8, process.header.start_realtime

    labelled, by_rank = [], collections.defaultdict(list)
    for process in processes:
        by_rank[process.header.rank].append(process)
    without = sorted(by_rank.pop(-1, []), key=lambda process: process.header.start_realtime)
    for rank in sorted(by_rank):
        owner = max(by_rank[rank], key=claim)
        others = sorted((process for process in by_rank[rank] if process is not owner),
                        key=lambda process: process.header.start_realtime)
        labelled += [("%d" % rank, owner)] + [("%d+%d" % (rank, i + 1), other) for i, other in enumerate(others)]
    first = max(by_rank, default=-1) + 1
    return labelled + [("%d" % (first + i), process) for i, process in enumerate(without)]


def letters(number):
    name, number = "", number + 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def label_threads(process):
    """[(T, owner)] in order; no two threads of these runs claim one number."""
    def key(owner):
        record = process.ended[owner][0] if owner in process.ended else process.threads[owner]
        return unpack(Thread, "IIIIIIQQQIIIIQQQ", record)[:2]

    return [(letters(key(owner)[1]) if key(owner)[0] else "%d" % key(owner)[1], owner)
            for owner in sorted({*process.threads, *process.ended}, key=key)]


# ---- the run ------------------------------------------------------------------------------------------------------------


def check_manifest(run):
    data = (run / "manifest.json").read_bytes()
    digits = json.loads(data).get("checksum")
    if digits:
        expect(data.count(digits.encode()) >= 1, "manifest")
        place = data.rindex(digits.encode())
        expect(int(digits, 16) == zlib.crc32(data[:place] + b"00000000" + data[place + 8:]), "manifest")


def dump_thread(process, owner, label, symbols, with_arguments, out):
    stack, calls = [], process.calls
    notes = calls.notes_by_position(owner) if with_arguments else {}
    for event, position in process.events(owner):
        name = told = ""
        if event:
            base = process.function_name(event, symbols)
            stack.append(base + (calls.signature(event) if with_arguments else ""))
            here = notes.get(position, ())
            name = base + (calls.signature(event, here) if with_arguments else "")
            told = "; ".join(filter(None, map(read_calls.told, here)))
        elif stack:
            name = stack.pop()
        out.write("%s\t%s\t%s%s\n" % (label, ">" if event else "<", name, "\t" + told if told else ""))


def dump(source, run, with_arguments, out):
    tables, symbols = tz.read_tables(source), {}
    check_manifest(run)
    processes = [Process(run, path, tables) for path in sorted([*(run / "processes").glob("*.trace"), *run.glob("users/*/processes/*.trace")])]
    for process_label, process in label_processes(processes):
        for thread_label, owner in label_threads(process):
            dump_thread(process, owner, "%s.%s" % (process_label, thread_label), symbols, with_arguments, out)


def main():
    source, run, with_arguments = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "--args" in sys.argv[3:]
    if run.is_dir():
        dump(source, run, with_arguments, sys.stdout)
        return
    with tempfile.TemporaryDirectory() as folder:
        unpack_run(source, run, pathlib.Path(folder))
        dump(source, pathlib.Path(folder), with_arguments, sys.stdout)


if __name__ == "__main__":
    main()
