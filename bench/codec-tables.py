#!/usr/bin/env python3
"""Writes src/codec/tz_tables.c: the constants of the codec TZ. They are part of the format: the committed file counts,
this script tells where its numbers come from.

    bench/codec-tables.py > src/codec/tz_tables.c
"""
import math


def rows(values, indent="    "):
    line, out = indent, []
    for value in values:
        piece = f"{value}, "
        if len(line) + len(piece) > 118:
            out.append(line.rstrip())
            line = indent
        line += piece
    return "\n".join(out + [line.rstrip()])


def stretch(i):
    p = (i + 0.5) / 4096
    return round(256 * math.log(p / (1 - p)))


def squash(i):
    p = 1 / (1 + math.exp(-(i - 2048) / 170))
    return min(max(round(65536 * p), 6), 65530)


def level(i):
    """Quantised confidence of a slot."""
    return min(max((stretch(16 * i + 8) + 1280) * 3 >> 8, 0), 31)


print("""/* Made by bench/codec-tables.py. Part of the format of TZ: a change of any number makes old traces unreadable. */
#include "tz_tables.h"
""")
print("const int16_t dt_tz_stretch[4096] = {\n" + rows(map(stretch, range(4096))) + "\n};\n")
print("const uint16_t dt_tz_squash[4096] = {\n" + rows(map(squash, range(4096))) + "\n};\n")
print("const uint8_t dt_tz_level[256] = {\n" + rows(map(level, range(256))) + "\n};")
