// The tokens and directives of OpenCL C, each with its position, so that text can be inserted
// between them and everything else stays as it was written.
//
//   OpenclScan scan = scan_opencl("#define N 4\nint f(int x) { return x; }  // one\n");
//   scan.tokens[1].text == "f", scan.tokens.size() == 10
//   scan.directives[0].name == "define", scan.directives[0].tokens[0].text == "N"
//   scan.place(scan.tokens[1].begin) == "line 2"
//
// Comments are skipped, and a backslash at the end of a line joins it with the next. Nothing is
// expanded, and no #if is decided but `#if 0`, whose branch is skipped. Any text can be scanned: a
// comment or a string that does not end runs to the end of the text or of the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burin::coarsen {

struct OpenclToken {
  enum class Kind : std::uint8_t { kWord, kNumber, kLiteral, kMark };

  Kind kind = Kind::kMark;
  std::string text{};      // "get_global_id", "->", "1.5f"; lines are joined
  std::size_t begin = 0;   // in the source, bytes
  std::size_t end = 0;     // one past its last byte
  bool after_dot = false;  // a member: after '.' or '->'

  bool is_word() const { return kind == Kind::kWord; }
  bool is(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
};

// A line that begins with '#', together with the lines that it continues on.
struct OpenclDirective {
  std::string name{};                 // "define"; "" for a line marker such as: # 12 "a.h"
  std::vector<OpenclToken> tokens{};  // after the name; of a line marker, all
  std::size_t begin = 0;              // the '#'
  std::size_t end = 0;                // one past its last byte, which is never the newline
  std::size_t tokens_before = 0;      // tokens of code in front of it
};

struct OpenclScan {
  std::vector<OpenclToken> tokens{};  // of code, without those of directives
  std::vector<OpenclDirective> directives{};

  // The line of a byte of the source, counted from 1 or as #line says.
  std::uint64_t line(std::size_t at) const;
  // The same for the user: "line 12", or "tile.h:12" where #line names a file.
  std::string place(std::size_t at) const;

  // Where the count of lines begins anew; sorted, and the first entry is that of the whole text.
  struct Count {
    std::size_t from = 0;    // first byte it holds for, at the beginning of a line
    std::uint64_t line = 1;  // number of that line
    std::string file{};      // "" if no directive has named one
  };
  std::vector<Count> counts{};
  std::vector<std::size_t> line_begins{};  // byte at which each line of the text begins
};

OpenclScan scan_opencl(std::string_view source);

}  // namespace burin::coarsen
