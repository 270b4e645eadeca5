"""`burin advise` on launches and captures, each in a process of its own."""

import concurrent.futures
import dataclasses
import json
import os

from accuracy.predict import run


@dataclasses.dataclass
class Place:
    file: str | None  # without its folder
    lines: set  # of the instruction, and of the calls that it was inlined or called through


def place_of(content):
    """The place that a `where` or `cause` of the JSON tells."""
    file = content.get("file")
    lines = {content.get("line")}
    for way in ("inlined", "called"):
        lines |= {call.get("line") for call in content.get(way, [])}
    return Place(file.rsplit("/", 1)[-1] if file else None, lines - {None})


@dataclasses.dataclass
class Advice:
    findings: list  # of the JSON, best first
    problem: str  # why there are none
    coverage: float | None = None  # single-dependency coverage after pruning
    agreement: float | None = None  # of the samples' blame with the emulator's
    cpu_seconds: float = 0

    def rank(self, rule):
        """1 for the rule of the first finding; None where the rule is not among them."""
        rules = [finding["rule"] for finding in self.findings]
        ranked = list(dict.fromkeys(rules))  # a rule may have several findings: it counts once
        return ranked.index(rule) + 1 if rule in ranked else None

    def first(self, rule):
        """The best finding of a rule, or None."""
        return next((finding for finding in self.findings if finding["rule"] == rule), None)

    @property
    def largest(self):
        return max((finding["speedup"] for finding in self.findings), default=1.0)


def names_line(finding, pair):
    """Whether the finding stands on a planted line, or in one that was inlined there."""
    if pair.on_launch:
        return True
    wanted = pair.lines()
    for key in ("where", "cause"):
        place = place_of(finding[key])
        if place.file == pair.source.name and place.lines & wanted:
            return True
    return False


def parse(text):
    """A report, or several of a capture's kernels, whose findings are then taken together."""
    content = json.loads(text)
    reports = content if isinstance(content, list) else [content]
    findings = [finding for report in reports for finding in report["findings"]]
    if len(reports) > 1:
        findings.sort(key=lambda finding: -finding["speedup"])
    causes = reports[0].get("causes", {})
    return Advice(findings, "", causes.get("coverage_after"), causes.get("agreement"))


def advise(words, options):
    command = [options.burin, "advise", *words, "--json", "-q", "--threads", "1"]
    status, text, words, _, usage = run(command, options.limit)
    if status is None:
        return Advice([], f"no end in {options.limit:g} seconds")
    if status != 0:
        return Advice([], words.splitlines()[-1] if words else f"exit status {status}")
    try:
        advice = parse(text)
    except (ValueError, KeyError, TypeError) as wrong:
        return Advice([], f"its JSON is not understood: {wrong!r}")
    advice.cpu_seconds = usage.ru_utime + usage.ru_stime
    return advice


def launch_words(launch, options):
    words = [options.cubins / launch.cubin, "--kernel", launch.kernel, *launch.options]
    words += ["--machine", options.machine]
    return words + (["--warm"] if launch.notes.get("caches") == "warm" else [])


def capture_words(pair, options):
    """None where there is no capture."""
    file = options.captures / f"{pair.name}.burin"
    if not file.exists():
        return None
    warm = pair.slow is not None and pair.slow.notes.get("caches") == "warm"
    return [file, "--machine", options.machine, *(["--warm"] if warm else [])]


def advise_all(work, options):
    """Advice for each of [words or None], in order and as it comes; None stays None."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        yield from pool.map(lambda words: words and advise(words, options), work)
