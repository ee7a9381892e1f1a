#!/usr/bin/env python3
"""A decoder of LZP written from docs/codec-lzp.md; shares only the range coder with decode-tz.py, and nothing with the C source.

    decode-lzp.py CODE...     decodes codes NAME.lzp; compares with NAME.txt: how many words they are, and their CRC-32
"""
import importlib
import itertools
import pathlib
import sys

tz = importlib.import_module("decode-tz")

MASK64, M = 2**64 - 1, 0x9E3779B1
NO_TOKEN, MARK, CHILDLESS = 16384, 16384, 32768


def mix(h):
    h = h * 0x9E3779B97F4A7C15 & MASK64
    return h ^ h >> 29


def hashed(value, bits):
    return (value * M & 0xffffffff) >> (32 - bits)


class Pair:
    """An adaptive probability."""
    def __init__(self):
        self.p, self.seen = 32768, 0

    def learn(self, bit):
        r = 65536 // (self.seen + 2)
        self.p += (65535 - self.p) * r >> 16 if bit else -(self.p * r >> 16)
        self.seen = min(self.seen + 1, 30)


def pairs(count):
    return [Pair() for _ in range(count)]


class Slot:
    def __init__(self):
        self.check = self.count = self.first = 0
        self.second = None

    def says(self, c):
        if c == self.first:
            return 1 if self.count > 3 else 2
        return 3 if c == self.second else 4

    def learn(self, t):
        if t == self.first:
            self.count = min(self.count + 1, 200)
        elif t == self.second or self.count <= 2:
            self.first, self.second, self.count = t, self.first, 1
        else:
            self.second, self.count = t, self.count // 2

    def start(self, check, t):
        self.check, self.count, self.first, self.second = check, 1, t, None


class Decoder:
    def __init__(self, code):
        self.coder = tz.Coder(code)
        self.position = self.distance = self.order = self.history = self.largest = 0
        self.ring = [0] * 65536
        self.at_mark, self.gap = pairs(8), pairs(32)
        self.marks = [[[pairs(32) for _ in range(16)] for _ in range(3)] for _ in range(2)]
        self.upper = [pairs(4) for _ in range(32)]
        self.candidate = [[pairs(625) for _ in range(2)] for _ in range(5)]
        self.recent_bit, self.is_new, self.is_childless, self.id = pairs(16), Pair(), pairs(2), pairs(4096)
        self.recent = [[0] * 16 for _ in range(512)]
        self.place = [[None] * 2048 for _ in range(3)]
        self.slots = [[Slot() for _ in range(2048)] for _ in range(4)]

    # ---- code

    def bit(self, pair):
        bit = self.coder.decide(min(max(pair.p, 32), 65504))
        pair.learn(bit)
        return bit

    def number(self, lengths):
        n, v = 0, 1
        while n < 63 and self.bit(lengths[min(n, 31)]):
            n += 1
        for i in range(n):
            v = 2 * v + (self.coder.decide(32768) if i > 1 else self.bit(self.upper[min(n, 31)][2 + v % 2 if i else 1]))
        return v - 1

    # ---- words

    def words(self):
        """All words that the code says; for ever, if a match holds to the end of the code."""
        tokens = self.tokens()
        for token in tokens:
            if token == CHILDLESS:
                low, high = next(tokens) % 16384, next(tokens) % 16384
                yield low + 16384 * (high % 4)
            else:
                yield token % 16384
                if token >= CHILDLESS:
                    yield 0

    def tokens(self):
        while True:
            refuted = NO_TOKEN
            if self.distance:
                yield from self.run()
                refuted = self.foretold() & ~MARK
            token = self.unforetold(refuted)
            self.put(token | (MARK if refuted != NO_TOKEN else 0))
            yield token
            self.find_match()

    def put(self, marked):
        self.ring[self.position % 65536] = marked
        self.position += 1

    def ago(self, k):
        return self.ring[(self.position - k) % 65536] & ~MARK

    def four(self, k):
        return sum(self.ago(k - i) << 16 * i for i in range(4))

    # ---- runs

    def foretold(self):
        return self.ring[(self.position - self.distance) % 65536]

    def copy(self):
        token = self.foretold()
        self.put(token)
        return token & ~MARK

    def run(self):
        if self.coder.decide(4):
            while True:
                yield self.copy()
        at_mark = self.bit(self.at_mark[self.history % 8])
        self.history = 2 * self.history + at_mark
        marks = self.number(self.marks[at_mark][self.order][hashed(self.ago(1), 4)])
        gap = 0 if at_mark else self.number(self.gap)
        while marks or at_mark:
            if self.foretold() & MARK:
                if not marks:
                    return
                marks -= 1
            yield self.copy()
        for _ in range(gap):
            yield self.copy()

    def find_match(self):
        h, self.distance = 0, 0
        contexts = {}
        for j in range(1, 9):
            h = contexts[j] = mix(h + self.four(4 * j) & MASK64)
        for order, h in enumerate((contexts[8], contexts[3], contexts[1])):
            index, check = h >> 53, h >> 32 & 0xfff | 1
            known = self.place[order][index]
            self.place[order][index] = self.position, check
            if known and known[1] == check and not self.distance:
                d = (self.position - known[0]) % 2**20
                if 1 <= d <= 65535:
                    self.distance, self.order = d, order

    # ---- tokens that no match foretells

    def contexts(self, refuted):
        u = mix(self.four(4))
        one, two = self.ago(1), self.ago(2)
        return (mix(mix(u + self.four(8) & MASK64) + self.four(12) & MASK64), u,
                mix(two + (one << 16) + (refuted << 32) + 1), mix(one + 1))

    def unforetold(self, refuted):
        found = []
        for slots, h in zip(self.slots, self.contexts(refuted)):
            slot, check = slots[h >> 53], h >> 32 & 0xffff
            found.append((slot, check, slot.count > 0 and slot.check == check))
        token, tried = self.try_candidates(refuted, [slot if holds else None for slot, _, holds in found])
        if token is None:
            token = self.other(refuted, tried)
        for slot, check, holds in found:
            if holds:
                slot.learn(token)
            else:
                slot.start(check, token)
        return token

    def try_candidates(self, refuted, slots):
        holding = [slot for slot in slots if slot]
        tried = []
        for c in [slot.first for slot in holding] + [slot.second for slot in holding]:
            if c is None or c == refuted or c in tried or len(tried) == 5:
                continue
            case = 0
            for slot in slots:
                case = 5 * case + (slot.says(c) if slot else 0)
            tried.append(c)
            if self.bit(self.candidate[len(tried) - 1][refuted != NO_TOKEN][case]):
                return c, tried
        return None, tried

    def other(self, refuted, tried):
        recent = self.recent[hashed(self.ago(1), 9)]
        q = 0
        for k in range(16):
            if recent[k] == refuted or recent[k] in tried or recent[k] in recent[:k]:
                continue
            if self.bit(self.recent_bit[q]):
                recent.insert(0, recent.pop(k))
                return recent[0]
            q += 1
        recent.pop()
        recent.insert(0, self.literal())
        return recent[0]

    def literal(self):
        if self.bit(self.is_new):
            number = (self.largest + 1) % 16384
        else:
            v = 1
            for _ in range(14):
                v = 2 * v + self.bit(self.id[v if v < 2048 else hashed(v, 11) | 2048])
            number = v % 16384
        self.largest = max(self.largest, number)
        return number + CHILDLESS * self.bit(self.is_childless[number == 0])


def decode(code, count, pending=None):
    """An iterator over the `count` words of a segment; tz.Damaged ends it if the code does not hold so many."""
    held = []
    if pending is not None:
        code += pending[1:1 + pending[0]]
        held = [word for word in (int.from_bytes(pending[30:32], "little"),) if word]
    return itertools.chain(itertools.islice(Decoder(code).words(), count - len(held)), held)


if __name__ == "__main__":
    sys.exit(tz.check_files(map(pathlib.Path, sys.argv[1:]), decode))
