#include "read/isa/form.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "read/isa/form_flags.h"
#include "read/isa/value_lists.h"

namespace burin::read::isa {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts = split(text, separator);
  for (std::string_view& part : parts) part = trim(part);
  return parts;
}

// Reads one token of the notation from left to right; remembers that something did not fit.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool done() const { return text_.empty(); }
  void fail() { ok_ = false; }

  bool eat(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool at_digit(std::size_t ahead = 0) const {
    return text_.size() > ahead && text_[ahead] >= '0' && text_[ahead] <= '9';
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) ok_ = false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  std::uint8_t bit() {
    const std::uint64_t value = number();
    if (value > 127) ok_ = false;
    return static_cast<std::uint8_t>(value);
  }
  std::string_view until(std::string_view stops) {
    const std::size_t end = std::min(text_.find_first_of(stops), text_.size());
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    return word;
  }

  BitField bits() {
    BitField field;
    do {
      if (field.pieces == 4) {
        ok_ = false;
        return field;
      }
      const std::uint8_t from = bit();
      std::uint8_t to = from;
      if (!text_.empty() && text_[0] == ':' && at_digit(1)) {
        eat(":");
        to = bit();
      }
      if (to < from) ok_ = false;
      const auto width = static_cast<std::uint8_t>(to - from + 1);
      field.piece[field.pieces++] = {from, width};
      field.width = static_cast<std::uint8_t>(field.width + width);
    } while (eat("+"));
    return field;
  }

  Conditions conditions() {
    Conditions when;
    do {
      Condition condition;
      condition.field = bits();
      if (eat("!")) {
        condition.equal = false;
      } else if (!eat("=")) {
        ok_ = false;
      }
      condition.value = number();
      when.all.push_back(condition);
    } while (eat("&"));
    return when;
  }

  // "78:79=-/RM/RP/RZ", or "=WIDE" for a word that is always there.
  Choice choice() {
    Choice result;
    const bool constant = eat("=");
    if (!constant) {
      result.field = bits();
      if (!eat("=")) ok_ = false;
    }
    std::string_view texts = until("? ,");
    if (texts.starts_with('%')) {
      const std::optional<std::string_view> list = list_named(texts.substr(1));
      if (!list) {
        ok_ = false;
        return result;
      }
      texts = *list;
    }
    for (std::string_view text : split_at(texts, '/'))
      result.texts.push_back(text == "-" ? std::string_view{} : text);
    if (result.texts.size() == 1 && !constant)
      result.texts.insert(result.texts.begin(), std::string_view{});
    return result;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

void read_address(Reader& in, OperandForm& o) {
  while (!in.eat("]")) {
    if (in.eat(" ")) continue;
    if (in.eat("R")) {
      o.base = in.bit();
    } else if (in.eat("L")) {
      o.long_base = true;
    } else if (in.eat("O")) {
      o.uniform = in.bit();
      o.uniform_optional = true;
    } else if (const bool is_next = in.eat("V"); is_next || in.eat("U")) {
      o.uniform = in.bit();
      o.next_uniform = is_next;
      if (in.eat("?")) o.uniform_flag = in.bit();
    } else if (in.eat("+")) {
      o.field = in.bits();
      if (in.eat("<<")) o.shift = in.bit();
    } else if (in.eat("X")) {
      o.scale = in.bit();
    } else if (in.eat("W")) {
      o.wide = in.bit();
    } else if (in.eat("D")) {
      o.descriptor_flag = in.bit();
    } else if (in.eat("d")) {
      o.descriptor = in.bit();
    } else if (in.eat("T")) {
      o.tile = in.bit();
    } else if (in.eat("S")) {
      o.surface = in.bit();
    } else if (in.eat("*2")) {
      o.count = 2;
    } else if (in.eat("*4")) {
      o.count = 4;
    } else {
      in.fail();
      return;
    }
    if (!in.ok()) return;
  }
}

// "R@24", "I@32:63": a letter or two for the kind, and the bits. False where it is none of these.
bool read_positioned(Reader& in, OperandForm& o) {
  using Kind = OperandForm::Kind;
  static constexpr struct {
    std::string_view prefix;
    Kind kind;
    RegisterFile file = RegisterFile::kGeneral;
    std::string_view word{};
  } kRows[] = {
      {"R@", Kind::kRegister, RegisterFile::kGeneral},
      {"U@", Kind::kRegister, RegisterFile::kUniform},
      {"P@", Kind::kRegister, RegisterFile::kPredicate},
      {"Q@", Kind::kRegister, RegisterFile::kUniformPredicate},
      {"PR@", Kind::kPredicateSet, RegisterFile::kPredicate, "PR"},
      {"UPR@", Kind::kPredicateSet, RegisterFile::kUniformPredicate, "UPR"},
      {"W@", Kind::kSwizzle},
      {"I@", Kind::kImmediate},
      {"SR@", Kind::kSpecial},
      {"SS@", Kind::kScoreboardSet},
      {"SB@", Kind::kScoreboard},
      {"G@", Kind::kGroupScoreboard},
      {"b@", Kind::kConvergence},
      {"T@", Kind::kTarget},
  };
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const auto& r) { return in.eat(r.prefix); });
  if (row == std::end(kRows)) return false;
  o.kind = row->kind;
  o.file = row->file;
  o.word = row->word;
  if (o.kind == Kind::kGroupScoreboard || o.kind == Kind::kConvergence) {
    o.at = in.bit();
  } else {
    o.field = in.bits();
    if (o.kind == Kind::kRegister) o.at = o.field.piece[0].from;
  }
  return true;
}

// What an operand is, without its options.
void read_kind(Reader& in, bool uniform_slots, OperandForm& o) {
  using Kind = OperandForm::Kind;
  if (read_positioned(in, o)) return;
  if (in.eat("=")) {
    o.kind = Kind::kWord;
    o.word = in.until("~?");
    return;
  }
  if (in.eat("c[")) {
    o.kind = Kind::kConstant;
    return read_address(in, o);
  }
  if (in.eat("[")) {
    o.kind = Kind::kAddress;
    return read_address(in, o);
  }
  if (in.eat("T")) {
    o.kind = Kind::kTarget;
    return;
  }
  for (const std::string_view slot : {"A", "B", "C", "S", "D"}) {
    if (!in.eat(slot)) continue;
    o.kind = Kind::kSlot;
    o.slot = slot[0];
    o.file = uniform_slots ? RegisterFile::kUniform : RegisterFile::kGeneral;
    return;
  }
  const std::string_view prefix = in.until("[");
  if (!in.eat("[") || prefix.empty()) in.fail();
  o.kind = Kind::kAddress;
  o.word = prefix;
  if (in.ok()) read_address(in, o);
}

// The word after a colon; false where it is none.
bool read_option(std::string_view option, OperandForm& o) {
  static constexpr std::pair<std::string_view, OperandForm::Type> kTypes[] = {
      {"f", OperandForm::Type::kFloat},         {"d", OperandForm::Type::kDouble},
      {"h", OperandForm::Type::kHalf},          {"i", OperandForm::Type::kInteger},
      {"x", OperandForm::Type::kCarry},         {"s", OperandForm::Type::kSigned},
      {"n", OperandForm::Type::kInteger},       {"c", OperandForm::Type::kCarry},
      {"v", OperandForm::Type::kSourceFloat},   {"w", OperandForm::Type::kSourceInteger},
      {"g", OperandForm::Type::kUnsignedFloat}, {"m", OperandForm::Type::kWholeHalf},
  };
  if (option.starts_with("not") || option.starts_with("reuse")) {
    const bool inverts = option.starts_with("not");
    Reader at(option.substr(inverts ? 3 : 5));
    (inverts ? o.inverted_by : o.reused_by) = at.bit();
    return at.ok();
  }
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const auto& t) { return t.first == option; });
  if (option == "opt") {
    o.optional = true;
  } else if (option == "inv") {
    o.inverse = true;
  } else if (option == "off") {
    o.behind = o.is_signed = true;
  } else if (option == "abs") {
    o.absolute_target = true;
  } else if (type != std::end(kTypes)) {
    o.type = type->second;
    if (option == "s" || option == "i" || option == "x") o.is_signed = true;
  } else {
    return false;
  }
  return true;
}

OperandForm read_operand(std::string_view text, bool uniform_slots, bool& ok) {
  Reader in(text);
  OperandForm o;
  if (in.eat(">")) o.written = true;
  if (in.eat("^")) o.written = o.read_too = true;
  read_kind(in, uniform_slots, o);
  while (in.ok() && !in.done()) {
    if (in.eat("*")) {
      if (in.at_digit()) {
        o.count = static_cast<std::uint8_t>(in.number());
      } else {
        o.count_of = in.until(":~?*");
      }
    } else if (in.eat("~")) {
      o.suffix = in.choice();
    } else if (in.eat("?")) {
      o.when = in.conditions();
    } else if (!in.eat(":") || !read_option(in.until(":*~?"), o)) {
      in.fail();
    }
  }
  ok = in.ok();
  return o;
}

bool read_pipe(std::string_view text, Form& form) {
  std::string_view flags;
  if (const std::size_t bracket = text.find('['); bracket != std::string_view::npos) {
    flags = text.substr(bracket + 1, text.find(']') - bracket - 1);
    text = text.substr(0, bracket);
  }
  Opcode& opcode = form.opcode;
  unsigned pipe = 0;
  while (pipe <= static_cast<unsigned>(Pipe::kMisc) && name(static_cast<Pipe>(pipe)) != text)
    ++pipe;
  if (pipe > static_cast<unsigned>(Pipe::kMisc)) return false;
  opcode.pipe = static_cast<Pipe>(pipe);
  form.uniform_guard = opcode.pipe == Pipe::kUniform;
  return read_flags(flags, form);
}

// "_21:246e 98e?75=1" to the opcodes and their conditions.
bool read_opcodes(std::string_view text, std::vector<std::pair<std::uint16_t, Conditions>>& out) {
  for (std::string_view word : split_at(text, ' ')) {
    if (word.empty()) continue;
    Conditions when;
    if (const std::size_t mark = word.find('?'); mark != std::string_view::npos) {
      Reader in(word.substr(mark + 1));
      when = in.conditions();
      if (!in.ok() || !in.done()) return false;
      word = word.substr(0, mark);
    }
    const auto hex = [&](std::string_view digits) {
      unsigned value = 0x1000;
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      return value;
    };
    if (word.starts_with('_')) {
      if (word.size() < 5 || word[3] != ':') return false;
      const unsigned low = hex(word.substr(1, 2));
      for (char digit : word.substr(4)) {
        const unsigned top = hex({&digit, 1});
        if (top > 15) return false;
        out.emplace_back(static_cast<std::uint16_t>(top << 8 | low), when);
      }
    } else {
      const unsigned value = hex(word);
      if (value > 0xfff || word.size() != 3) return false;
      out.emplace_back(static_cast<std::uint16_t>(value), when);
    }
  }
  return !out.empty();
}

bool read_architectures(std::string_view text,
                        std::vector<std::pair<std::uint16_t, std::uint16_t>>& out) {
  for (std::string_view part : split_at(text, ' ')) {
    if (part.empty()) continue;
    Reader in(part);
    const auto from = static_cast<std::uint16_t>(in.number());
    std::uint16_t to = from;
    if (in.eat("-")) to = in.at_digit() ? static_cast<std::uint16_t>(in.number()) : 999;
    if (!in.ok() || !in.done()) return false;
    out.emplace_back(from, to);
  }
  return !out.empty();
}

}  // namespace

Result<std::vector<Form>> compile_forms(std::string_view table) {
  std::vector<Form> forms;
  for (std::string_view line : split_at(table, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto wrong = [&](std::string_view what) {
      return Error{fmt::format("instruction table: {} in `{}`", what, line)};
    };
    const std::vector<std::string_view> columns = split_at(line, '|');
    if (columns.size() != 6) return wrong("not six columns");
    Form form;
    form.opcode.mnemonic = columns[0];
    if (!read_pipe(columns[1], form)) return wrong("unknown pipe or flag");
    std::vector<std::pair<std::uint16_t, Conditions>> opcodes;
    if (!read_opcodes(columns[2], opcodes)) return wrong("bad opcode");
    std::vector<std::pair<std::uint16_t, std::uint16_t>> architectures;
    if (!read_architectures(columns[3], architectures)) return wrong("bad architecture");
    for (std::string_view word : split_at(columns[4], ' ')) {
      if (word.empty()) continue;
      Reader in(word);
      ModifierForm modifier;
      modifier.name = in.until("@=");
      const bool positioned = in.eat("@");
      if (positioned && !in.at_digit()) in.fail();
      if (in.ok()) modifier.choice = in.choice();
      if (in.ok() && in.eat("?")) modifier.when = in.conditions();
      if (!in.ok() || !in.done()) return wrong(fmt::format("bad modifier {}", word));
      form.modifiers.push_back(std::move(modifier));
    }
    for (std::string_view word : split_at(columns[5], ',')) {
      if (word.empty()) continue;
      bool ok = true;
      form.operands.push_back(read_operand(word, form.opcode.pipe == Pipe::kUniform, ok));
      if (!ok) return wrong(fmt::format("bad operand {}", word));
    }
    if (form.modifiers.size() > Instruction::kMaxModifiers ||
        form.operands.size() > Instruction::kMaxOperands + 8) {
      return wrong("too many parts");
    }
    for (const auto& [bits, when] : opcodes) {
      for (const auto& [from, to] : architectures) {
        form.bits = bits;
        form.when = when;
        form.from_sm = from;
        form.to_sm = to;
        forms.push_back(form);
      }
    }
  }
  return forms;
}

}  // namespace burin::read::isa
