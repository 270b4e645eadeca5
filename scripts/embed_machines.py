#!/usr/bin/env python3
"""embed_machines.py OUT FILE...: writes the machine files as one C++ source, so that the binary
has them wherever it runs. src/machine/embedded.h declares what it defines."""

import pathlib
import sys


def main() -> int:
    out, files = pathlib.Path(sys.argv[1]), [pathlib.Path(f) for f in sys.argv[2:]]
    rows = []
    for file in sorted(files, key=lambda f: f.stem):
        text = file.read_text(encoding="utf-8")
        if ')burin"' in text:
            print(f"{file}: holds )burin\", which ends a literal", file=sys.stderr)
            return 1
        rows.append(f'    {{"{file.stem}", R"burin({text})burin"}},\n')
    out.write_text(
        "// Made by scripts/embed_machines.py from data/machines/. DO NOT EDIT.\n"
        '#include "machine/embedded.h"\n\n'
        "namespace burin::machine {\n\n"
        "std::span<const EmbeddedMachine> embedded_machines() {\n"
        "  static constexpr EmbeddedMachine kMachines[] = {\n"
        + "".join(rows)
        + "  };\n  return kMachines;\n}\n\n}  // namespace burin::machine\n",
        encoding="utf-8",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
