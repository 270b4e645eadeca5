#include "advise/patterns/code/math_call.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// A constant that only one function's code contains, in its range reduction or polynomial.
struct CallSignature {
  read::Operand::Kind kind;
  std::uint32_t bits;
  std::string_view name;
  std::string_view fast;
  unsigned precise;
  unsigned most;
  unsigned quick;
  unsigned scaling;  // additional instructions, if denormals are not flushed to zero
  unsigned special;
};
// Sine and cosine of one value share the range reduction, so it counts separately from the
// polynomials.
constexpr CallSignature kSignatures[] = {
    {read::Operand::Kind::kFloat, 0x3f22f983, "sinf", "__sinf", 12, 12, 1, 0, 0},  // 2/π
    {read::Operand::Kind::kFloat, 0xbeffffff, "sinf", "__sinf", 17, 17, 1, 0,
     1},  // -½, of the cosine
    {read::Operand::Kind::kFloat, 0x32a57060, "expf", "__expf", 8, 10, 2, 3,
     1},  // log2(e), low part
    {read::Operand::Kind::kFloat, 0x40549a78, "exp10f", "__exp10f", 8, 10, 2, 3, 1},  // log2(10)
    {read::Operand::Kind::kImmediate, 0xc0d55555, "logf", "__logf", 22, 27, 2, 3,
     1},  // -2/3, an integer
    {read::Operand::Kind::kFloat, 0x3ef6384a, "log2f", "__log2f", 24, 29, 1, 3,
     1},  // its polynomial,
    {read::Operand::Kind::kFloat, 0x3c1d9856, "powf", "__powf", 53, 87, 3, 6,
     2},  // … of 2 to a power
    {read::Operand::Kind::kFloat, 0x41102cb4, "tanhf", "__tanhf", 15, 17, 1, 0,
     1},  // where it is 1
};

// Slow paths that are called if the quick check before them fails.
struct Call {
  std::string_view part;  // of the function's name
  std::string_view name;
  std::string_view fast;
  unsigned precise;
  unsigned most;
  unsigned quick;
  unsigned scaling;
  unsigned special;
};
constexpr Call kCalls[] = {
    {"_sqrt_rn_f32", "sqrtf", "-prec-sqrt=false", 10, 12, 2, 0, 1},
    {"_rcp_rn_f32", "/", "__fdividef", 10, 10, 1, 4, 1},
};

constexpr unsigned kDivision = 10, kQuickDivision = 2, kDivisionScaling = 3;

// Whether the kernel was compiled to flush denormals to zero. Library code sometimes does so
// regardless of the compiler's options.
bool flushes(const Case& c) {
  std::ptrdiff_t flushing = 0;
  for (const read::Instruction& i : c.kernel.instructions) {
    const bool single = i.known() && i.opcode->operand_type == read::ValueType::kF32;
    if (single && read::float_operations(i) > 0) flushing += i.modifier("ftz") == "FTZ" ? 1 : -1;
  }
  return flushing > 0;
}

// Whether the slow path belongs to a square root: the test before the call then uses its result.
bool follows_root(const Case& c, const read::BasicBlock& calling) {
  constexpr int kFar = 7;  // instructions: the test, the root's last steps, MUFU.RSQ
  if (calling.immediate_dominator == read::kNoIndex) return false;
  std::set<std::uint32_t> seen{c.kernel.blocks[calling.immediate_dominator].last};
  for (int far = 0; far < kFar; ++far) {
    std::set<std::uint32_t> more;
    for (const std::uint32_t i : seen) {
      if (read::has(c.at(i), read::Trait::kSpecialFunction) &&
          c.at(i).modifier("function") == "RSQ") {
        return true;
      }
      for (const read::Dependence& d : c.kernel.dependences_of(i)) {
        if (d.kind == read::Dependence::Kind::kRegister) more.insert(d.producer);
      }
    }
    seen = std::move(more);
  }
  return false;
}

std::optional<MathCall> by_constant(const read::Instruction& i, std::uint32_t at, bool flushed) {
  for (const read::Operand& o : i.operands()) {
    for (const CallSignature& sign : kSignatures) {
      if (o.kind != sign.kind || static_cast<std::uint32_t>(o.value) != sign.bits) continue;
      return MathCall{sign.name,
                      sign.fast,
                      at,
                      sign.precise,
                      sign.most,
                      sign.quick,
                      flushed ? 0 : sign.scaling,
                      sign.special};
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
    const read::Instruction& at = c.at(i);
    if (read::has(at, read::Trait::kDivisionCheck)) {
      calls.push_back({"/", "__fdividef", i, kDivision, kDivision, kQuickDivision,
                       flushed ? 0 : kDivisionScaling, 1});
    } else if (const std::optional<MathCall> call = by_constant(at, i, flushed)) {
      calls.push_back(*call);
    }
  }
  // The call of a slow path follows the code of the fast path. The reciprocal of a square root is a
  // single call.
  for (const read::BasicBlock& block : c.kernel.blocks) {
    if (block.callee == read::kNoIndex) continue;
    const std::string name =
        c.places.function_name(c.places.function_of(c.kernel.blocks[block.callee].first));
    for (const Call& row : kCalls) {
      if (name.find(row.part) == std::string_view::npos) continue;
      if (row.name == "/" && follows_root(c, block)) {
        const auto root = std::find_if(calls.rbegin(), calls.rend(),
                                       [](const MathCall& m) { return m.name == "sqrtf"; });
        if (root != calls.rend()) calls.erase(std::prev(root.base()));
        calls.push_back({"1 / sqrtf", "rsqrtf", block.last, 20, 22, 1, flushed ? 0u : 3u, 1});
        continue;
      }
      calls.push_back({row.name, row.fast, block.last, row.precise, row.most, row.quick,
                       flushed ? 0 : row.scaling, row.special});
    }
  }
  return calls;
}

}  // namespace burin::advise
