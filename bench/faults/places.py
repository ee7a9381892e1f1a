"""Where the culprit stands in an order with ties, and what that is worth; where a fault stands in its source."""


def line_of(source, tag):
    """The number of the only line of a file that holds `tag`, as in FAULT(skip_exchange)."""
    with open(source) as file:
        found = [number for number, line in enumerate(file, 1) if tag in line]
    if len(found) != 1:
        raise ValueError("%s: %s stands in %d lines" % (source, tag, len(found)))
    return found[0]


class Place:
    """`better` units come before the culprit, `equal` others stand beside it."""

    def __init__(self, better, equal):
        self.better, self.equal = better, equal

    def hit(self, k):
        """The chance that it is among the first k, in a random order of equals."""
        return min(1.0, max(0.0, (k - self.better) / (self.equal + 1)))

    def reciprocal(self):
        places = range(self.better + 1, self.better + self.equal + 2)
        return sum(1.0 / place for place in places) / len(places)


def place_by_score(scores, culprit, units):
    """The culprit's place among `units`; those without a score have none, and stand last together."""
    own = scores.get(culprit, 0.0)
    better = sum(1 for score in scores.values() if score > own + 1e-9)
    listed = sum(1 for unit, score in scores.items() if unit != culprit and abs(score - own) <= 1e-9)
    unlisted = units - len(scores) - (culprit not in scores) if own <= 1e-9 else 0
    return Place(better, listed + max(0, unlisted))


def place_in_list(order, culprit, units):
    """The culprit's place in a list without ties that may not hold everyone."""
    if culprit in order:
        return Place(order.index(culprit), 0)
    return Place(len(order), max(0, units - len(order) - 1))


def best_scores(suspects, unit):
    """{unit: its best score} of the suspects' traces; unit is "process" or "trace"."""
    scores = {}
    for suspect in suspects:
        scores[suspect[unit]] = max(scores.get(suspect[unit], 0.0), suspect["score"])
    return scores


def summarize(places):
    count = len(places)
    if count == 0:
        return {"hit1": None, "hit3": None, "mrr": None, "n": 0}
    return {"hit1": sum(place.hit(1) for place in places) / count,
            "hit3": sum(place.hit(3) for place in places) / count,
            "mrr": sum(place.reciprocal() for place in places) / count, "n": count}
