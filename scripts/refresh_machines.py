#!/usr/bin/env python3
"""refresh_machines.py [--check] [FOLDER]: brings what the machine files took from h200.json up to
date after a calibration.

A file says by the source of an entry that the value is not its own:

  h200         the h200's value
  h200_time    the h200's time: its cycles, at this GPU's clock
  h200_per_l2  the h200's share of its L2 read bandwidth, of this GPU's bandwidth

Only those values change; the lines stay where they are. --check writes nothing and exits 1 where a
value is out of date."""

import json
import pathlib
import re
import sys

RULES = {
    "h200": lambda h200, own, name: h200[name],
    "h200_time": lambda h200, own, name: h200[name] / h200["sm.clock_mhz"] * own["sm.clock_mhz"],
    "h200_per_l2": lambda h200, own, name: h200[name] / h200["l2.bandwidth"] * own["l2.bandwidth"],
}


def number(value: float) -> str:
    """Four digits behind the point at most, as a person would write it."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def refreshed(text: str, h200: dict) -> str:
    entries = json.loads(text)["entries"]
    own = {name: entry["value"] for name, entry in entries.items()}
    for name, entry in entries.items():
        rule = RULES.get(entry["source"])
        if rule is None:
            continue
        line = rf'("{re.escape(name)}": \{{"value": )[^,]*(, "source")'
        text = re.sub(line, lambda m: m[1] + number(rule(h200, own, name)) + m[2], text)
    return text


def main() -> int:
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    check = "--check" in sys.argv
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(arguments[0]) if arguments else root / "data" / "machines"
    entries = json.loads((folder / "h200.json").read_text(encoding="utf-8"))["entries"]
    h200 = {name: entry["value"] for name, entry in entries.items()}
    stale = []
    for file in sorted(folder.glob("*.json")):
        old = file.read_text(encoding="utf-8")
        new = old if file.stem == "h200" else refreshed(old, h200)
        if new != old:
            stale.append(file.name)
            if not check:
                file.write_text(new, encoding="utf-8")
    if stale:
        words = "out of date, run scripts/refresh_machines.py" if check else "refreshed"
        print(f"{words}: {', '.join(stale)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
