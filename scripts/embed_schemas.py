#!/usr/bin/env python3
"""embed_schemas.py OUT FILE…: writes the files of docs/schemas/ as one C++ source, for `burin schema`.
src/report/write/schemas.h declares what it defines. predict.1.json is the schema burin.predict/1."""

import pathlib
import sys

LITERAL = 16000  # characters; a longer literal is a pedantic warning


def literal(text):
    parts = [text[k : k + LITERAL] for k in range(0, len(text), LITERAL)]
    return "\n".join(f'R"burin({part})burin"' for part in parts)


def key(file):
    name, _, number = file.stem.partition(".")
    return name, int(number)


def main() -> int:
    out, files = pathlib.Path(sys.argv[1]), [pathlib.Path(f) for f in sys.argv[2:]]
    rows = []
    for file in sorted(files, key=key):
        text = file.read_text(encoding="utf-8")
        if ')burin"' in text:
            print(f'{file}: holds )burin", which ends a literal', file=sys.stderr)
            return 1
        rows.append('    {"burin.%s/%d", %s},\n' % (*key(file), literal(text)))
    out.write_text(
        "// Made by scripts/embed_schemas.py from docs/schemas/. DO NOT EDIT.\n"
        '#include "report/write/schemas.h"\n\n'
        "namespace burin::report {\n\n"
        "std::span<const Schema> schemas() {\n"
        "  static constexpr Schema kSchemas[] = {\n"
        + "".join(rows)
        + "  };\n  return kSchemas;\n}\n\n}  // namespace burin::report\n",
        encoding="utf-8",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
