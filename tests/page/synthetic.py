"""The page of a real comparison with other data in it: larger than a test can record."""

import base64
import json
import re

BLOCK = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.DOTALL)


def data_of(page):
    return json.loads(BLOCK.search(page).group(2))


def with_data(page, data):
    text = json.dumps(data).replace("<", "\\u003c")
    return BLOCK.sub(lambda match: match.group(1) + text + match.group(3), page)


def matrix(tiles):
    cells = [(i * 7 + j * 3) % 1001 for i in range(tiles) for j in range(i, tiles)]
    return base64.b64encode(b"".join(cell.to_bytes(2, "little") for cell in cells)).decode()


def view(of, tiles, each):
    """Clusters of `each` traces; a chain of merges."""
    merges = [[tiles + i - 1 if i > 0 else 0, i + 1, (i + 1) / tiles] for i in range(tiles - 1)]
    return {"of": of, "traces": tiles * each, "matrix": matrix(tiles), "merges": merges,
            "tiles": [{"traces": "%d-%d" % (i * each, i * each + each - 1), "count": each, "suspicious": i % 40 == 0}
                      for i in range(tiles)]}


def many_traces(page, traces=10000):
    data = data_of(page)
    pattern = data["suspects"][0]
    data["suspects"] = [dict(pattern, trace="%d.0" % i, process=i, score=round(1 - i / (2 * traces), 4),
                             why="stuck in MPI_Recv after %d of 16 iterations of L1" % (i % 16)) for i in range(traces)]
    data["views"] = [view(of, 200, traces // 200) for of in ("diff", "normal", "faulty")]
    frames = [{"function": "main", "parent": -1, "count": traces, "traces": "0-%d" % (traces - 1)}]
    for i in range(1, 2000):
        frames.append({"function": "f%d" % i, "parent": (i - 1) // 3, "count": 1 + traces // (i + 1),
                       "traces": "%d-%d" % (i, i + traces // (i + 1))})
    data["stacks"].update(frames=frames, traces=traces)
    return with_data(page, data)


def long_difference(page, blocks):
    """The first suspect's difference replaced by these blocks."""
    data = data_of(page)
    for difference in data["differences"]:
        if difference["trace"] == data["suspects"][0]["trace"]:
            difference["blocks"] = blocks
    return with_data(page, data)


def many_times(page, threads, columns=240):
    """Times of so many threads in 40 classes: rows that differ by class and by thread."""
    data = data_of(page)
    times = data["timelines"]
    classes = 40
    patterns = [bytes((min(15 - i % 5, (i * (k + 3)) % 12) << 4) | (i % 5) for i in range(columns)) for k in range(97)]
    times.update(rows=["%d.0" % i for i in range(threads)], class_of=[i % classes for i in range(threads)], classes=classes)
    rows = base64.b64encode(b"".join(patterns[i % 97] for i in range(threads))).decode()
    fine = base64.b64encode(b"".join(patterns[k] * 64 for k in range(classes))).decode()
    for run in times["runs"]:
        run["rows"] = {"columns": columns, "cells": rows}
        run["classes"] = {"columns": 64 * columns, "cells": fine}
        run["messages"] = [part for i in range(threads * 2)
                           for part in (i % threads, (i * 7 + 1) % threads, (i * 997) % 1000000, (i * 997) % 1000000 + 40000)]
        for member in ("present", "in_calls", "waiting"):
            run[member] = [1000000] * threads
    for name in ("normal", "faulty"):
        times["most_waited"][name] = []
    return with_data(page, data)
