#!/usr/bin/env python3
"""A decoder of TZ written from docs/codec-tz.md; shares only the tables of constants with the C source.

    decode_tz.py SOURCE CODE...     decodes codes NAME.tz; compares with NAME.txt: how many words they are, and their CRC-32
"""
import pathlib
import re
import sys
import zlib

MASK, M, NOTHING = 0xffffffff, 0x9E3779B1, -1
RATE = [32768, 21845, 16384, 13107, 10922, 9362, 8192, 7281, 6553, 5957, 5461, 4681, 4096, 3640, 3276, 2730]


def read_tables(source):
    text = (source / "tz_tables.c").read_text() + (source / "tz_initial.c").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    tables = {}
    for name, body in re.findall(r"(?:dt_tz_|\.)(\w+)(?:\[\d+\])? =\s*\{(.*?)(?=;|\n\.)", text, flags=re.S):
        tables[name] = [int(number) for number in re.findall(r"-?\d+", body)]
    return tables


class Damaged(Exception):
    pass


class Coder:
    def __init__(self, code):
        self.code, self.at, self.low, self.high, self.window, self.unknown = code, 0, 0, MASK, 0, 0
        for _ in range(4):
            self.shift()

    def shift(self):
        known = self.at < len(self.code)
        self.window = (self.window << 8 | (self.code[self.at] if known else 0)) & MASK
        self.unknown = (self.unknown << 8 | (0 if known else 255)) & MASK
        self.at += 1

    def decide(self, p):
        middle = self.low + ((self.high - self.low) * p >> 16)
        bit = self.window <= middle
        if bit != ((self.window | self.unknown) <= middle):
            raise Damaged
        if bit:
            self.high = middle
        else:
            self.low = middle + 1
        while self.low >> 24 == self.high >> 24:
            self.low, self.high = self.low << 8 & MASK, (self.high << 8 | 255) & MASK
            self.shift()
        return int(bit)

    def bit(self, table, index):
        p = table[index]
        bit = self.decide(min(max(p, 32), 65504))
        table[index] = p + (65535 - p >> 4) if bit else p - (p >> 4)
        return bit


class Frame:
    def __init__(self):
        self.history = self.since = self.children = self.function = 0


class Slot:
    def __init__(self):
        self.check = self.count = self.first = self.second = self.confidence = 0


class Decoder:
    def __init__(self, tables, code):
        self.stretch, self.squash, self.level = tables["stretch"], tables["squash"], tables["level"]
        self.t = {name: list(values) for name, values in tables.items()}
        self.coder = Coder(code)
        self.position = self.depth = self.o5 = self.o11 = self.o32 = 0
        self.distance = self.foretold = self.long = self.trusted = self.since_position = 0
        self.trust = 12
        self.ring = [0] * 65536
        self.frames = [Frame() for _ in range(1024)]
        self.slots = [[Slot() for _ in range(4096 if c == 0 else 2048)] for c in range(5)]
        self.by_outcomes, self.by_words = [0] * 2048, [0] * 2048
        self.recent = [[0] * 16 for _ in range(512)]
        self.largest = self.flags = self.escape = self.escape_low = 0
        self.literal = [32768] * 4096
        self.streak = None  # None: a flag comes next; -1: all hold; else so many hold

    def ago(self, k):
        return self.ring[(self.position - k) % 65536]

    def top(self):
        return self.frames[self.depth % 1024]

    def find(self, context):
        f = self.top()
        local = f.function * 0x27D4EB2F + f.children % 65536 * 0x165667B1 + self.ago(1) * 0x85EBCA77
        h = [f.history, f.children * M + f.function * 0x27D4EB2F, f.since, self.o5 + local, self.o11 + local][context] & MASK
        h = (h ^ h >> 15) * 0x2C1B3C6D & MASK
        slot, check = self.slots[context][h >> (20 if context == 0 else 21)], h >> 7 & 0xfff
        return slot, check, slot.confidence > 0 and slot.check == check

    def predict(self):
        """The sure prediction, and whether its hit is an outcome."""
        if self.trusted:
            return self.ago(self.trusted), False
        slot, _, holds = self.find(0)
        if holds:
            if slot.confidence > 64000:
                return slot.first, False
        else:
            since, _, known = self.find(2)
            if known and since.confidence > 64000:
                return since.first, False
            slot, _, holds = self.find(1)
            if holds and slot.confidence > (64300 if known else 64000) and (not known or since.first == slot.first):
                return slot.first, False
        slot, _, holds = self.find(4)
        return (slot.first if holds and slot.confidence > 64700 else NOTHING), True

    def outcome(self, w):
        k = 0x2F0B4C47
        self.o5 = (self.o5 + w + 1) * (k << 6) & MASK
        self.o11 = (self.o11 + w + 1) * (k << 3) & MASK
        self.o32 = (self.o32 + w + 1) * (k << 1) & MASK

    def step(self, w, surprise):
        self.ring[self.position % 65536] = w
        self.position += 1
        f = self.top()

        def child(c):
            f.history = (f.history + c) * M & MASK
            f.since = (c * 0x7FEB352D + f.function * M if surprise else (f.since + c) * M) & MASK
            f.children = (f.children << 16 | c) & MASK

        def enter(g):
            self.depth += 1
            t, caller = self.top(), f.function
            t.history, t.since = (g * 0x85EBCA77 + caller * 0xC2B2AE3D) & MASK, g * 0x3C6EF372 & MASK
            t.children, t.function = 0, g

        if self.escape:
            child(w | 0x8000)
            self.escape -= 1
            if self.escape:
                self.escape_low = w
            else:
                enter((self.escape_low | w << 15) & MASK)
        elif w == 65535:
            self.escape = 2
            child(65535)
        elif w == 0:
            self.depth -= 1
            if surprise:
                t = self.top()
                t.since = (t.since * 0x2545F491 + t.function) & MASK
        else:
            child(w)
            enter(w)

    def read_flag(self):
        table, index = self.t["miss_flag"], self.flags % 8
        p = table[index]
        flag = self.coder.decide(min(max(p, 4), 65532))
        table[index] = p + (65535 - p >> 5) if flag else p - (p >> 5) - (4 < p < 32)
        self.flags = self.flags << 1 | flag
        if not flag:
            return -1
        n = 0
        while n < 63 and self.coder.bit(self.t["streak_length"], min(n, 31)):
            n += 1
        v = 1
        for i in range(n):
            v = v << 1 | (self.coder.decide(32768) if i else self.coder.bit(self.t["streak_top"], n % 32))
        return v - 1

    def word(self):
        prediction, is_outcome = self.predict()
        if prediction == NOTHING:
            self.streak = None
            return self.explicit(NOTHING)
        if self.streak is None:
            self.streak = self.read_flag()
        if self.streak == 0:
            self.streak = None
            if self.trusted:
                far = self.position - self.since_position >= 512
                self.trust = max(self.trust // 2, 12) if far else min(2 * self.trust, 192)
                self.drop()
                self.trusted = 0
            return self.explicit(prediction)
        self.streak -= self.streak > 0
        if is_outcome:
            self.outcome(prediction)
        self.step(prediction, False)
        return prediction

    def drop(self):
        self.distance = self.foretold = self.long = 0

    def repeats(self, distance, words):
        return all(self.ago(k) == self.ago(k + distance) for k in range(1, words + 1))

    def explicit(self, refuted):
        found = [self.find(c) for c in range(5)]
        if self.distance and not self.repeats(self.distance, 4):
            self.drop()
        match = self.ago(self.distance) if self.distance else NOTHING
        valid = [holds for _, _, holds in found] + [match != NOTHING]
        first = [slot.first if holds else NOTHING for slot, _, holds in found] + [match]
        second = [slot.second if holds and slot.second != 65535 else NOTHING for slot, _, holds in found] + [NOTHING]
        level = [self.level[slot.confidence >> 8] if holds else 0 for slot, _, holds in found] + [min(self.foretold, 31)]
        passed = [refuted != NOTHING and one == refuted for one in first]
        state = 0 if not self.distance else 1 if self.foretold < 4 else 2 if self.foretold < 16 else 3
        order = [match if self.foretold >= 8 else NOTHING, first[4], first[0], first[2], first[3], first[1], match,
                 second[4], second[0], second[2], second[3], second[1]]
        tried, word = [], None
        for c in order:
            if c in (NOTHING, refuted) or c in tried or len(tried) == 4:
                continue
            r = 3 if refuted != NOTHING and not tried else len(tried)
            tried.append(c)
            if self.rank(c, r, valid, first, second, level, passed, state):
                word = c
                break
            passed = [old or one == c for old, one in zip(passed, first)]
        surprise = refuted != NOTHING or word is None or len(tried) > 1
        if word is None:
            word = self.other(refuted, tried)
        for slot, check, holds in found:
            self.learn(slot, check, holds, word)
        self.outcome(word)
        if self.distance and match == word:
            self.foretold += 1
        else:
            self.drop()
        self.step(word, surprise)
        self.find_match()
        return word

    def rank(self, c, r, valid, first, second, level, passed, state):
        adaptive, weight = self.t["adaptive"], self.t["weight"]
        places, inputs = [], []
        for i in range(6):
            case = 5 if not valid[i] else 0 if first[i] == c else (1 if second[i] == c else 3) + passed[i]
            places.append(((r * 6 + i) * 6 + case) * 32 + level[i])
            inputs.append(self.stretch[adaptive[places[i]] >> 4])
        has = [first[i] == c for i in range(5)]
        agree = 3 if all(has[i] == valid[i] for i in range(5)) else has[0] + has[4]
        w = ((r * 4 + state) * 4 + agree) * 7
        total = weight[w + 6] * 64 + sum(weight[w + i] * inputs[i] for i in range(6)) >> 16
        p = self.squash[min(max((total * 170 >> 8) + 2048, 0), 4095)]
        bit = self.coder.decide(p)
        target = 65535 if bit else 0
        e = target - p >> 2
        if e <= -256 or e >= 256:
            for i in range(6):
                weight[w + i] += inputs[i] * e + 4096 >> 13
                adaptive[places[i]] += target - adaptive[places[i]] >> 6
            weight[w + 6] += 64 * e >> 14
        return bit

    def other(self, refuted, tried):
        recent = self.recent[(self.top().function * M & MASK) >> 16 & 511]
        q, place, word = 0, 15, None
        for k in range(16):
            if recent[k] == refuted or recent[k] in tried or recent[k] in recent[:k]:
                continue
            if self.coder.bit(self.t["recent"], len(tried) * 16 + q):
                word, place = recent[k], k
                break
            q += 1
        if word is None:
            word = self.read_literal()
        del recent[place]
        recent.insert(0, word)
        return word

    def read_literal(self):
        if self.coder.bit(self.t["is_new"], 0):
            word = (self.largest + 1) % 65536
        else:
            v = 1
            for _ in range(5):
                v = v << 1 | self.coder.bit(self.t["literal_length"], v)
            length, v = v % 32, int(v % 32 > 0)
            for _ in range(length - 1):
                v = v << 1 | self.coder.bit(self.literal, v if v < 2048 else (v * M & MASK) >> 21 | 2048)
            word = v % 65536
        if word > self.largest and word != 65535 and not self.escape:
            self.largest = word
        return word

    @staticmethod
    def learn(slot, check, holds, w):
        n = slot.count
        if holds and slot.first == w:
            slot.confidence += (65535 - slot.confidence) * RATE[n] >> 16
            slot.count = min(n + 1, 15)
        elif holds:
            p = slot.confidence = slot.confidence - (slot.confidence * RATE[n] >> 16)
            if slot.second != w and p >= 20000:
                slot.second = w
            elif slot.second != w:
                slot.first, slot.second, slot.confidence = w, slot.first, 30000
            elif p < 32768:
                slot.first, slot.second, slot.confidence = w, slot.first, 65535 - p
            slot.count = min(n, 7) + 1
        elif n > 3 and slot.confidence > 64000:
            slot.count = n - 2
        else:
            slot.check, slot.count, slot.first, slot.second, slot.confidence = check, 0, w, 65535, 36000

    def find_match(self):
        a = ((self.o32 ^ self.o32 >> 15) * 0x85EBCA77 & MASK) >> 21
        b = (self.ago(1) * M + self.ago(2) * 0x85EBCA77 + self.ago(3) * 0xC2B2AE3D + self.ago(4) * 0x165667B1 +
             self.o5 * 0x27D4EB2F) & MASK
        b = ((b ^ b >> 15) * M & MASK) >> 21
        x, y = (self.position - self.by_outcomes[a]) % 65536, (self.position - self.by_words[b]) % 65536
        x, y = x if x <= 64448 else 0, y if y <= 64448 else 0
        self.by_outcomes[a] = self.by_words[b] = self.position % 65536
        if self.foretold < self.trust:
            if x and not self.long and x != self.distance and self.repeats(x, 24):
                self.distance, self.foretold, self.long = x, 4, 1
            if not self.distance and y and self.repeats(y, 8):
                self.distance, self.foretold, self.long = y, 0, 0
        self.trusted = 0
        if self.distance and self.foretold >= self.trust:
            self.trusted, self.since_position = self.distance, self.position


def decode(tables, code, count):
    decoder = Decoder(tables, code)
    for _ in range(count):
        yield decoder.word()


def describe(path, expected, decode_words):
    """What should be in NAME.txt."""
    out = bytearray()
    try:
        for word in decode_words(path.read_bytes(), int(expected.split()[0])):
            out += word.to_bytes(2, "little")
    except Damaged:
        pass
    return f"{len(out) // 2} words, CRC-32 {zlib.crc32(out):08x}\n"


def check_files(paths, decode_words):
    """Whether the words of one of the files are not those that its NAME.txt tells."""
    failed = False
    for path in paths:
        expected = path.with_suffix(".txt").read_text()
        found = describe(path, expected, decode_words)
        failed |= found != expected
        print(f"{path.name}: {found.strip()}" + (f", not {expected.strip()}" if found != expected else ""))
    return failed


def main():
    tables = read_tables(pathlib.Path(sys.argv[1]))
    sys.exit(check_files(map(pathlib.Path, sys.argv[2:]), lambda code, count: decode(tables, code, count)))


if __name__ == "__main__":
    main()
