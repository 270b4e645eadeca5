#include "report/inspect/dump.h"

#include "base/hash.h"
#include "read/isa/print.h"
#include "read/program/words.h"
#include "report/inspect/listing.h"

namespace burin::report {
namespace {

// A word list: every item after a space.
class Items {
 public:
  Items(Output& out, const char* title) : out_(out), title_(title) {}
  template <typename... Parts>
  void add(const Parts&... parts) {
    out_.put(first_ ? title_ : ",", ' ', parts...);
    first_ = false;
  }
  void end_line() {
    if (!first_) out_.put('\n');
  }

 private:
  Output& out_;
  const char* title_;
  bool first_ = true;
};

std::string index_text(std::uint32_t index) {
  return index == read::kNoIndex ? "-" : std::to_string(index);
}

std::string range_text(read::RegisterFile file, unsigned index, unsigned count) {
  std::string text = read::register_name(file, index);
  if (count > 1) text.append(":").append(std::to_string(count));
  return text;
}

void dump_banks(Output& out, const std::vector<read::ConstantBank>& banks) {
  for (const read::ConstantBank& bank : banks) {
    out.put("  constant bank ", bank.bank, ": ", bank.contents.size(), " bytes, fingerprint ",
            Hex{fnv1a(bank.contents), 16, true}, '\n');
  }
}

void dump_shape(Output& out, const char* what,
                const std::optional<std::array<std::uint32_t, 3>>& shape) {
  if (shape) out.put("  ", what, ' ', (*shape)[0], ' ', (*shape)[1], ' ', (*shape)[2], '\n');
}

void dump_function(Output& out, const read::Function& f) {
  out.put(f.is_kernel ? "kernel " : "function ", f.name, '\n');
  out.put("  demangled ", f.demangled, '\n');
  out.put("  registers ", f.registers, ", shared ", f.shared_bytes, ", local ", f.local_bytes,
          ", stack ", f.stack_bytes, ", barriers ", f.barriers, ", code ", f.code.size(), '\n');
  if (f.max_registers) out.put("  max_registers ", *f.max_registers, '\n');
  dump_shape(out, "max_threads", f.max_threads);
  dump_shape(out, "required_block", f.required_block);
  dump_shape(out, "cluster", f.cluster);
  out.put("  parameters at ", Hex{f.parameter_base}, ", ", f.parameter_bytes, " bytes");
  for (const read::Parameter& p : f.parameters) out.put(", ", p.offset, ':', p.size);
  out.put('\n');
  dump_banks(out, f.constants);
  for (const auto& [offset, label] : f.labels)
    out.put("  label ", Hex{offset, 4, true}, ' ', label, '\n');
  for (const read::Relocation& r : f.relocations) {
    out.put("  relocation ", Hex{r.offset, 4, true}, " type ", r.type, ' ', r.symbol, " + ",
            r.addend, '\n');
  }
  for (const read::IndirectBranch& branch : f.indirect_branches) {
    out.put("  indirect branch ", Hex{branch.offset, 4, true}, " to");
    for (const std::uint32_t target : branch.targets) out.put(' ', Hex{target, 4, true});
    out.put('\n');
  }
  for (const read::LineRow& row : f.lines) {
    out.put("  line ", Hex{row.offset, 4, true}, " location ", row.location, '\n');
  }
}

void dump_blocks(Output& out, const read::Kernel& kernel) {
  const auto edges = [&](const char* title, const std::vector<read::Edge>& all) {
    Items items(out, title);
    for (const read::Edge& edge : all) items.add(edge.block, ' ', read::name(edge.kind));
    items.end_line();
  };
  for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
    const read::BasicBlock& b = kernel.blocks[i];
    out.put("  block ", i, ": ", Hex{kernel.instructions[b.first].offset, 4, true}, '-',
            Hex{kernel.instructions[b.last].offset, 4, true}, " loop ", index_text(b.loop),
            " idom ", index_text(b.immediate_dominator), " ipdom ",
            index_text(b.immediate_post_dominator), b.exits ? " exits" : "",
            b.unresolved ? " unresolved" : "", '\n');
    edges("    to", b.successors);
    edges("    from", b.predecessors);
  }
  for (std::size_t i = 0; i < kernel.loops.size(); ++i) {
    const read::Loop& loop = kernel.loops[i];
    out.put("  loop ", i, ": header ", loop.header, " depth ", loop.depth, " parent ",
            index_text(loop.parent), loop.irreducible ? " irreducible" : "");
    const auto list = [&](const char* title, const std::vector<std::uint32_t>& blocks) {
      out.put(title);
      for (const std::uint32_t block : blocks) out.put(' ', block);
    };
    list("; blocks", loop.blocks);
    list("; latches", loop.latches);
    list("; exits", loop.exits);
    out.put('\n');
  }
}

void dump_operand(Output& out, const read::Operand& o) {
  const auto flag = [&](bool set, const char* word) {
    if (set) out.put(' ', word);
  };
  const auto part = [&](const char* title, read::RegisterFile file, unsigned index,
                        unsigned count) {
    if (index != read::Operand::kNoRegister)
      out.put(' ', title, ' ', range_text(file, index, count));
  };
  if (o.kind == read::Operand::Kind::kRegister) {
    out.put(o.written ? (o.read ? "inout " : "out ") : (o.read ? "in " : "unused "),
            range_text(o.file, o.index, o.count));
  } else {
    out.put(read::name(o.kind));
    if (o.kind == read::Operand::Kind::kConstant) out.put(" bank ", unsigned{o.bank});
    part("base", read::RegisterFile::kGeneral, o.base, o.base_count);
    part("uniform", read::RegisterFile::kUniform, o.uniform, o.uniform_count);
    part("descriptor", read::RegisterFile::kUniform, o.descriptor, 2);
    if (o.kind == read::Operand::Kind::kFloat || o.kind == read::Operand::Kind::kImmediate) {
      out.put(' ', read::name(o.format));
    }
    const bool negative = o.value < 0;
    const auto bits = static_cast<std::uint64_t>(o.value);
    out.put(negative ? " -" : " ", Hex{negative ? 0 - bits : bits});
  }
  if (!o.prefix.empty()) out.put(" prefix ", o.prefix);
  if (!o.scale.empty()) out.put(" scale ", o.scale);
  if (!o.suffix.empty()) out.put(" suffix ", o.suffix);
  flag(o.negated, "negated");
  flag(o.absolute, "absolute");
  flag(o.inverted, "inverted");
  flag(o.reuse, "reuse");
  flag(o.hidden, "hidden");
  flag(o.hidden_descriptor, "hidden-descriptor");
}

void dump_opcode(Output& out, const read::Opcode& opcode) {
  out.put(opcode.mnemonic, ' ', read::name(opcode.pipe));
  for (const std::string_view word : {read::name(opcode.space), read::name(opcode.flow)}) {
    if (!word.empty()) out.put(' ', word);
  }
  out.put(opcode.loads ? " loads" : "", opcode.stores ? " stores" : "");
}

void dump_instruction(Output& out, const read::Kernel& kernel, std::uint32_t index) {
  const read::Instruction& i = kernel.instructions[index];
  std::string& text = out.buffer();
  out.put("  ", Hex{i.offset, 4, true}, ' ', Hex{i.high, 16, true}, ' ', Hex{i.low, 16, true}, ' ');
  append_control(i.control, text);
  out.put(' ');
  read::print(i, text);
  out.put('\n');
  if (!i.known()) return;

  out.put("    ");
  dump_opcode(out, *i.opcode);
  if (!i.guard.always()) {
    const auto file =
        i.guard.uniform ? read::RegisterFile::kUniformPredicate : read::RegisterFile::kPredicate;
    out.put("; guard ", i.guard.negated ? "!" : "", read::register_name(file, i.guard.index));
  }
  for (const read::Modifier& m : i.modifiers()) {
    if (!m.text.empty()) out.put("; ", m.name, '=', m.text);
  }
  for (const read::Operand& o : i.operands()) {
    out.put("; ");
    dump_operand(out, o);
  }
  out.put('\n');

  Items reads(out, "    reads");
  read::for_each_read(i, [&](read::RegisterFile file, unsigned first, unsigned count) {
    reads.add(range_text(file, first, count));
  });
  reads.end_line();
  Items writes(out, "    writes");
  read::for_each_write(i, [&](read::RegisterFile file, unsigned first, unsigned count) {
    writes.add(range_text(file, first, count));
  });
  writes.end_line();
  Items needs(out, "    needs");
  for (const read::Dependence& d : kernel.dependences_of(index)) {
    static constexpr const char* kHow[] = {"", " result", " operands"};
    const std::string what = d.kind == read::Dependence::Kind::kRegister
                                 ? read::register_name(d.file, d.index)
                                 : std::string("SB") + std::to_string(d.index);
    needs.add(what, kHow[static_cast<std::size_t>(d.kind)], " of ",
              Hex{kernel.instructions[d.producer].offset, 4, true});
  }
  needs.end_line();
}

}  // namespace

void dump_image(Output& out, const read::Image& image) {
  out.put("image ", read::to_string(image.arch), image.relocatable ? ", relocatable" : "");
  if (!image.toolkit.empty()) out.put(", made by ", image.toolkit);
  out.put('\n');
  dump_banks(out, image.constants);
  for (std::size_t i = 0; i < image.files.size(); ++i)
    out.put("  file ", i, ' ', image.files[i], '\n');
  for (std::size_t i = 0; i < image.locations.size(); ++i) {
    const read::Location& location = image.locations[i];
    out.put("  location ", i, ": file ", location.file, " line ", location.line);
    if (!location.function.empty()) out.put(" in ", location.function);
    if (location.inlined_from >= 0) out.put(" inlined from ", location.inlined_from);
    out.put('\n');
  }
}

void dump_kernel(Output& out, const read::Kernel& kernel) {
  dump_function(out, *kernel.function);
  dump_blocks(out, kernel);
  for (std::uint32_t i = 0; i < kernel.instructions.size() && !out.closed(); ++i) {
    dump_instruction(out, kernel, i);
  }
}

}  // namespace burin::report
