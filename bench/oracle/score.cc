#include "oracle/score.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/format.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"

namespace burin::oracle {
namespace {

struct Parts {
  std::string guard;
  std::string mnemonic;
  std::vector<std::string> operands;
};

Parts split_text(std::string_view text) {
  Parts parts;
  if (text.starts_with('@')) {
    const std::size_t end = text.find(' ');
    parts.guard = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  const std::size_t space = text.find(' ');
  const std::string_view name = text.substr(0, space);
  parts.mnemonic = name.substr(0, name.find('.'));
  if (space == text.npos) return parts;
  text.remove_prefix(space + 1);
  std::string operand;
  int depth = 0;
  for (char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.operands.push_back(operand);
      operand.clear();
    } else if (c != ' ' || !operand.empty()) {
      operand += c;
    }
  }
  parts.operands.push_back(operand);
  return parts;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// 'R', 'U', 'P', 'Q', 'i' (integer), 'f' (float), 'c' (constant), 'm' (memory), 'w' (a word).
char kind_of(std::string_view operand) {
  while (!operand.empty() && std::string_view("-~!|+").find(operand[0]) != operand.npos)
    operand.remove_prefix(1);
  const auto starts = [&](std::string_view prefix) {
    return operand.starts_with(prefix) && operand.size() > prefix.size() &&
           (is_digit(operand[prefix.size()]) || operand[prefix.size()] == 'Z' ||
            operand[prefix.size()] == 'T');
  };
  if (starts("UR")) return 'U';
  if (starts("UP")) return 'Q';
  if (starts("R")) return 'R';
  if (starts("P")) return 'P';
  if (operand.starts_with("0x")) return 'i';
  if (operand.starts_with("c[") || operand.starts_with("cx[")) return 'c';
  if (operand.find('[') != operand.npos) return 'm';
  if (!operand.empty() && (is_digit(operand[0]) || operand.find("INF") != operand.npos ||
                           operand.find("NAN") != operand.npos))
    return 'f';
  return 'w';
}

// The register names of an operand, or the numbers in it, joined.
std::string pick(std::string_view operand, bool registers) {
  std::string picked;
  for (std::size_t at = 0; at < operand.size();) {
    const char c = operand[at];
    const bool word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
    if (!word) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < operand.size()) {
      const char d = operand[end];
      if (!((d >= 'A' && d <= 'Z') || (d >= 'a' && d <= 'z') || is_digit(d) || d == '_' ||
            (d == '.' && is_digit(c) && end > at)))
        break;
      ++end;
    }
    const std::string_view token = operand.substr(at, end - at);
    const bool numeric = is_digit(c);
    if (numeric != registers) {
      if (at > 0 && operand[at - 1] == '-') picked += '-';
      picked += token;
      picked += ' ';
    }
    at = end;
  }
  return picked;
}

}  // namespace

bool OracleWord::held_back() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t byte = ((i < 8 ? low : high) >> (8 * (i % 8))) & 0xff;
    hash = (hash ^ byte) * 0x100000001b3;
  }
  return (hash >> 32 & 1) != 0;
}

Result<std::vector<OracleWord>> load(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{path + ": cannot be read (scripts/corpus.py unpack makes build/corpus)"};
  std::vector<OracleWord> words;
  char variant = 0;
  std::uint32_t in_group = 0;
  for (std::string text; std::getline(file, text);) {
    std::string_view line(text);
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (line.empty()) continue;
    if (line[0] == '#') {
      unsigned sm = 0;
      int a = 0;
      if (std::sscanf(text.c_str(), "#%u %d", &sm, &a) == 2) variant = a == 1 ? 'a' : '\0';
      in_group = 0;
      continue;
    }
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    if (first == line.npos || second == line.npos || second - first != 33) continue;
    const std::optional<read::Architecture> arch = read::parse_architecture(line.substr(0, first));
    if (!arch) continue;
    OracleWord word;
    word.arch = *arch;
    if (word.arch.variant == 0) word.arch.variant = variant;
    const std::string hex(line.substr(first + 1, 32));
    word.high = std::strtoull(hex.substr(0, 16).c_str(), nullptr, 16);
    word.low = std::strtoull(hex.substr(16).c_str(), nullptr, 16);
    std::string_view rest = line.substr(second + 1);
    word.offset = 16 * (in_group++ % 256);
    // The newer format has the offset between the word and its text, which starts with a capital, @
    // or an underscore.
    const std::size_t hex_end = rest.find_first_not_of("0123456789abcdef");
    if (hex_end != 0 && hex_end != rest.npos && rest[hex_end] == ' ') {
      word.offset =
          static_cast<std::uint32_t>(std::strtoul(std::string(rest).c_str(), nullptr, 16));
      rest.remove_prefix(hex_end + 1);
    }
    if (rest.ends_with(';')) rest.remove_suffix(1);
    while (rest.ends_with(' ')) rest.remove_suffix(1);
    word.text = rest;
    words.push_back(std::move(word));
  }
  if (words.empty()) return Error{path + ": no oracle words could be read from it"};
  return words;
}

std::string decoded_text(const OracleWord& word) {
  std::string text;
  read::print(read::decode(word.low, word.high, word.arch, word.offset), text);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void Score::add(std::string_view expected, std::string_view got) {
  ++words;
  const Parts a = split_text(expected);
  const Parts b = split_text(got);
  if (a.mnemonic != b.mnemonic) return;
  ++mnemonic;
  if (a.guard.empty() != b.guard.empty() || a.operands.size() != b.operands.size()) return;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (kind_of(a.operands[i]) != kind_of(b.operands[i])) return;
  ++kinds;
  if (a.guard != b.guard) return;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (pick(a.operands[i], true) != pick(b.operands[i], true)) return;
  ++registers;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (pick(a.operands[i], false) != pick(b.operands[i], false)) return;
  ++values;
  if (expected == got) ++text;
}

}  // namespace burin::oracle
