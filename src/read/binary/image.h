// What a CUDA binary holds, as plain values: one Image per cubin, one Function per kernel or device
// function in it. Nothing here knows what an instruction means.
//
//   Result<Image> image = read_cubin(bytes, {});
//   for (const Function& f : image->functions)
//     fmt::print("{} uses {} registers\n", f.demangled, f.registers);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "read/architecture.h"

namespace burin::read {

struct Parameter {
  std::uint32_t offset = 0;  // from the start of the parameter block
  std::uint32_t size = 0;    // bytes
};

struct ConstantBank {
  std::uint32_t bank = 0;
  Bytes contents;  // of the section; bank 0 holds the launch block and the parameters
};

// A place in the source. `inlined_from` is the index (in Image::locations) of the call site into
// which this code was inlined, or -1.
struct Location {
  std::uint32_t file = 0;  // index in Image::files
  std::uint32_t line = 0;
  std::int32_t inlined_from = -1;
  std::string_view
      function;  // the inlined function, demangled, in Image::names; empty: not inlined

  bool operator==(const Location&) const = default;
};

// From `offset` until the next row's, the code comes from `location` (-1: no source known).
struct LineRow {
  std::uint32_t offset = 0;
  std::int32_t location = -1;
};

// A place in the code whose bits the linker fills in (in a linked image it has already done so,
// save for what only the driver knows).
struct Relocation {
  std::uint32_t offset = 0;
  std::uint32_t type = 0;
  std::string_view symbol;  // in the image's bytes
  std::int64_t addend = 0;
};

// A place in a constant bank or among the initial variables where the loader writes the 64-bit
// address of something else.
struct AddressSlot {
  enum class Target : std::uint8_t {
    kInitialVariables,  // `value` is an offset in Image::initial_variables
    kZeroVariables,     // … in the variables that start as zeros
    kOutside,           // a symbol that the module does not hold, or that is not a variable
  };
  std::uint32_t bank = 0;    // of Image::constants; kNoBank: in Image::initial_variables
  std::uint64_t offset = 0;  // there
  Target target = Target::kOutside;
  std::uint64_t value = 0;
  std::string_view symbol;  // in the image's bytes

  static constexpr std::uint32_t kNoBank = 0xffffffff;
};

// A variable of the module, and where it starts out.
struct VariablePlace {
  enum class Kind : std::uint8_t {
    kConstant,  // `offset` is one in constant bank `bank`
    kInitial,   // … in Image::initial_variables
    kZero,      // … in the variables that start as zeros
  };
  Kind kind = Kind::kConstant;
  std::uint32_t bank = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // bytes; all of them inside
};
struct Variable {
  std::string_view name;  // as the symbol table has it, in the image's bytes
  VariablePlace place;
};

// The possible targets of one indirect branch (BRX, BRXU), as the compiler listed them.
struct IndirectBranch {
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> targets;
};

struct Function {
  std::string name;       // as the symbol table has it
  std::string demangled;  // equals `name` where it is not a mangled C++ name
  bool is_kernel = true;  // false: a device function of relocatable code, in a section of its own
  Bytes code;             // the instructions

  std::uint32_t registers = 0;                 // per thread
  std::uint32_t shared_bytes = 0;              // static, without the part the system reserves
  std::uint32_t local_bytes = 0;               // the frame of the function itself
  std::uint32_t stack_bytes = 0;               // with its callees, where known
  std::uint32_t barriers = 0;                  // named barriers
  std::optional<std::uint32_t> max_registers;  // launch bounds or -maxrregcount
  std::optional<std::array<std::uint32_t, 3>> max_threads;     // __launch_bounds__
  std::optional<std::array<std::uint32_t, 3>> required_block;  // __block_size__, reqntid
  std::optional<std::array<std::uint32_t, 3>> cluster;         // __cluster_dims__
  std::uint32_t parameter_base = 0;                            // where in bank 0 they start
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;  // in order
  std::vector<ConstantBank> constants;

  std::vector<LineRow> lines;  // by offset; empty without line information
  std::vector<Relocation> relocations;
  std::vector<IndirectBranch> indirect_branches;
  // Functions inside `code`: offset, and the name in the image's bytes.
  std::vector<std::pair<std::uint32_t, std::string_view>> labels;
};

struct Image {
  Architecture arch;
  bool relocatable = false;  // -rdc: some addresses are still to be linked
  std::string toolkit;       // what made it, e.g. "ptxas 13.0"; empty when not said
  std::vector<Function> functions;
  std::vector<ConstantBank> constants;  // shared by all functions: bank 3, bank 4
  // The module's variables in global memory: two pieces, one with contents, one of zeros.
  Bytes initial_variables;
  std::uint64_t zero_variable_bytes = 0;
  std::vector<Variable> variables;  // those with a name, __constant__ ones too
  std::vector<AddressSlot> addresses;
  std::vector<std::string> files;
  std::vector<Location> locations;  // one comes after the call site it was inlined from
  std::shared_ptr<const std::vector<std::string>> names;  // what Location::function points into
  std::vector<std::string> problems;  // parts that could not be read, a sentence each

  // The bytes all views above point into, when the image owns them (it was compressed).
  std::shared_ptr<const std::vector<std::uint8_t>> storage;
};

// The architecture variant that only a fatbin entry knows may be handed in; a cubin's own notes
// win.
Result<Image> read_cubin(Bytes bytes, std::optional<Architecture> outer);

}  // namespace burin::read
