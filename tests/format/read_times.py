#!/usr/bin/env python3
"""An independent reader of times, written from docs/trace-format.md alone.

    read_times.py SOURCE RUN   prints what `difftrace dump --flat --clock RUN` prints of a run without other notes
"""

import pathlib
import struct
import sys

from read_run import EXCLUDED, ESCAPE, Process, Thread, check_manifest, expect, label_processes, label_threads, tz, unpack

STAMPS, TIMES = 12, 13
STEPS = (65536, 71468, 77936, 84990, 92682, 101070, 110218, 120194)


def ticks(code):
    octave, step = divmod(code - 2, len(STEPS))
    return 0 if code == 1 else ((STEPS[step] << octave) + 32768) >> 16


class TimedProcess(Process):
    def __init__(self, *arguments):
        self.rows, self.stamps = {}, {}
        super().__init__(*arguments)
        self.start = struct.unpack_from("<Q", self.data, 56)[0]

    def read_chunk(self, chunk, payload):
        if chunk.type == TIMES:
            self.rows.setdefault(chunk.owner, {})[chunk.sequence] = payload
        elif chunk.type == STAMPS:
            self.stamps[chunk.owner] = payload
        else:
            super().read_chunk(chunk, payload)

    def row_times(self, owner, anchors):
        rows = self.rows.get(owner, {})
        for sequence in sorted(rows):
            row = rows[sequence]
            position, counter, used = struct.unpack_from("<QQI", row)
            at, of_batch = 24, False
            while at < 24 + used:
                code = row[at]
                at += 1
                if code == 251:
                    anchors.append(struct.unpack_from("<QQQ", row, at))
                    at += 24
                elif code == 253:
                    of_batch = True
                elif code != 252:
                    expect(1 <= code <= 250, "time item %d" % code)
                    if code == 250:
                        counter += struct.unpack_from("<Q", row, at)[0]
                        at += 8
                    else:
                        counter += ticks(code)
                    shift = 0
                    while True:
                        position += (row[at] & 127) << shift
                        shift += 7
                        at += 1
                        if row[at - 1] < 128:
                            break
                    yield position, counter, of_batch
                    of_batch = False

    def tail_times(self, owner, anchors):
        chunk = self.stamps.get(owner)
        if chunk is None:
            return
        anchors += [anchor for anchor in (struct.unpack_from("<QQQ", chunk, at) for at in (0, 24)) if anchor[1]]
        if owner in self.ended:
            return
        record = self.threads[owner]
        thread = unpack(Thread, "IIIIIIQQQIIIIQQQ", record)
        commit = self.commit(record, thread)
        position, since = commit.words, min(anchors)[0]
        for tail in commit.active_tail, commit.active_tail ^ 1:
            if tail != commit.active_tail and (thread.serial0, thread.serial1)[tail] != (commit.tail_serial + 1) % 2**32:
                break
            words = struct.unpack_from("<2048H", record, 4032 + 4096 * tail)
            counts = [0 if word == EXCLUDED else 2 if 32768 <= word < 49152 else 1 for word in words]
            bit, = struct.unpack_from("<I", chunk, 48)
            bit ^= 2048 * tail
            before = 0
            for stamp in struct.unpack_from("<2048Q", chunk, 4032 + 16384 * tail):
                index = stamp & 2047
                if stamp == 0 or stamp & 2048 != bit or index < before:
                    continue
                before = index
                yield position + sum(counts[:index]), since + ((stamp >> 12) - since) % 2**52, False
            position += sum(counts)

    def times(self, owner):
        """(position, ns, of a batch) of a thread, by the process's clock."""
        anchors = []
        found = [*self.row_times(owner, anchors), *self.tail_times(owner, anchors)]
        if not anchors:
            return []
        anchors.sort()
        found.sort(key=lambda time: time[0])
        all_anchors = anchors
        if anchors[0][0] == anchors[-1][0]:
            all_anchors = []
            for other in set(self.rows) | set(self.stamps):
                list(self.row_times(other, all_anchors))
                if other in self.stamps:
                    all_anchors += [anchor for anchor in (struct.unpack_from("<QQQ", self.stamps[other], at) for at in (0, 24)) if anchor[1]]
            all_anchors.sort()
        first, last = all_anchors[0], all_anchors[-1]
        slope = (last[1] - first[1]) / (last[0] - first[0])
        latest, result = 0, []
        for position, counter, of_batch in found:
            before = [anchor for anchor in anchors if anchor[0] <= counter]
            anchor, here = (before[-1], slope) if before else (first, slope)
            if before and len(before) < len(anchors):
                after = anchors[len(before)]
                if after[0] > anchor[0] and after[1] > anchor[1]:
                    here = (after[1] - anchor[1]) / (after[0] - anchor[0])
            latest = max(latest, anchor[1] + int((counter - anchor[0]) * here))
            result.append((position, latest - self.start, of_batch))
        return result

    def placed_events(self, owner):
        """(event, its position)"""
        position, words = 0, self.words(owner)
        for word in words:
            position += 1
            if word == ESCAPE:
                low, high = next(words, None), next(words, None)
                if high is None:
                    return
                position += 2
                word = low | high << 15
            yield word, position


def dump(source, run, out):
    tables, symbols = tz.read_tables(source), {}
    check_manifest(run)
    processes = [TimedProcess(run, path, tables) for path in sorted((run / "processes").glob("*.trace"))]
    for process_label, process in label_processes(processes):
        for thread_label, owner in label_threads(process):
            label, stack, times, before = "%s.%s" % (process_label, thread_label), [], process.times(owner), 0
            next_time = 0
            for event, position in process.placed_events(owner):
                at = None
                while next_time < len(times) and times[next_time][0] < position:
                    at = at if times[next_time][2] else times[next_time][1]
                    next_time += 1
                if at is not None:
                    out.write("%s\t#\tat %.6f s\n" % (label, at / 1e9))
                if event:
                    stack.append(process.function_name(event, symbols))
                out.write("%s\t%s\t%s\n" % (label, ">" if event else "<", stack[-1] if stack else ""))
                if not event and stack:
                    stack.pop()


if __name__ == "__main__":
    dump(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.stdout)
