"""What is printed: each pair, the figures over all, and the kernels near the roofline."""

import collections
import json
import statistics

from .advised import advise_all, capture_words, launch_words, names_line

SOURCES = ("emulated", "samples")
GOALS = {"emulated": 0.12, "samples": 0.08}  # median error of the estimate
ROOFLINE = 1.1


def named(finding):
    """["where 14", "cause 12"]: the lines that the finding names, hottest first."""
    places = ((key, finding[key].get("line")) for key in ("where", "cause")) if finding else ()
    return [f"{key} {line}" for key, line in places if line]


def row_of(pair, advice, achieved):
    """What came of one pair from one source."""
    finding = advice.first(pair.rule)
    estimate = finding["speedup"] if finding else 1.0
    return {
        "pair": pair.name,
        "rule": pair.rule,
        "held_out": pair.held_out,
        "rank": advice.rank(pair.rule),
        "line": bool(finding and names_line(finding, pair)),
        "named": named(finding),
        "estimate": estimate,
        "paper": finding["speedup_paper"] if finding else None,
        "achieved": achieved,
        "error": abs(estimate - achieved) / achieved,
        "top": [f["rule"] for f in advice.findings[:3]],
        "coverage": advice.coverage,
        "agreement": advice.agreement,
        "problem": advice.problem,
    }


def print_rows(title, rows):
    """Prints the rows as they come, but those held out, and gives all of them back."""
    print(f"\n{title}\n")
    print(f"{'planted rule':30}{'kernel':22}rank  line  estimated  achieved   error  on top")
    found = []
    for row in rows:
        found.append(row)
        if row["held_out"]:
            continue
        rank = row["rank"] or "-"
        line = "yes" if row["line"] else "no"
        above = row["problem"] or ", ".join(row["top"][: 1 if row["rank"] == 1 else 3])
        print(
            f"{row['rule']:30}{row['pair']:22}{rank:>4}  {line:>4}"
            f"  {row['estimate']:8.2f}×  {row['achieved']:7.2f}×  {row['error']:5.1%}  {above}",
            flush=True,
        )
    return found


def share(rows, holds):
    return sum(1 for row in rows if holds(row)) / len(rows)


def figures(rows):
    """Over some rows: shares with the planted rule on top, on its line, and the median error."""
    found = [row for row in rows if row["rank"]]
    return {
        "pairs": len(rows),
        "top_3": share(rows, lambda row: row["rank"] and row["rank"] <= 3),
        "top_1": share(rows, lambda row: row["rank"] == 1),
        "top_3_on_line": share(rows, lambda row: row["rank"] and row["rank"] <= 3 and row["line"]),
        "top_1_on_line": share(rows, lambda row: row["rank"] == 1 and row["line"]),
        # A rule that was not found promises nothing: 1×.
        "median_error": statistics.median(row["error"] for row in rows),
        "median_error_found": statistics.median(row["error"] for row in found) if found else None,
    }


def baseline(rows):
    """Always the commonest rule, always the mean speedup."""
    counts = collections.Counter(row["rule"] for row in rows)
    mean = statistics.mean(row["achieved"] for row in rows)
    rank = {rule: place for place, (rule, _) in enumerate(counts.most_common(3), 1)}
    return {
        "rule": counts.most_common(1)[0][0],
        "speedup": mean,
        "top_3": share(rows, lambda row: row["rule"] in rank),
        "top_1": share(rows, lambda row: rank.get(row["rule"]) == 1),
        "median_error": statistics.median(
            abs(mean - row["achieved"]) / row["achieved"] for row in rows
        ),
    }


def print_figures(source, rows):
    told = {}
    parts = {
        "all": rows,
        "tuning": [row for row in rows if not row["held_out"]],
        "held out": [row for row in rows if row["held_out"]],
    }
    print(f"\n{source}: goals top 3 ≥ 90 %, top 1 ≥ 70 %, median error ≤ {GOALS[source]:.0%}")
    print(f"{'':18}pairs   top 3  on line   top 1  on line  median error  where found")
    for name, part in parts.items():
        if not part:
            continue
        f = told[name] = figures(part)
        found = f["median_error_found"]
        print(
            f"{name:18}{f['pairs']:5}  {f['top_3']:6.1%}  {f['top_3_on_line']:7.1%}"
            f"  {f['top_1']:6.1%}  {f['top_1_on_line']:7.1%}  {f['median_error']:12.1%}"
            f"  {'-' if found is None else format(found, '.1%'):>11}"
        )
    b = told["baseline"] = baseline(rows)
    print(
        f"{'baseline':18}{len(rows):5}  {b['top_3']:6.1%}  {'':7}  {b['top_1']:6.1%}  {'':7}"
        f"  {b['median_error']:12.1%}               always {b['rule']}, {b['speedup']:.2f}×"
    )
    print_blame(source, rows, told)
    return told


def print_blame(source, rows, told):
    covered = [row["coverage"] for row in rows if row["coverage"] is not None]
    if covered:
        told["coverage_above_0.8"] = sum(each > 0.8 for each in covered) / len(covered)
        print(f"single-dependency coverage above 0.8: {told['coverage_above_0.8']:.1%} of kernels")
    agreed = [row["agreement"] for row in rows if row["agreement"] is not None]
    if agreed and source == "samples":
        told["median_agreement"] = statistics.median(agreed)
        told["agreement_75"] = sum(each >= 0.75 for each in agreed) / len(agreed)
        print(
            f"blame agrees with the emulator's for {told['median_agreement']:.1%} of the stalls"
            f" (median); 75 % and more in {told['agreement_75']:.1%} of kernels"
        )


def print_roofline(launches, advices):
    print(f"\nnear the roofline: no advice above {ROOFLINE}×")
    told = {}
    for launch, advice in zip(launches, advices):
        best = max(advice.findings, key=lambda f: f["speedup"], default=None)
        words = advice.problem or (f"{best['rule']} {best['speedup']:.2f}×" if best else "nothing")
        crossed = "  TOO MUCH" if advice.largest > ROOFLINE else ""
        print(f"{launch.name:22}{launch.notes['bound']:20}{words}{crossed}", flush=True)
        told[launch.name] = advice.largest
    return told


def rows_from(source, pairs, results, options):
    """The rows of the pairs that were measured and that the source tells of."""
    measured = [pair for pair in pairs if "speedup" in results.launches.get(pair.name, {})]
    if source == "emulated":
        measured = [pair for pair in measured if pair.slow]
        work = [launch_words(pair.slow, options) for pair in measured]
    else:
        work = [capture_words(pair, options) for pair in measured]
    for pair, advice in zip(measured, advise_all(work, options)):
        if advice is not None:
            yield row_of(pair, advice, results.launches[pair.name]["speedup"])


def print_table(pairs, roofline, results, options):
    told = {}
    for source in SOURCES if options.source == "both" else (options.source,):
        found = rows_from(source, pairs, results, options)
        rows = print_rows(source, found)
        if rows:
            told[source] = {"rows": rows, "figures": print_figures(source, rows)}
    if not options.no_roofline:
        work = [launch_words(launch, options) for launch in roofline]
        told["roofline"] = print_roofline(roofline, advise_all(work, options))
    if options.json:
        text = json.dumps(told, indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0
