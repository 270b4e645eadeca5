// A cubin: an ELF file whose sections are named after functions. `.text.<f>` is f's code; the other
// sections of f carry its name or the number of its code section.
#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/timings.h"
#include "read/binary/debug_line.h"
#include "read/binary/demangle.h"
#include "read/binary/elf.h"
#include "read/binary/nv_info.h"
#include "read/binary/toolkit_note.h"

namespace burin::read {
namespace {

constexpr std::string_view kText = ".text.";
constexpr std::string_view kConstantSection = ".nv.constant";
constexpr std::string_view kShared = ".nv.shared.";
constexpr std::string_view kInitialVariables = ".nv.global.init";
constexpr std::string_view kZeroVariables = ".nv.global";
// Relocations that write a 64-bit address: plain, and as a generic pointer.
constexpr std::uint32_t kAddress64 = 2, kGenericAddress64 = 4;
constexpr std::uint8_t kOtherKernel = 0x10;
constexpr std::uint8_t kOtherSpace = 0xe0, kOtherShared = 0x40;

// From sm_90 on the system keeps the start of every block's shared memory for itself. Where a
// section counts that in, a symbol of this name says so.
constexpr std::string_view kReservedShared = ".nv.reservedSmem.";
constexpr std::uint64_t kReservedSharedBytes = 0x400;

std::uint32_t clamp(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, ~std::uint32_t{0}));
}

// Code and data that the loader places must not share bytes: where they do, the headers lie. Only
// the second form of the code that sm_100 and later carry along (Mercury) shares its data openly.
Result<void> refuse_overlap(const Elf& elf) {
  std::vector<const ElfSection*> placed;
  for (const ElfSection& section : elf.sections)
    if ((section.flags & kFlagAlloc) && !section.contents.empty() &&
        !section.name.starts_with(".nv.merc."))
      placed.push_back(&section);
  std::sort(placed.begin(), placed.end(),
            [](const ElfSection* a, const ElfSection* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < placed.size(); ++i) {
    if (placed[i - 1]->offset + placed[i - 1]->size > placed[i]->offset)
      return Error{fmt::format("the cubin is corrupt: its sections {} and {} overlap",
                               placed[i - 1]->name, placed[i]->name)};
  }
  return {};
}

class CubinReader {
 public:
  CubinReader(const Elf& elf, std::vector<ElfSymbol> symbols, Image& image)
      : elf_(elf), symbols_(std::move(symbols)), image_(image) {}

  void read() {
    find_functions();
    read_symbol_table();
    for (const ElfSection& section : elf_.sections) read_section(section);
    read_line_table();
    for (Function& function : image_.functions) {
      function.stack_bytes = std::max(function.stack_bytes, function.local_bytes);
      std::sort(function.relocations.begin(), function.relocations.end(),
                [](const auto& a, const auto& b) {
                  return std::tie(a.offset, a.type) < std::tie(b.offset, b.type);
                });
      std::sort(function.labels.begin(), function.labels.end());
    }
  }

 private:
  Function* function_of(std::uint32_t section) {
    if (section >= by_section_.size() || by_section_[section] == 0) return nullptr;
    return &image_.functions[by_section_[section] - 1];
  }

  void find_functions() {
    by_section_.resize(elf_.sections.size());
    // Names are copied. Sections that share one long name must not multiply it: all names together
    // fit in one section, the one that holds them.
    std::uint64_t budget = 0;
    for (const ElfSection& section : elf_.sections)
      budget = std::max<std::uint64_t>(budget, section.contents.size());
    for (std::uint32_t i = 0; i < elf_.sections.size(); ++i) {
      const ElfSection& section = elf_.sections[i];
      if (section.type != kSectionProgram || !section.name.starts_with(kText)) continue;
      const std::string_view name = section.name.substr(kText.size());
      if (name.size() > budget) {
        image_.problems.push_back("section names are corrupt: some functions are missing");
        return;
      }
      budget -= name.size();
      Function function;
      function.name = name;
      function.demangled = demangle(name);
      function.is_kernel = false;  // until its symbol says so
      function.code = section.contents;
      // Before sm_90 the registers stand here too; old toolkits keep the barriers in the flags.
      if (image_.arch.sm < 90) function.registers = section.info >> 24;
      function.barriers = static_cast<std::uint32_t>(section.flags >> 20 & 0x7f);
      image_.functions.push_back(std::move(function));
      by_section_[i] = static_cast<std::uint32_t>(image_.functions.size());
    }
  }

  void read_symbol_table() {
    by_symbol_.resize(symbols_.size());
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const ElfSymbol& s = symbols_[i];
      if (s.name.starts_with(kReservedShared) && !image_.relocatable)
        reserved_shared_ = kReservedSharedBytes;
      if (s.type == kSymbolObject) add_variable(s);
      Function* function = s.type == kSymbolFunction ? function_of(s.section) : nullptr;
      if (function == nullptr) continue;
      if (s.name == function->name) {
        by_symbol_[i] = function;
        function->is_kernel = (s.other & kOtherKernel) != 0;
      } else if (s.value < function->code.size()) {
        function->labels.emplace_back(static_cast<std::uint32_t>(s.value), s.name);
      }
    }
  }

  void add_variable(const ElfSymbol& symbol) {
    using Kind = VariablePlace::Kind;
    if (symbol.name.empty() || symbol.section >= elf_.sections.size()) return;
    const ElfSection& section = elf_.sections[symbol.section];
    if (symbol.size == 0 || symbol.value > section.size ||
        symbol.size > section.size - symbol.value) {
      return;
    }
    VariablePlace place{.offset = symbol.value, .size = symbol.size};
    if (const std::optional<std::uint32_t> bank = shared_bank(section.name)) {
      place.bank = *bank;
    } else if (section.name == kInitialVariables) {
      place.kind = Kind::kInitial;
    } else if (section.name == kZeroVariables) {
      place.kind = Kind::kZero;
    } else {
      return;
    }
    image_.variables.push_back({symbol.name, place});
  }

  void read_section(const ElfSection& section) {
    switch (section.type) {
      case kSectionCudaInfo:
        read_info(section);
        return;
      case kSectionRel:
      case kSectionRela:
        if (Function* function = function_of(section.info))
          read_code_relocations(section, *function);
        else if (section.info < elf_.sections.size())
          read_addresses(section, elf_.sections[section.info]);
        return;
    }
    if (section.name == kInitialVariables) image_.initial_variables = section.contents;
    if (section.name == kZeroVariables) image_.zero_variable_bytes = section.size;
    if (section.name.starts_with(kConstantSection)) read_constants(section);
    if (section.name.starts_with(kShared)) read_shared(section);
  }

  void read_info(const ElfSection& section) {
    bool whole = true;
    if (section.name == ".nv.info") {
      whole = apply_image_info(section.contents, by_symbol_);
    } else if (Function* function = function_of(section.info)) {
      whole = apply_function_info(section.contents, *function);
    }
    if (!whole) image_.problems.push_back(fmt::format("section {} is truncated", section.name));
  }

  void read_code_relocations(const ElfSection& section, Function& function) {
    for (const ElfRelocation& r : read_relocations(section)) {
      if (r.offset >= function.code.size()) continue;
      std::string_view name;
      if (r.symbol < symbols_.size()) {
        name = symbols_[r.symbol].name;
        if (image_.relocatable) add_shared_variable(r.symbol, function);
      }
      function.relocations.push_back(
          {static_cast<std::uint32_t>(r.offset), r.type, name, r.addend});
    }
  }

  // The number of a constant bank that all functions share, or nothing.
  static std::optional<std::uint32_t> shared_bank(std::string_view name) {
    std::uint32_t bank = 0;
    if (!name.starts_with(kConstantSection)) return std::nullopt;
    name.remove_prefix(kConstantSection.size());
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), bank);
    if (failure != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return bank;
  }

  void read_addresses(const ElfSection& section, const ElfSection& data) {
    const std::optional<std::uint32_t> bank = shared_bank(data.name);
    if (!bank && data.name != kInitialVariables) return;
    for (const ElfRelocation& r : read_relocations(section)) {
      if ((r.type != kAddress64 && r.type != kGenericAddress64) || r.symbol >= symbols_.size() ||
          data.contents.size() < 8 || r.offset > data.contents.size() - 8) {
        continue;
      }
      const ElfSymbol& symbol = symbols_[r.symbol];
      AddressSlot slot;
      slot.bank = bank.value_or(AddressSlot::kNoBank);
      slot.offset = r.offset;
      slot.symbol = symbol.name;
      slot.value = symbol.value + static_cast<std::uint64_t>(r.addend);
      if (section.type == kSectionRel) {
        Cursor in(data.contents);
        in.seek(r.offset);
        slot.value += in.u64();
      }
      if (symbol.section < elf_.sections.size()) {
        const std::string_view target = elf_.sections[symbol.section].name;
        if (target == kInitialVariables) slot.target = AddressSlot::Target::kInitialVariables;
        if (target == kZeroVariables) slot.target = AddressSlot::Target::kZeroVariables;
      }
      image_.addresses.push_back(slot);
    }
  }

  // Before linking, the shared variables of templates lie outside their kernel's section; they are
  // known only from the code that uses them.
  void add_shared_variable(std::uint32_t number, Function& function) {
    const ElfSymbol& variable = symbols_[number];
    if ((variable.other & kOtherSpace) != kOtherShared) return;
    if (variable.section >= elf_.sections.size() ||
        elf_.sections[variable.section].name.starts_with(kShared))
      return;
    if (!shared_seen_.insert({&function, number}).second) return;
    function.shared_bytes = clamp(std::uint64_t{function.shared_bytes} + clamp(variable.size));
  }

  // ".nv.constant3" belongs to the image, ".nv.constant0.<f>" to f.
  void read_constants(const ElfSection& section) {
    if (const std::optional<std::uint32_t> shared = shared_bank(section.name)) {
      image_.constants.push_back({*shared, section.contents});
      return;
    }
    const std::string_view rest = section.name.substr(kConstantSection.size());
    ConstantBank bank{0, section.contents};
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), bank.bank);
    if (failure != std::errc{}) return;
    if (Function* function = *end == '.' ? function_of(section.info) : nullptr) {
      function->constants.push_back(bank);
    }
  }

  void read_shared(const ElfSection& section) {
    Function* function = function_of(section.info);
    if (function == nullptr) return;
    const std::uint64_t reserved = std::min(section.size, reserved_shared_);
    function->shared_bytes = clamp(function->shared_bytes + (section.size - reserved));
  }

  Bytes contents(std::string_view name) const {
    const ElfSection* section = elf_.find(name);
    return section != nullptr ? section->contents : Bytes{};
  }

  // Where a debug section names an address, a relocation says of which function.
  std::vector<CodeAnchor> anchors_of(std::string_view name) const {
    std::vector<CodeAnchor> anchors;
    const ElfSection* debug = elf_.find(name);
    if (debug == nullptr) return anchors;
    const auto number = static_cast<std::size_t>(debug - elf_.sections.data());
    for (const ElfSection& section : elf_.sections) {
      if ((section.type != kSectionRel && section.type != kSectionRela) || section.info != number)
        continue;
      for (const ElfRelocation& r : read_relocations(section)) {
        if (r.symbol >= symbols_.size()) continue;
        const ElfSymbol& target = symbols_[r.symbol];
        std::uint64_t address = target.value + static_cast<std::uint64_t>(r.addend);
        if (section.type == kSectionRel) {
          Cursor in(debug->contents);
          in.seek(r.offset);
          address += in.u64();
        }
        anchors.push_back({r.offset, target.section, address});
      }
    }
    std::sort(anchors.begin(), anchors.end(),
              [](const CodeAnchor& a, const CodeAnchor& b) { return a.offset < b.offset; });
    return anchors;
  }

  void read_line_table() {
    const Bytes line = contents(".debug_line"), strings = contents(".debug_str");
    if (line.empty()) return;
    std::uint32_t only_section = 0;
    if (image_.functions.size() == 1) {
      const auto only = std::find(by_section_.begin(), by_section_.end(), 1u);
      only_section = static_cast<std::uint32_t>(only - by_section_.begin());
    }
    const std::vector<CodeAnchor> info_anchors = anchors_of(".debug_info");
    const std::vector<InlinedCall> calls = read_inlined_calls(
        {contents(".debug_info"), contents(".debug_abbrev"), strings, info_anchors, only_section});
    const std::vector<CodeAnchor> line_anchors = anchors_of(".debug_line");
    const LineInput input{line,         strings,      contents(".debug_line_str"),
                          line_anchors, only_section, calls};
    LineTable table = read_lines(input);
    if (table.damaged)
      image_.problems.push_back("the line table is corrupt: some source lines are missing");
    image_.files = std::move(table.files);
    image_.locations = std::move(table.locations);
    image_.names = std::move(table.names);
    for (SectionLines& lines : table.sections) {
      Function* function = function_of(lines.section);
      if (function == nullptr) continue;
      std::erase_if(lines.rows,
                    [&](const auto& row) { return row.offset >= function->code.size(); });
      function->lines = std::move(lines.rows);
    }
  }

  const Elf& elf_;
  std::vector<ElfSymbol> symbols_;
  Image& image_;
  std::vector<std::uint32_t> by_section_;  // function number + 1, or 0
  std::vector<Function*> by_symbol_;
  std::uint64_t reserved_shared_ = 0;
  std::set<std::pair<const Function*, std::uint32_t>> shared_seen_;
};

}  // namespace

Result<Image> read_cubin(Bytes bytes, std::optional<Architecture> outer) {
  Timed timed("read cubin");
  if (!is_elf(bytes)) return Error{"is not a cubin: it has no ELF header"};
  Result<Elf> elf = read_elf(bytes);
  if (!elf) return elf.error();
  if (elf->machine != kElfMachineCuda)
    return Error{
        fmt::format("is an ELF file for another machine (number {}), not a cubin", elf->machine)};
  if (Result<void> apart = refuse_overlap(*elf); !apart) return apart.error();
  Result<std::vector<ElfSymbol>> symbols = read_symbols(*elf);
  if (!symbols) return symbols.error();

  Image image;
  const ToolkitNote note = read_toolkit_note(*elf);
  image.arch = cubin_architecture(*elf, note);
  if (image.arch.variant == 0 && outer && outer->sm == image.arch.sm)
    image.arch.variant = outer->variant;
  image.relocatable = elf->type == kElfRelocatable;
  image.toolkit = note.toolkit;
  CubinReader(*elf, std::move(*symbols), image).read();
  return image;
}

}  // namespace burin::read
