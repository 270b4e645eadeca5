#include "report/write/wrap.h"

#include <algorithm>
#include <vector>

namespace burin::report {
namespace {

constexpr double kMaxIndentShare = 0.6;  // of the width, to leave room for the continuation
constexpr std::size_t kMinWidth = 20;

// One character or escape sequence, and the columns that it takes.
struct Glyph {
  std::string_view text;
  std::size_t columns = 1;
};

std::vector<Glyph> glyphs_of(std::string_view line) {
  std::vector<Glyph> glyphs;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    const bool escape = line.substr(at).starts_with("\x1b[");
    if (escape) {
      end = line.find('m', at);
      end = end == std::string_view::npos ? line.size() : end + 1;
    } else {
      while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) ++end;
    }
    glyphs.push_back({line.substr(at, end - at), escape ? 0u : 1u});
    at = end;
  }
  return glyphs;
}

// Where the last column before the line's end begins.
std::size_t indent_of(const std::vector<Glyph>& glyphs, std::size_t width) {
  const auto most = static_cast<std::size_t>(kMaxIndentShare * static_cast<double>(width));
  std::size_t indent = 0, column = 0, spaces = 2;
  for (const Glyph& glyph : glyphs) {
    if (glyph.columns == 0) continue;
    if (glyph.text == " ") {
      ++spaces;
    } else {
      if (spaces >= 2 && column <= most) indent = column;
      spaces = 0;
    }
    if (++column > width) break;
  }
  return indent;
}

}  // namespace

std::string wrapped(std::string_view line, std::size_t width) {
  if (width < kMinWidth || line.size() <= width) return std::string(line);
  const std::vector<Glyph> glyphs = glyphs_of(line);
  std::size_t columns = 0;
  for (const Glyph& glyph : glyphs) columns += glyph.columns;
  if (columns <= width) return std::string(line);
  const std::size_t indent = indent_of(glyphs, width);
  std::string text;
  std::size_t column = 0;
  for (std::size_t at = 0; at < glyphs.size();) {
    // The next word with the spaces before it.
    std::size_t end = at, spaces = 0, length = 0;
    while (end < glyphs.size() && glyphs[end].text == " ") ++end, ++spaces;
    std::size_t word = end;
    while (end < glyphs.size() && glyphs[end].text != " ") length += glyphs[end++].columns;
    const bool fits = column + spaces + length <= width;
    if (!fits && column > indent) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
      at = word;  // without its spaces
    }
    for (; at < end; ++at) {
      if (column + glyphs[at].columns > width && glyphs[at].columns > 0) {  // a word that is wider
        text += '\n' + std::string(indent, ' ');
        column = indent;
      }
      text += glyphs[at].text;
      column += glyphs[at].columns;
    }
  }
  return text;
}

bool LineWrapper::write(std::string_view text) {
  std::string ready;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    pending_ += text.substr(0, end);
    if (end == std::string_view::npos) break;
    ready += wrapped(pending_, width_) + '\n';
    pending_.clear();
    text.remove_prefix(end + 1);
  }
  return ready.empty() || sink_(ready);
}

bool LineWrapper::finish() {
  const std::string last = wrapped(pending_, width_);
  pending_.clear();
  return last.empty() || sink_(last);
}

}  // namespace burin::report
