"""Packed runs made and taken apart by hand, from docs/trace-format.md, section 15."""

import ctypes
import os
import struct
import zlib

END, FILE, TRACE, CODE, NOTES, APART, SYMBOLS = range(7)
ZSTD = ctypes.CDLL("libzstd.so.1")
for name in ("ZSTD_compress", "ZSTD_compressBound"):
    getattr(ZSTD, name).restype = ctypes.c_size_t
ZSTD.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
ZSTD.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
ZSTD.ZSTD_createDCtx.restype = ctypes.c_void_p
ZSTD.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                           ctypes.c_size_t]
ZSTD.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/store/packed/dictionary.txt"), "rb") as texts:
    PREFIX = texts.read().replace(b"\n", b"\0")


def compress(data):
    out = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(len(data)))
    size = ZSTD.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:size]


def decompress(data, size):
    out = ctypes.create_string_buffer(max(size, 1))
    context = ZSTD.ZSTD_createDCtx()
    found = ZSTD.ZSTD_decompress_usingDict(context, out, size, data, len(data), PREFIX, len(PREFIX))
    ZSTD.ZSTD_freeDCtx(context)
    if found != size:
        raise ValueError("not %d bytes" % size)
    return out.raw[:size]


def header(size, major=1, flags=0, magic=b"DiffPack"):
    start = struct.pack("<8sHHIQI", magic, major, 0, 0x01020304, size, flags)
    return start + struct.pack("<I", zlib.crc32(start))


def entry(kind, name, body, pieces=0, size=None):
    name = name if isinstance(name, bytes) else name.encode()
    data = struct.pack("<IIQII", kind, len(name), len(body) if size is None else size, pieces, 0) + name + body
    return data + struct.pack("<I", zlib.crc32(data))


def pieces(*places):
    """(offset, bytes), ... as rows and what they hold."""
    return b"".join(struct.pack("<QQ", offset, len(data)) for offset, data in places) + b"".join(data for _, data in places)


def trace(name, size, *places):
    return entry(TRACE, name, struct.pack("<Q", size) + pieces(*places), len(places))


def archive(*entries, **more):
    content = b"".join(entries) + entry(END, "", b"")
    return header(len(content), **more) + compress(content)


def entries(data):
    """(kind, name, body, pieces) of each."""
    size, = struct.unpack_from("<Q", data, 16)
    content, at = decompress(data[32:], size), 0
    while True:
        kind, name_bytes, size, count, _ = struct.unpack_from("<IIQII", content, at)
        end = at + 24 + name_bytes + size
        if struct.unpack_from("<I", content, end)[0] != zlib.crc32(content[at:end]):
            raise ValueError("an entry with a wrong checksum")
        if kind == END:
            if end + 4 != len(content):
                raise ValueError("something behind the end")
            return
        yield kind, content[at + 24:at + 24 + name_bytes].decode(), content[at + 24 + name_bytes:end], count
        at = end + 4
