#include "advise/math_call.h"

#include <algorithm>
#include <optional>

namespace burin {

namespace {

// A constant that stands in the code of one function alone: of its reduction or its polynomial.
struct Sign {
  Operand::Kind kind;
  std::uint32_t bits;
  std::string_view name;
  std::string_view fast;
  unsigned precise;
  unsigned quick;
  unsigned special;
};
// Sine and cosine of one value share its reduction, so that and their polynomials count apart.
constexpr Sign kSigns[] = {
    {Operand::Kind::kFloat, 0x3f22f983, "sinf", "__sinf", 12, 1, 0},      // 2/π
    {Operand::Kind::kFloat, 0xbeffffff, "sinf", "__sinf", 17, 1, 1},      // -½, of the cosine
    {Operand::Kind::kFloat, 0x32a57060, "expf", "__expf", 8, 2, 1},       // log2(e), its low part
    {Operand::Kind::kImmediate, 0xc0d55555, "logf", "__logf", 22, 2, 1},  // -2/3 as an integer
    {Operand::Kind::kImmediate, 0xc0cafb0d, "powf", "__powf", 60, 4, 2},  // -√½ as an integer
};

// Slow paths that are called where the quick check in front of them fails.
struct Call {
  std::string_view part;  // of the function's name
  std::string_view name;
  std::string_view fast;
  unsigned precise;
  unsigned quick;
  unsigned special;
};
constexpr Call kCalls[] = {
    {"_sqrt_rn_f32", "sqrtf", "__fsqrt_rn with -prec-sqrt=false", 12, 2, 1},
    {"_rcp_rn_f32", "/", "__fdividef", 10, 1, 1},
};

std::optional<MathCall> by_constant(const Instruction& i, std::uint32_t at) {
  for (const Operand& o : i.operands()) {
    for (const Sign& sign : kSigns) {
      if (o.kind != sign.kind || static_cast<std::uint32_t>(o.value) != sign.bits) continue;
      return MathCall{sign.name, sign.fast, at, sign.precise, sign.quick, sign.special};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<MathCall> math_calls(const Case& c) {
  std::vector<MathCall> calls;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.executed(i)) continue;
    const Instruction& at = c.at(i);
    if (at.mnemonic() == "FCHK") {
      calls.push_back({"/", "__fdividef", i, 10, 2, 1});
    } else if (const std::optional<MathCall> call = by_constant(at, i)) {
      calls.push_back(*call);
    }
  }
  // The call of a slow path is behind the code of the usual one.
  for (const BasicBlock& block : c.kernel.blocks) {
    if (block.callee == kNoIndex) continue;
    const std::string name =
        c.places.function_name(c.places.function_of(c.kernel.blocks[block.callee].first));
    for (const Call& row : kCalls) {
      if (name.find(row.part) == std::string_view::npos) continue;
      calls.push_back({row.name, row.fast, block.last, row.precise, row.quick, row.special});
    }
  }
  return calls;
}

}  // namespace burin
