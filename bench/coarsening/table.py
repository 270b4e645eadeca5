"""The table of `coarsening.py check`: a row per kernel, its failures below it, and the totals."""

import collections

from coarsening.kernels import AXES

WIDTH = 26
GROUPS = (*AXES, "both", "remainder")
HEADS = ("thread-x", "thread-y", "block-x", "block-y", "both", "rest")


def cell(verdicts):
    """'6' (all ok), '4 of 6', 'refused' (all, rightly), '3+3r' (ok and rightly refused), '-'."""
    if not verdicts:
        return "-"
    ok = sum(verdict.word == "ok" for verdict in verdicts)
    refused = sum(verdict.word == "refused" for verdict in verdicts)
    if refused == len(verdicts):
        return "refused"
    if ok + refused == len(verdicts):
        return f"{ok}+{refused}r" if refused else str(ok)
    return f"{ok} of {len(verdicts)}"


def state(results):
    """The worst thing that happened to a kernel."""
    words = [verdict.word for _, verdict in results]
    for word in words:
        if word not in ("ok", "refused", "SHORTCOMING", "not implemented"):
            return word
    for word in ("not implemented", "SHORTCOMING", "refused"):
        if word in words:
            return word.lower()
    return "ok"


def print_kernel(kernel, results, everything=False):
    """results: [(combination, verdict)]. Refusals are printed once for each sentence."""
    by_group = collections.defaultdict(list)
    for combination, verdict in results:
        by_group[combination.group].append(verdict)
    cells = "".join(f" {cell(by_group[group]):>8}" for group in GROUPS)
    print(f"{kernel.name:{WIDTH}.{WIDTH}} {kernel.kind:14}{cells}  {state(results)}")
    sentences = collections.defaultdict(list)
    for combination, verdict in results:
        if verdict.word != "ok" and (everything or verdict.word != "refused"):
            sentences[(verdict.word, verdict.detail)].append(str(combination))
    for (word, detail), where in sentences.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        print(f"    {word}: {where[0]}{more}: {detail}")
    worst = next((verdict for _, verdict in results if verdict.bad), None)
    if worst and worst.command:
        print(f"    {worst.command}")


def print_head():
    print(f"{'kernel':{WIDTH}} {'kind':14}" + "".join(f" {head:>8}" for head in HEADS) + "  state")


def share(rows, axis, allowed_only):
    """(kernels that coarsen along the axis with every factor and stride that divides, kernels). With
    allowed_only, only the combinations count that the semantics allow."""
    good = total = 0
    for kernel, results in rows:
        mine = [
            verdict
            for combination, verdict in results
            if combination.group == axis
            and (not allowed_only or combination.expectation(kernel)[0] == "yes")
        ]
        if kernel.expected != "refused" and mine:
            total += 1
            good += all(verdict.word == "ok" for verdict in mine)
    return good, total


def percent(good, total):
    return 100 * good / total if total else 100.0


def totals(title, rows):
    """Prints one part's totals; returns them."""
    words = collections.Counter(verdict.word for _, results in rows for _, verdict in results)
    figures = {"kernels": len(rows), "combinations": sum(words.values()), "verdicts": dict(words)}
    counts = ", ".join(f"{n:,} {word}" for word, n in words.most_common())
    print(f"\n{title}: {len(rows)} kernels, {sum(words.values()):,} combinations: {counts or 'none'}")
    for axis in AXES:
        good, total = share(rows, axis, False)
        allowed, possible = share(rows, axis, True)
        figures[axis] = {"coarsen": good, "of": total, "coarsen_allowed": allowed, "of_allowed": possible}
        if total:
            print(
                f"  {axis}: {percent(good, total):5.1f} % of {total} kernels coarsen with every factor and "
                f"stride that divides; {percent(allowed, possible):5.1f} % of the {possible} where the "
                "semantics allow it"
            )
    print(f"  wrong results: {words['WRONG'] + words['DISAGREES'] + words['WRONG LAUNCH']}")
    return figures
