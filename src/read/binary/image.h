// The contents of a CUDA binary as plain values: one Image per cubin, one Function per kernel or
// device function. Code is kept as bytes; decoding is done elsewhere (read/isa).
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
  std::uint32_t offset = 0;  // from the start of the parameter block, bytes
  std::uint32_t size = 0;    // bytes
};

struct ConstantBank {
  std::uint32_t bank = 0;
  Bytes contents;  // section contents; bank 0 holds the launch dimensions and the parameters
};

// A source location. `inlined_from` is the index in Image::locations of the call site into which
// this code was inlined, or -1.
struct Location {
  std::uint32_t file = 0;  // index in Image::files
  std::uint32_t line = 0;
  std::int32_t inlined_from = -1;
  std::string_view
      function;  // the inlined function, demangled, a view into Image::names; "": not inlined

  bool operator==(const Location&) const = default;
};

// The code from `offset` to the offset of the next row comes from `location` (-1: no source known).
struct LineRow {
  std::uint32_t offset = 0;
  std::int32_t location = -1;
};

// A place in the code that the linker fills in. In a linked image it has been filled in already,
// except for values that only the driver knows.
struct Relocation {
  std::uint32_t offset = 0;
  std::uint32_t type = 0;
  std::string_view symbol;  // a view into the image's bytes
  std::int64_t addend = 0;
};

// A place in a constant bank or in the initialised variables where the loader writes the 64-bit
// address of a symbol.
struct AddressSlot {
  enum class Target : std::uint8_t {
    kInitialVariables,  // `value` is an offset in Image::initial_variables
    kZeroVariables,     // `value` is an offset in the zero-initialised variables
    kOutside,           // a symbol that is not in the module, or is not a variable
  };
  std::uint32_t bank = 0;    // bank in Image::constants; kNoBank: Image::initial_variables
  std::uint64_t offset = 0;  // in that bank or in the initialised variables, bytes
  Target target = Target::kOutside;
  std::uint64_t value = 0;
  std::string_view symbol;  // a view into the image's bytes

  static constexpr std::uint32_t kNoBank = 0xffffffff;
};

// Where the initial contents of a module variable are.
struct VariablePlace {
  enum class Kind : std::uint8_t {
    kConstant,  // `offset` is in constant bank `bank`
    kInitial,   // `offset` is in Image::initial_variables
    kZero,      // `offset` is in the zero-initialised variables
  };
  Kind kind = Kind::kConstant;
  std::uint32_t bank = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // bytes; the whole variable lies inside its bank or section
};
struct Variable {
  std::string_view name;  // from the symbol table, a view into the image's bytes
  VariablePlace place;
};

// The possible targets of an indirect branch (BRX, BRXU), as listed by the compiler.
struct IndirectBranch {
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> targets;
};

struct Function {
  std::string name;       // from the symbol table
  std::string demangled;  // equals `name` if that is not a mangled C++ name
  bool is_kernel = true;  // false: a device function of relocatable code, in its own section
  Bytes code;             // the instructions

  std::uint32_t registers = 0;                 // per thread
  std::uint32_t shared_bytes = 0;              // static, without the part reserved by the system
  std::uint32_t local_bytes = 0;               // stack frame of the function itself
  std::uint32_t stack_bytes = 0;               // including callees, if known
  std::uint32_t barriers = 0;                  // number of named barriers
  std::optional<std::uint32_t> max_registers;  // launch bounds or -maxrregcount
  std::optional<std::array<std::uint32_t, 3>> max_threads;     // __launch_bounds__
  std::optional<std::array<std::uint32_t, 3>> required_block;  // __block_size__, reqntid
  std::optional<std::array<std::uint32_t, 3>> cluster;         // __cluster_dims__
  std::uint32_t parameter_base = 0;                            // offset of the parameters in bank 0
  std::uint32_t parameter_bytes = 0;
  std::vector<Parameter> parameters;  // in order
  std::vector<ConstantBank> constants;

  std::vector<LineRow> lines;  // sorted by offset; empty without line information
  std::vector<Relocation> relocations;
  std::vector<IndirectBranch> indirect_branches;
  // Functions inside `code`: offset, and name as a view into the image's bytes.
  std::vector<std::pair<std::uint32_t, std::string_view>> labels;
};

struct Image {
  Architecture arch;
  bool relocatable = false;  // -rdc: some addresses are not linked yet
  std::string toolkit;       // the tool that made it, e.g. "ptxas 13.0"; "" if unknown
  std::vector<Function> functions;
  std::vector<ConstantBank> constants;  // shared by all functions: bank 3, bank 4
  // The module's variables in global memory: one part with initial contents, one part of zeros.
  Bytes initial_variables;
  std::uint64_t zero_variable_bytes = 0;
  std::vector<Variable> variables;  // all named variables, including __constant__ ones
  std::vector<AddressSlot> addresses;
  std::vector<std::string> files;
  std::vector<Location> locations;                        // each location comes after its call site
  std::shared_ptr<const std::vector<std::string>> names;  // storage of Location::function
  std::vector<std::string> problems;  // one sentence per part that could not be read

  // The bytes that all views above point into, if the image owns them because it was compressed.
  std::shared_ptr<const std::vector<std::uint8_t>> storage;
};

// Reads a cubin. `outer` is the architecture of the fatbin entry, which may be the only source of
// the variant (sm_90a); the cubin's own notes take precedence.
Result<Image> read_cubin(Bytes bytes, std::optional<Architecture> outer);

}  // namespace burin::read
