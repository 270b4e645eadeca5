"""The figures of merit: errors of times, their spread, ranks of shapes, agreement of counters."""

import math

FAR = 2.5  # times off by more than this factor are counted apart
TIE = 0.03  # times of a sweep that differ by less are equal


def error(predicted, measured):
    """max(p/m, m/p) − 1: 0 is right, 1 is twice or half."""
    return max(predicted / measured, measured / predicted) - 1


def signed_error(predicted, measured):
    """The error, negative where the prediction is too short."""
    return math.copysign(error(predicted, measured), predicted - measured)


def percentile(values, share):
    """Between the two nearest of the sorted values, linearly; None of none."""
    if not values:
        return None
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def spread(errors):
    """Median, 90th percentile, and how many are off by more than FAR."""
    return {
        "median": percentile(errors, 0.5),
        "p90": percentile(errors, 0.9),
        "far": sum(e > FAR - 1 for e in errors),
        "count": len(errors),
    }


def geometric_mean(values):
    return math.exp(math.fsum(math.log(value) for value in values) / len(values)) if values else None


def ranks(values, tie=TIE):
    """Ranks from 1; values within `tie` of the least of their group share its mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    first = 0
    while first < len(order):
        end = first
        while end < len(order) and values[order[end]] <= values[order[first]] * (1 + tie):
            end += 1
        for i in order[first:end]:
            found[i] = (first + 1 + end) / 2
        first = end
    return found


def correlation(x, y):
    """Pearson's; None where one of them never changes."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread_x = math.fsum((a - mean_x) ** 2 for a in x)
    spread_y = math.fsum((b - mean_y) ** 2 for b in y)
    if spread_x == 0 or spread_y == 0:
        return None
    return above / math.sqrt(spread_x * spread_y)


def spearman(predicted, measured):
    return correlation(ranks(predicted), ranks(measured))


def within(predicted, measured, share):
    """Whether the prediction is off by at most `share` of the measured value."""
    return abs(predicted - measured) <= share * measured
