#!/usr/bin/env python3
"""Compares dendrograms and flat clusters with SciPy's on random matrices.

usage: compare_with_scipy.py PRINT-CLUSTERS [SEED [MATRICES]]

Every matrix goes through all linkages. Merges must name the same clusters in the
same order, ties included; flat clusters must have the same numbers. Exit status
77 if SciPy is missing.
"""
import subprocess
import sys

try:
    import numpy as np
    import scipy
    from scipy.cluster import hierarchy
except ImportError as problem:
    print("skipped:", problem)
    sys.exit(77)

LINKAGES = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]


def jaccard_distances(random, n):
    """1 - JSM of random attribute sets, with duplicates among them."""
    rows = random.random((n, random.integers(1, 12))) < random.choice([0.2, 0.5, 0.8])
    rows = rows[random.integers(0, n, n)]
    both = (rows[:, None, :] & rows[None, :, :]).sum(axis=2)
    either = (rows[:, None, :] | rows[None, :, :]).sum(axis=2)
    return 1.0 - np.where(either == 0, 1.0, both / np.maximum(either, 1))


def euclidean_distances(random, n):
    points = random.integers(0, 4, (n, 2)).astype(float)
    return np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))


KINDS = {
    "distinct": lambda random, n: random.random((n, n)),
    "integers": lambda random, n: random.integers(0, 10, (n, n)).astype(float),
    "few values": lambda random, n: random.integers(1, 4, (n, n)).astype(float),
    "zeros and ones": lambda random, n: random.integers(0, 2, (n, n)).astype(float),
    "tenths": lambda random, n: random.integers(0, 11, (n, n)) / 10.0,
    "all equal": lambda random, n: np.full((n, n), 0.3),
    "all zero": lambda random, n: np.zeros((n, n)),
    "similarities": jaccard_distances,
    "changes of similarity": lambda random, n: np.abs(jaccard_distances(random, n) - jaccard_distances(random, n)),
    "points on a grid": euclidean_distances,
}


def make_case(random, linkage, kind, n, square):
    condensed = square[np.triu_indices(n, 1)]
    merges = hierarchy.linkage(condensed, linkage)
    heights = merges[:, 2]
    cuts = [-1.0, 0.0, heights.max(), heights.max() + 1.0, float(random.choice(heights)),
            float(np.median(heights)), float(random.random() * heights.max())]
    counts = sorted({1, 2, n - 1, n, *(int(k) for k in random.integers(1, n + 1, 3))} - {0})
    return {"linkage": linkage, "kind": kind, "n": n, "condensed": condensed, "merges": merges, "cuts": cuts,
            "counts": counts}


def write_case(case):
    def join(values):
        return " ".join(repr(float(v)) for v in values)

    counts = " ".join(str(k) for k in case["counts"])
    return (f"{case['linkage']} {case['n']} {join(case['condensed'])} {len(case['cuts'])} {join(case['cuts'])} "
            f"{len(case['counts'])} {counts}\n")


def flat_by_count(merges, k):
    """fcluster(..., 'maxclust'), which before SciPy 1.15 never cut below the second merge."""
    n = len(merges) + 1
    if tuple(int(part) for part in scipy.__version__.split(".")[:2]) >= (1, 15):
        return hierarchy.fcluster(merges, k, "maxclust")
    if k >= n:
        return np.arange(1, n + 1)
    heights = hierarchy.maxdists(merges)
    low, high = -1, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if hierarchy.fcluster(merges, heights[middle], "distance").max() > k:
            low = middle
        else:
            high = middle
    flat = hierarchy.fcluster(merges, heights[high], "distance")
    if np.all(np.diff(heights) >= 0) and hierarchy.fcluster(merges, heights[0], "distance").max() > k:
        assert np.array_equal(flat, hierarchy.fcluster(merges, k, "maxclust")), "the search above is wrong"
    return flat


def expected_rows(case):
    """What print-clusters must say after the merges: (title, numbers)."""
    merges, n = case["merges"], case["n"]
    yield "order", hierarchy.leaves_list(merges)
    for cut in case["cuts"]:
        yield f"distance {cut!r}", hierarchy.fcluster(merges, cut, "distance")
    for k in case["counts"]:
        yield f"count {k}", flat_by_count(merges, k)
        by_merges = hierarchy.fcluster(merges, n - k - 1.0, "monocrit", monocrit=np.arange(n - 1, dtype=float))
        assert by_merges.max() == k
        yield f"merges {k}", by_merges


def differences(case, lines):
    """Takes the case's answer off `lines`; yields what differs."""
    for number, row in enumerate(case["merges"]):
        a, b, distance, size = next(lines).split()
        if [int(a), int(b), int(size)] != [int(row[0]), int(row[1]), int(row[3])]:
            yield f"merge {number}: {a} {b} size {size}, SciPy {row}"
        if not abs(float(distance) - row[2]) <= 1e-9 * abs(row[2]):
            yield f"merge {number}: distance {distance}, SciPy {row[2]!r}"
    for title, expected in expected_rows(case):
        numbers = [int(word) for word in next(lines).split()]
        if numbers != list(expected):
            yield f"{title}: {numbers}, SciPy {list(expected)}"


def main():
    program = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20210507
    matrices = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    print(f"seed {seed}, {matrices} matrices, SciPy {scipy.__version__}")
    random = np.random.default_rng(seed)
    cases = []
    for index in range(matrices):
        kind = list(KINDS)[index % len(KINDS)]
        n = int(random.integers(2, 8)) if index % 4 == 0 else int(random.integers(2, 61))
        square = KINDS[kind](random, n)
        cases += [make_case(random, linkage, kind, n, square) for linkage in LINKAGES]

    answer = subprocess.run([program], input="".join(map(write_case, cases)), stdout=subprocess.PIPE, check=True,
                            universal_newlines=True)
    lines = iter(answer.stdout.splitlines())
    wrong = 0
    for case in cases:
        found = list(differences(case, lines))
        if found:
            wrong += 1
            print(f"not as SciPy: {case['linkage']}, {case['kind']}, n = {case['n']}: {found[0]}")
    if next(lines, None) is not None:
        wrong += 1
        print("more output than expected")
    print(f"{len(cases) - wrong} of {len(cases)} dendrograms as SciPy's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
