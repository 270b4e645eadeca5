#include "report/inspect/listing.h"

#include <algorithm>

#include "base/text.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

constexpr std::size_t kWordBytes = 16;

std::string facts_of(const read::Function& f) {
  std::string text = count_of(f.registers, "register");
  const auto add = [&](std::uint32_t bytes, const char* of) {
    if (bytes > 0) text.append(", ").append(human_bytes(bytes)).append(" ").append(of);
  };
  add(f.shared_bytes, "shared");
  add(f.local_bytes, "local");
  add(f.stack_bytes, "stack");
  if (f.barriers > 0) text.append(", ").append(count_of(f.barriers, "barrier"));
  add(f.parameter_bytes, "of parameters");
  return text + ", " + count_of(f.code.size() / kWordBytes, "instruction");
}

void write_place(Output& out, const read::Image& image, const read::Location& location,
                 const char* how, read::SourceText& source) {
  const std::string path(read::path_of(image, location));
  out.put(how, line_name(path, location.line));
  if (!location.function.empty()) out.put(" in ", read::bare_name(location.function));
  const std::string_view text = source.line(path, location.line);
  if (!text.empty()) out.put("  ", Style::kBold, text, Style::kPlain);
  out.put('\n');
}

void write_location(Output& out, const read::Image& image, std::int32_t location,
                    read::SourceText& source) {
  const auto chain = read::call_chain(image, location);
  if (chain.empty()) {
    out.put("\n// no source\n");
    return;
  }
  write_place(out, image, *chain.front(), "\n// ", source);
  for (std::size_t i = 1; i < chain.size(); ++i) {
    write_place(out, image, *chain[i], "//   inlined from ", source);
  }
}

}  // namespace

Result<void> check_code(const read::Image& image, const read::Function& function) {
  if (!read::can_decode(image.arch)) {
    return Error{read::to_string(image.arch) +
                 " code cannot be disassembled: burin decodes sm_70 to sm_121"};
  }
  if (function.code.size() % kWordBytes != 0) {
    return Error{function.name + ": the code is truncated inside an instruction"};
  }
  return {};
}

void append_control(const read::Control& control, std::string& out) {
  char text[] = "B------:R-:W-:-:S00";
  const auto digit = [](unsigned value) { return static_cast<char>('0' + value); };
  for (unsigned i = 0; i < 6; ++i) {
    if (control.wait_mask >> i & 1) text[1 + i] = digit(i);
  }
  if (control.read_barrier != 7) text[9] = digit(control.read_barrier);
  if (control.write_barrier != 7) text[12] = digit(control.write_barrier);
  if (control.yield) text[14] = 'Y';
  text[17] = digit(control.stall / 10);
  text[18] = digit(control.stall % 10);
  out += text;
}

RelocationWalk::RelocationWalk(const read::Function& function) {
  for (const read::Relocation& r : function.relocations) sorted_.push_back(&r);
  std::sort(sorted_.begin(), sorted_.end(), [](const auto* a, const auto* b) {
    return std::pair(a->offset, a) < std::pair(b->offset, b);
  });
}

void RelocationWalk::append_at(std::uint32_t offset, std::string& out) {
  for (; next_ < sorted_.size() && sorted_[next_]->offset < offset + kWordBytes; ++next_) {
    const read::Relocation& r = *sorted_[next_];
    out += "  // ";
    out += r.symbol;
    if (r.addend > 0) out += '+';
    if (r.addend != 0) out += std::to_string(r.addend);
  }
}

void write_listing(Output& out, const read::Image& image, const read::Function& function,
                   read::SourceText* source) {
  out.put("// ", Style::kBold, read::to_string(image.arch), "  ", function.demangled, Style::kPlain,
          '\n');
  if (function.demangled != function.name) out.put("// ", function.name, '\n');
  out.put("// ", facts_of(function), '\n');
  out.put(Style::kDim, "// offset  wait:read:write:yield:stall  instruction\n", Style::kPlain);

  auto labels = function.labels;
  std::sort(labels.begin(), labels.end());
  auto label = labels.begin();
  RelocationWalk relocations(function);
  read::LineWalk lines(function);
  std::int32_t shown = -2;  // neither a location nor the lack of one

  const auto count = static_cast<std::uint32_t>(function.code.size() / kWordBytes);
  read::Instruction instruction;
  for (std::uint32_t i = 0; i < count && !out.closed(); ++i) {
    read::decode_at(function.code, i, image.arch, instruction);
    for (; label != labels.end() && label->first <= instruction.offset; ++label) {
      out.put(label->second, ":\n");
    }
    if (source != nullptr) {
      const std::int32_t location = lines.at(instruction.offset);
      if (location != shown) write_location(out, image, location, *source);
      shown = location;
    }
    std::string& text = out.buffer();
    out.put("     ", Style::kDim, Hex{instruction.offset, 4, true}, "  ");
    append_control(instruction.control, text);
    out.put(Style::kPlain, "          ");
    read::print(instruction, text);
    relocations.append_at(instruction.offset, text);
    out.put('\n');
  }
  out.put('\n');
}

}  // namespace burin::report
