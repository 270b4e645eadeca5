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
  unsigned scaling;  // more of the quick one, where denormals are not flushed to zero
  unsigned special;
};
// Sine and cosine of one value share its reduction, so that and their polynomials count apart.
constexpr Sign kSigns[] = {
    {Operand::Kind::kFloat, 0x3f22f983, "sinf", "__sinf", 12, 1, 0, 0},  // 2/π
    {Operand::Kind::kFloat, 0xbeffffff, "sinf", "__sinf", 17, 1, 0, 1},  // -½, of the cosine
    {Operand::Kind::kFloat, 0x32a57060, "expf", "__expf", 8, 2, 3, 1},   // log2(e), its low part
    {Operand::Kind::kImmediate, 0xc0d55555, "logf", "__logf", 22, 2, 3, 1},  // -2/3 as an integer
    {Operand::Kind::kImmediate, 0xc0cafb0d, "powf", "__powf", 60, 3, 6, 2},  // -√½ as an integer
};

// Slow paths that are called where the quick check in front of them fails.
struct Call {
  std::string_view part;  // of the function's name
  std::string_view name;
  std::string_view fast;
  unsigned precise;
  unsigned quick;
  unsigned scaling;
  unsigned special;
};
constexpr Call kCalls[] = {
    {"_sqrt_rn_f32", "sqrtf", "__fsqrt_rn with -prec-sqrt=false", 12, 2, 0, 1},
    {"_rcp_rn_f32", "/", "__fdividef", 10, 1, 4, 1},
};

constexpr unsigned kDivision = 10, kQuickDivision = 2, kScaledDivision = 5;

// Whether the kernel was compiled to take denormals for zero: the library's own code does so now
// and then, whatever was asked for.
bool flushes(const Case& c) {
  std::ptrdiff_t flushing = 0;
  for (const Instruction& i : c.kernel.instructions) {
    const bool common = i.mnemonic() == "FMUL" || i.mnemonic() == "FADD" || i.mnemonic() == "FFMA";
    if (common) flushing += i.modifier("ftz") == "FTZ" ? 1 : -1;
  }
  return flushing > 0;
}

std::optional<MathCall> by_constant(const Instruction& i, std::uint32_t at, bool flushed) {
  for (const Operand& o : i.operands()) {
    for (const Sign& sign : kSigns) {
      if (o.kind != sign.kind || static_cast<std::uint32_t>(o.value) != sign.bits) continue;
      const unsigned quick = sign.quick + (flushed ? 0 : sign.scaling);
      return MathCall{sign.name, sign.fast, at, sign.precise, quick, sign.special};
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<MathCall> math_calls(const Case& c) {
  std::vector<MathCall> calls;
  const bool flushed = flushes(c);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.executed(i)) continue;
    const Instruction& at = c.at(i);
    if (at.mnemonic() == "FCHK") {
      const unsigned quick = flushed ? kQuickDivision : kScaledDivision;
      calls.push_back({"/", "__fdividef", i, kDivision, quick, 1});
    } else if (const std::optional<MathCall> call = by_constant(at, i, flushed)) {
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
      const unsigned quick = row.quick + (flushed ? 0 : row.scaling);
      calls.push_back({row.name, row.fast, block.last, row.precise, quick, row.special});
    }
  }
  return calls;
}

}  // namespace burin
