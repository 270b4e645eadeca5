#!/usr/bin/env python3
"""embed_web.py OUT [SCRIPT STYLE]: writes the script and the style sheet of the HTML report as one
C++ source, or empty ones where the build has no Node.js. src/report/html/page.h declares what it
defines."""

import pathlib
import sys

CHUNK = 8000  # bytes; compilers limit the length of one literal


def literal(text: str) -> str:
    data = text.encode("utf-8")
    if not data:
        return '""'
    parts = []
    for at in range(0, len(data), CHUNK):
        escaped = []
        for byte in data[at : at + CHUNK]:
            char = chr(byte)
            if char in '"\\':
                escaped.append("\\" + char)
            elif 0x20 <= byte < 0x7F and char != "?":
                escaped.append(char)
            else:
                escaped.append(f"\\{byte:03o}")
        parts.append('"' + "".join(escaped) + '"')
    return "\n      ".join(parts)


def main() -> int:
    out = pathlib.Path(sys.argv[1])
    script, style = ("", "")
    if len(sys.argv) > 2:
        script, style = (pathlib.Path(f).read_text(encoding="utf-8") for f in sys.argv[2:4])
        # What would end the element that holds it.
        if "</script" in script.lower() or "<!--" in script or "</style" in style.lower():
            print("embed_web.py: the bundle holds an end tag", file=sys.stderr)
            return 1
    out.write_text(
        "// Made by scripts/embed_web.py from web/. DO NOT EDIT.\n"
        '#include "report/html/page.h"\n\n'
        "namespace burin::report {\n\n"
        "WebBundle web_bundle() {\n"
        f"  static constexpr std::string_view kScript =\n      {literal(script)};\n"
        f"  static constexpr std::string_view kStyle =\n      {literal(style)};\n"
        "  return {kScript, kStyle};\n}\n\n}  // namespace burin::report\n",
        encoding="utf-8",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
