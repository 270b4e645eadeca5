"""Of each pair, what the estimate is made of: whether it is the timing model that is wrong, the edit
that stands for the fix, or the choice between the two estimates."""

import json
import statistics

from accuracy.predict import predict_all

from .advised import advise_all, capture_words, launch_words, names_line


def estimates(pair, advice, prefix):
    """The estimates of the planted rule; 1 where it was not found, none where nothing was advised."""
    finding = advice.first(pair.rule) if advice else None
    nothing = 1.0 if advice else None
    again = finding.get("speedup_emulated") if finding else None
    return {
        f"{prefix}believed": finding["speedup"] if finding else nothing,
        f"{prefix}emulated": again if again else None,
        f"{prefix}paper": finding["speedup_paper"] if finding else nothing,
        f"{prefix}share": finding["share"] if finding else 0.0,
        f"{prefix}trust": finding["trust"] if finding else advice.problem if advice else "",
        f"{prefix}rank": advice.rank(pair.rule) if advice else None,
        f"{prefix}line": bool(finding and names_line(finding, pair)),
        f"{prefix}top": [(each["rule"], each["speedup"]) for each in advice.findings[:4]] if advice else [],
    }


def predictions(pairs, options):
    """(slow, fixed) of each pair of kernels, as burin predicts both."""
    pairs = [pair for pair in pairs if pair.slow]
    more = {pair.name: ["--warm"] if pair.slow.notes.get("caches") == "warm" else [] for pair in pairs}
    work = [(launch, more[pair.name]) for pair in pairs for launch in (pair.slow, pair.fixed)]
    times = [prediction.time_us for prediction in predict_all(work, options)]
    return dict(zip((pair.name for pair in pairs), zip(times[::2], times[1::2])))


def cell(value):
    return f"{value:8.2f}×" if value else f"{'-':>9}"


def side(row, prefix):
    """The columns of one source."""
    believed = row[f"{prefix}believed"]
    off = f"{believed / row['measured'] - 1:+7.0%}" if believed else f"{'-':>7}"
    return (
        f" |{cell(row[f'{prefix}emulated'])}{cell(row[f'{prefix}paper'])}{cell(believed)}"
        f"{off}{row[f'{prefix}rank'] or '-':>5}{'yes' if row[f'{prefix}line'] else 'no':>5}"
    )


def print_row(row):
    print(
        f"{row['rule']:30}{row['pair']:20}{cell(row['measured'])}{cell(row['predicted'])}"
        f"{row['slow_off']:+7.0%}{row['fixed_off']:+7.0%}" + side(row, "") + side(row, "samples_"),
        flush=True,
    )


def median_error(rows, key):
    errors = [abs(row[key] / row["measured"] - 1) for row in rows if row[key]]
    return statistics.median(errors) if errors else 0


def print_parts(pairs, results, options):
    """One row for each pair; programs have no predictions, and no advice without a capture."""
    pairs = [pair for pair in pairs if "speedup" in results.launches.get(pair.name, {})]
    foretold = predictions(pairs, options)
    print(f"{'':50}{'':9}{'both predicted':>23} |{'by emulation alone':^44} |{'from samples':^44}")
    print(
        f"{'planted rule':30}{'kernel':20}{'measured':>9}{'ratio':>9}{'slow':>7}{'fixed':>7}"
        + f" |{'emulated':>9}{'paper':>9}{'believed':>9}{'off':>7}{'rank':>5}{'line':>5}" * 2
    )
    rows = []
    work = [pair.slow and launch_words(pair.slow, options) for pair in pairs]
    sampled = advise_all([capture_words(pair, options) for pair in pairs], options)
    for pair, alone, samples in zip(pairs, advise_all(work, options), sampled):
        measured = results.launches[pair.name]
        slow, fixed = foretold.get(pair.name, (None, None))
        row = {
            "pair": pair.name,
            "rule": pair.rule,
            "measured": measured["speedup"],
            "predicted": slow / fixed if slow and fixed else None,
            "slow_off": slow / measured["slow"]["us"] - 1 if slow else 0,
            "fixed_off": fixed / measured["fixed"]["us"] - 1 if fixed else 0,
            **estimates(pair, alone, ""),
            **estimates(pair, samples, "samples_"),
        }
        rows.append(row)
        print_row(row)
    print("\nmedian errors:")
    for key, words in {
        "predicted": "the ratio of two predictions: what the timing model costs",
        "emulated": "emulated again",
        "paper": "by the equations, over emulated stalls",
        "believed": "believed, by emulation alone",
        "samples_emulated": "emulated again, for the capture",
        "samples_paper": "by the equations, over samples",
        "samples_believed": "believed, from samples",
    }.items():
        print(f"{median_error(rows, key):7.1%}  {words}")
    if options.json:
        text = json.dumps(rows, indent=1, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0
