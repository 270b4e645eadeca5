// A rational program: the launch shapes of one kernel, and how to choose among them for any sizes.
// It is the content of an .rp file, which is text:
//
//   burin-rp 1
//   kernel _Z5saxpyifPKfPf
//   parameters 0:4 4:4 8:8 16:8           offset:bytes of every parameter, in order
//   code -                                SHA-256 of the kernel's code, or -
//   registers 12
//   shared 0                              static shared memory, bytes
//   max_threads 1024                      per block, what launch bounds and registers allow
//   required_block 0 0 0                  .reqntid; zeros: none
//   proof proved every id is ctaid * ntid + tid       or: declared WORDS, none
//   size n = arg0_i32                     a size of the launch
//   axis bytes = 8 * n                    what the tables split besides sizes
//   grid_x = ceildiv(n, bx)               all three or none
//   grid_y = 1
//   grid_z = 1
//   shared_bytes = smem                   dynamic shared memory
//   constraint bx <= n
//   shape 32 1 1                          the candidates, numbered from 0
//   shape 64 1 1
//   per_shape slope 0.5 0.25              a name whose value depends on the shape
//   input sm_count                        hardware values that the program reads
//   let waves = grid_x / sm_count         definitions, each over what stands before it
//   time_us = slope * waves               what is minimised over the shapes
//   device "NVIDIA H200" cc 9.0 sm_count 132
//     validated measured 2026-11-17       or: emulated …, none
//     domain n 1024 16777216              where the table was trained, both ends included
//     outside program                     beyond the domain; or: table
//     if n <= 65536                       the table, in preorder
//       use 1 0                           shapes, best first
//     else
//       use 0
//   end 1a2b3c4d                          CRC-32 of all bytes before this line; or -
//
// Lines that start with # are comments. Expressions are those of docs/expressions.md. Their names:
//
//   size          argK_T (parameter K as i32, u32, i64 or u64), argK_atB_T (a field, B bytes into
//                 parameter K), grid_x … block_z and smem of the program's own launch
//   axis          the sizes
//   the others    sizes, axes, bx by bz (the shape), launch_x launch_y launch_z (threads of the
//                 program's own launch: grid times block), smem (its dynamic shared memory);
//                 let and time_us also grid_x grid_y grid_z (if given), per_shape values, inputs,
//                 earlier definitions
//
//   Result<RationalProgram> program = parse_rational_program(text);
//   to_string(*program)                   the same text, without comments and indented as above
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"

namespace burin::formula {

using Shape = std::array<std::uint32_t, 3>;  // threads in x, y and z

// Limits of a file, so that a choice needs no memory of its own.
inline constexpr std::size_t kMaxShapes = 1024;
inline constexpr std::size_t kMaxNames = 160;  // that expressions know, bx and such included
inline constexpr std::size_t kMaxTableNodes = 4096;
inline constexpr std::size_t kMaxTableDepth = 64;
inline constexpr std::size_t kMaxRanked = 8;  // shapes of one `use`
inline constexpr std::size_t kMaxStack = 64;  // values that an expression holds at a time

struct NamedExpression {
  std::string name;
  Expression value;
};

struct Parameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// A node of a decision table. The node after an inner one is its branch for "at most".
struct TableNode {
  std::uint32_t axis = 0;  // index into sizes, then axes
  double at_most = 0;
  std::uint32_t otherwise = 0;        // index of the other branch; 0: this is a leaf
  std::vector<std::uint32_t> ranked;  // of a leaf: shapes, best first
};

struct Domain {
  std::uint32_t axis = 0;
  double least = 0;
  double most = 0;
};

struct DeviceTable {
  enum class Outside : std::uint8_t { kProgram, kTable };

  std::string name;         // as the driver names the device
  std::uint32_t major = 0;  // compute capability
  std::uint32_t minor = 0;
  std::vector<double> inputs;      // one per input of the program
  std::string validated = "none";  // "measured …", "emulated …" or "none"
  std::vector<Domain> domain;
  Outside outside = Outside::kProgram;
  std::vector<TableNode> table;  // may be empty: then the program decides everywhere
};

struct RationalProgram {
  enum class Proof : std::uint8_t { kNone, kProved, kDeclared };

  std::string kernel = "-";  // mangled; - where it is not known
  std::vector<Parameter> parameters;
  std::string code = "-";
  std::uint32_t registers = 0;  // per thread
  std::uint32_t shared = 0;     // static, bytes
  std::uint32_t max_threads = 1024;
  Shape required_block = {0, 0, 0};
  Proof proof = Proof::kNone;
  std::string reason;  // of the proof
  std::vector<NamedExpression> sizes;
  std::vector<NamedExpression> axes;
  std::vector<Expression> grid;  // x, y and z, or empty
  Expression shared_bytes;       // `smem` unless the file says otherwise
  std::vector<Expression> constraints;
  std::vector<Shape> shapes;
  std::vector<std::pair<std::string, std::vector<double>>> per_shape;
  std::vector<std::string> inputs;
  std::vector<NamedExpression> definitions;
  Expression time_us;
  std::vector<DeviceTable> devices;

  RationalProgram();  // with shared_bytes = smem

  // Sizes, then axes: what tables and domains refer to.
  std::vector<std::string> axis_names() const;
  std::size_t axis_count() const { return sizes.size() + axes.size(); }
};

// An Error names the line: 'line 12: "ny" has no value …'. The checksum is compared, unless the
// last line is `end -`.
Result<RationalProgram> parse_rational_program(std::string_view text);

// Names that may be used, shapes and tables that refer to what is there, the limits above. What
// parse_rational_program() returns holds all of it; for programs made otherwise.
Result<void> check(const RationalProgram& program);

std::string to_string(const RationalProgram& program);  // with its checksum

// The shortest text that reads back as the same number: 0.1, 32, 1e+30.
std::string shortest(double value);

// A C++20 header that includes nothing but the standard library's, with
//   bool NAMESPACE::choose(const std::int64_t* sizes, int device, const double* inputs,
//                          const std::int64_t* launch, std::int64_t smem, Choice& choice)
// whose answers are those of a Chooser (formula/rational/chooser.h) wherever no expression fails;
// it checks none. Names must not be words of C++.
std::string to_cpp(const RationalProgram& program, std::string_view name_space);

}  // namespace burin::formula
