#include "read/ptx/print.h"

#include <algorithm>
#include <cassert>

#include "read/ptx/lex.h"

namespace burin::read::ptx {
namespace {

// Writes pieces of the text in order, with the replacements in them.
class Printer {
 public:
  Printer(const Module& module, std::span<const Replacement> replacements)
      : text_(*module.text), replacements_(replacements) {
    std::size_t size = text_.size();
    for (const Replacement& replacement : replacements) size += replacement.text.size();
    out_.reserve(size);
  }

  // White space and comments up to the piece, and the piece itself. A piece that was written
  // already is left out: the names of one declaration share its bytes.
  void piece(Span span) {
    if (span.end <= at_) return;
    assert(span.begin >= at_);
    blanks_until(span.begin);
    write_until(span.end);
  }

  void function(const Function& function) {
    if (function.has_body) {
      piece({function.span.begin, function.body_span.begin + 1});
      for (const Statement& statement : function.body) piece(span_of(statement));
      piece({function.body_span.end - 1, function.body_span.end});
    }
    piece(function.span);
  }

  std::string finish() {
    blanks_until(static_cast<std::uint32_t>(text_.size()));
    for (const Replacement& replacement : replacements_) out_ += replacement.text;
    return std::move(out_);
  }

 private:
  // Text that no piece holds is not written: so the output differs from the text where the parser
  // lost something.
  void blanks_until(std::uint32_t end) {
    if (is_blank(text_.substr(at_, end - at_))) return write_until(end);
    at_ = copied_ = end;
  }

  void write_until(std::uint32_t end) {
    while (!replacements_.empty() && replacements_.front().span.begin < end) {
      const Replacement& replacement = replacements_.front();
      assert(replacement.span.begin <= replacement.span.end);
      copy_until(replacement.span.begin);
      out_ += replacement.text;
      copied_ = std::max(copied_, replacement.span.end);
      replacements_ = replacements_.subspan(1);
    }
    copy_until(end);
    at_ = end;
  }

  void copy_until(std::uint32_t end) {
    if (end <= copied_) return;
    out_.append(text_, copied_, end - copied_);
    copied_ = end;
  }

  std::string_view text_;
  std::span<const Replacement> replacements_;
  std::string out_;
  std::uint32_t at_ = 0;      // the pieces before this byte are done
  std::uint32_t copied_ = 0;  // the text before this byte is written or replaced
};

}  // namespace

std::string print(const Module& module, std::span<const Replacement> replacements) {
  Printer printer(module, replacements);
  for (const Item& item : module.items) {
    if (const auto* function = std::get_if<Function>(&item)) {
      printer.function(*function);
    } else {
      std::visit([&](const auto& i) { printer.piece(i.span); }, item);
    }
  }
  return printer.finish();
}

}  // namespace burin::read::ptx
