#!/usr/bin/env python3
"""refresh_machines.py [--check] [FOLDER]: brings what the machine files took from h200.json up to
date after a calibration, and writes every file as burin itself does (src/machine/write.h).

A file says by the source of an entry that the value is not its own:

  h200           the h200's value
  h200_time      the h200's time: its cycles, at this GPU's clock
  h200_per_l2    in proportion to the bandwidth of the L2 cache
  h200_per_dram  in proportion to the bandwidth of the memory

A variant, which names its base, holds only what differs from it: what it does not hold needs nothing.

--check writes nothing and exits 1 where a file is out of date."""

import json
import pathlib
import sys

WORDS = ["schema", "name", "title", "base", "architecture", "policy"]

RULES = {
    "h200": lambda h200, own, name: h200[name],
    "h200_time": lambda h200, own, name: h200[name] / h200["sm.clock_mhz"] * own["sm.clock_mhz"],
    "h200_per_l2": lambda h200, own, name: h200[name] / h200["l2.bandwidth"] * own["l2.bandwidth"],
    "h200_per_dram": lambda h200, own, name: (
        h200[name] / h200["dram.bandwidth"] * own["dram.bandwidth"]
    ),
}


def number(value: float) -> str:
    return repr(int(value)) if value == int(value) else repr(value)


def refresh(machine: dict, h200: dict, base: dict) -> None:
    entries = machine["entries"]
    own = {
        name: h200[name] if entry["source"] == "h200" else entry["value"]
        for name, entry in (base | entries).items()
    }
    for name, entry in entries.items():
        if rule := RULES.get(entry["source"]):
            entry["value"] = round(rule(h200, own, name), 4)


def text_of(machine: dict) -> str:
    """One entry a line, as write_machine has it."""

    def quoted(text):
        return json.dumps(text, ensure_ascii=False)

    def entry_line(name, entry):
        parts = [f'"value": {number(entry["value"])}', f'"source": {quoted(entry["source"])}']
        if entry.get("spread", 0) != 0:
            parts.append(f'"spread": {number(entry["spread"])}')
        return f"    {quoted(name)}: {{{', '.join(parts)}}}"

    words = [f"  {quoted(k)}: {quoted(machine[k])}," for k in WORDS if k in machine]
    sources = [f"    {quoted(k)}: {quoted(v)}" for k, v in sorted(machine["sources"].items())]
    entries = [entry_line(name, entry) for name, entry in machine["entries"].items()]
    sizes = ", ".join(number(size) for size in machine["carve_outs"])
    lines = ["{", *words, f'  "carve_outs": [{sizes}],', '  "sources": {', ",\n".join(sources)]
    lines += ["  },", '  "entries": {', ",\n".join(entries), "  }", "}", ""]
    return "\n".join(lines)


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
        machine = json.loads(old)
        base = {}
        if "base" in machine:
            base = json.loads((folder / f"{machine['base']}.json").read_text(encoding="utf-8"))["entries"]
        if file.stem != "h200":
            refresh(machine, h200, base)
        new = text_of(machine)
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
