#!/usr/bin/env python3
"""A decoder of LZR written from docs/codec-lzr.md; shares the check of files with decode_tz.py, and nothing with the C source.

    decode_lzr.py CODE...     decodes codes NAME.lzr; compares with NAME.txt: how many words they are, and their CRC-32
"""
import itertools
import pathlib
import sys

import decode_tz as tz

MASK64 = 2**64 - 1
NO_TOKEN, MARK, CHILDLESS = 16384, 16384, 32768
FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93,
           0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3)


class Mean:
    def __init__(self):
        self.sixteenths = 0

    def learn(self, number):
        self.sixteenths += (16 * min(number, 4000) - self.sixteenths) // 16


class Slot:
    def __init__(self):
        self.check = None
        self.last = self.other = None  # (token, position)


class Decoder:
    def __init__(self, code):
        self.code, self.read = code, 0
        self.position = self.distance = self.order = self.before = self.largest = 0
        self.ring = [0] * 65536
        self.expected = [[Mean() for _ in range(16)] for _ in range(3)]
        self.marks = [[Mean() for _ in range(16)] for _ in range(3)]
        self.gap, self.place = Mean(), [Mean(), Mean()]
        self.recent = [[0] * 16 for _ in range(512)]
        self.slots = [[Slot() for _ in range(2048)] for _ in range(3)]

    # ---- code

    def bits(self, count):
        value = 0
        for i in range(count):
            if self.read == 8 * len(self.code):
                raise tz.Damaged
            value |= (self.code[self.read // 8] >> self.read % 8 & 1) << i
            self.read += 1
        return value

    def number(self, mean):
        low = max(mean.sixteenths // 16, 1).bit_length() - 1
        high = 0
        while high < 16 and not self.bits(1):
            high += 1
        if high < 16:
            number = (high << low) + self.bits(low)
        else:
            length = self.bits(6)
            number = (1 << length) + self.bits(length) - 1
        mean.learn(number)
        return number

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
            refuted, kind = NO_TOKEN, None
            if self.distance:
                kind = yield from self.run()
                refuted = self.foretold() & ~MARK
            token = self.unforetold(refuted, kind)
            yield token

    def put(self, marked):
        self.ring[self.position % 65536] = marked
        self.position += 1

    def ago(self, k):
        return self.ring[(self.position - k) % 65536] & ~MARK

    def foretold(self):
        return self.ring[(self.position - self.distance) % 65536]

    def copy(self):
        token = self.foretold()
        self.put(token)
        return token & ~MARK

    # ---- runs

    def run(self):
        """Its tokens; returns how it broke."""
        marks, gap = self.number(self.expected[self.order][self.before]) - 1, 0
        kind = "expected"
        if marks < 0:
            kind = "at a mark" if self.bits(1) else "elsewhere"
            if kind == "elsewhere" and self.bits(1):
                while True:
                    yield self.copy()
            marks = self.number(self.marks[self.order][self.before])
            gap = self.number(self.gap) if kind == "elsewhere" else 0
        while marks or kind != "elsewhere":
            if self.foretold() & MARK:
                if not marks:
                    return kind
                marks -= 1
            yield self.copy()
        for _ in range(gap):
            yield self.copy()
        return kind

    # ---- tokens that no match foretells

    def contexts(self):
        fours = [sum(self.ago(4 * j + 4 - i) << 16 * i for i in range(4)) for j in range(8)]
        twelve = sum(four * factor for four, factor in zip(fours[:3], FACTORS))
        for s in (sum(four * factor for four, factor in zip(fours, FACTORS)), twelve, (fours[0] >> 16) * FACTORS[0]):
            s &= MASK64
            yield (s ^ s >> 32) * FACTORS[0] & MASK64

    def distance_to(self, seen):
        d = (self.position - seen[1]) % 2**20
        return d if 1 <= d <= 65535 else 0

    def unforetold(self, refuted, kind):
        asked = []
        for slots, h in zip(self.slots, self.contexts()):
            slot, check = slots[h >> 53], h >> 32 & 0xfff | 1
            seen = [one for one in (slot.last, slot.other) if one] if slot.check == check else []
            says = next((one for one in seen if one[0] != refuted), None)
            asked.append((slot, check, seen, says if says and self.distance_to(says) else None))
        says = next(((one, order) for order, (_, _, _, one) in enumerate(asked) if one), None)
        token = self.token(refuted, kind, asked, says)
        self.find_match(token, asked, says)
        self.learn(token, asked)
        self.put(token | (MARK if refuted != NO_TOKEN else 0))
        self.before = (token * 0x9E3779B1 & 0xffffffff) >> 28
        return token

    def token(self, refuted, kind, asked, says):
        if kind == "expected":
            if not says:
                raise tz.Damaged
            return says[0][0]
        candidates = []
        for one in [a[3] for a in asked] + [one for a in asked for one in a[2]]:
            if one and one[0] != refuted and one[0] not in candidates:
                candidates.append(one[0])
        for token in candidates[kind == "at a mark":]:
            if self.bits(1):
                return token
        return self.other(refuted, candidates)

    def other(self, refuted, candidates):
        two = (self.ago(1) << 16) + self.ago(2)
        recent = self.recent[(two * FACTORS[0] & MASK64) >> 55]
        number = self.number(self.place[refuted != NO_TOKEN])
        if number == 1:
            recent.pop()
            recent.insert(0, self.literal())
            return recent[0]
        fresh = [k for k in range(16)
                 if recent[k] != refuted and recent[k] not in candidates and recent[k] not in recent[:k]]
        wanted = max(number - 1, 0)
        if wanted >= len(fresh):
            raise tz.Damaged
        recent.insert(0, recent.pop(fresh[wanted]))
        return recent[0]

    def literal(self):
        number = (self.largest + 1) % 16384 if self.bits(1) else self.bits(14)
        self.largest = max(self.largest, number)
        return number + CHILDLESS * self.bits(1)

    def find_match(self, token, asked, says):
        self.distance = 0
        if says and says[0][0] == token:
            self.distance, self.order = self.distance_to(says[0]), says[1]
            return
        for order, (_, _, seen, _) in enumerate(asked):
            for one in seen:
                if one[0] == token and self.distance_to(one) and not self.distance:
                    self.distance, self.order = self.distance_to(one), order

    def learn(self, token, asked):
        for slot, check, seen, _ in asked:
            others = [one for one in seen if one[0] != token]
            slot.check, slot.last = check, (token, self.position)
            slot.other = others[0] if others else None


def decode(code, count, pending=None):
    """An iterator over the `count` words of a segment; tz.Damaged ends it if the code does not hold so many."""
    held = []
    if pending is not None:
        code += pending[1:1 + pending[0]]
        held = [word for word in (int.from_bytes(pending[30:32], "little"),) if word]
    return itertools.chain(itertools.islice(Decoder(code).words(), count - len(held)), held)


if __name__ == "__main__":
    sys.exit(tz.check_files(map(pathlib.Path, sys.argv[1:]), decode))
