// Gap and latency of each class of instructions: chains in which each needs the one before, and
// eight chains side by side in 1 to 8 warps of each scheduler.
#include <algorithm>
#include <cmath>
#include <span>

#include "base/format.h"
#include "gpu/micro/prelude.h"

namespace burin::gpu {
namespace {

// The registers of an instruction of PTX: `results` that it reads and writes, then `sources`.
struct Shape {
  const char* type = "u32";
  char constraint = 'r';
  unsigned results = 1;
  unsigned sources = 1;
  const char* source_type = "";  // as the results', where it is not said
  char source_constraint = 0;
  unsigned per_text = 1;            // instructions of the wanted kind
  std::vector<std::string> also{};  // that the text needs too
  const char* declare = "";         // before the kernel
  const char* setup = "";           // at its beginning; may set a[k][0]
  bool sm_wide = false;  // one unit for the SM's schedulers: its gap is a quarter of theirs
};

struct Row {
  const char* name;    // of the microbenchmark
  const char* entry;   // the class; "": only told
  const char* wanted;  // the instruction
  const char* text;
  Shape shape{};
};

std::vector<Row> rows() {
  return {
      {"imad", "fma_heavy", "IMAD R", "mad.lo.u32 %0, %0, %1, %1;", {}},
      {"ffma", "fma", "FFMA", "fma.rn.f32 %0, %0, %1, %1;", {}},
      {"fadd", "", "FADD", "add.rn.f32 %0, %0, %1;", {}},
      {"fmul", "", "FMUL", "mul.rn.f32 %0, %0, %1;", {}},
      // The logic is there so that both halves are needed; it takes less of its unit.
      {"imad_wide",
       "",
       "IMAD.WIDE",
       "{ .reg .u64 wide; .reg .u32 low, high; mul.wide.u32 wide, %0, %1;"
       " mov.b64 {low, high}, wide; xor.b32 %0, low, high; }",
       {.also = {"LOP3"}}},
      // Both halves of a sum of 64 bits: the lower one takes what an IADD3 takes.
      {"iadd3_x",
       "",
       "IADD3.X",
       "add.u64 %0, %0, %1;",
       {.type = "u64", .constraint = 'l', .also = {"IADD3"}}},
      {"imad_high", "fma_high", "IMAD.HI", "mul.hi.u32 %0, %0, %1;", {}},
      // ptxas takes HFMA2 and HFMA2.MMA, which have a unit each, by turns.
      {"hfma2", "", "HFMA2", "fma.rn.f16x2 %0, %0, %1, %1;", {}},
      {"shf", "alu", "SHF", "shf.l.wrap.b32 %0, %0, %1, %1;", {}},
      {"lop3", "", "LOP3", "lop3.b32 %0, %0, %1, %2, 0xe2;", {.sources = 2}},
      {"prmt", "", "PRMT", "prmt.b32 %0, %0, %1, %1;", {}},
      {"fmnmx", "", "FMNMX", "min.f32 %0, %0, %1; neg.f32 %0, %0;", {.also = {"FADD"}}},
      {"dfma", "fp64", "DFMA", "fma.rn.f64 %0, %0, %1, %1;", {.type = "double", .constraint = 'd'}},
      {"dadd", "", "DADD", "add.rn.f64 %0, %0, %1;", {.type = "double", .constraint = 'd'}},
      {"ex2", "mufu", "MUFU", "ex2.approx.ftz.f32 %0, %0;", {}},
      {"lg2", "", "MUFU", "lg2.approx.ftz.f32 %0, %0;", {}},
      {"f2i", "convert", "F2I", "cvt.rni.s32.f32 %0, %0;", {}},
      {"frnd", "", "FRND", "cvt.rpi.f32.f32 %0, %0;", {}},
      {"i2f", "", "I2F", "cvt.rn.f32.s32 %0, %0;", {}},
      {"f2f64",
       "convert64",
       "F2F",
       "{ .reg .f32 low; cvt.rn.f32.f64 low, %0; cvt.f64.f32 %0, low; }",
       {.type = "double", .constraint = 'd', .per_text = 2}},
      {"popc", "bits", "POPC", "popc.b32 %0, %0;", {}},
      {"flo", "", "FLO", "bfind.u32 %0, %0;", {}},
      {"brev", "", "BREV", "brev.b32 %0, %0;", {}},
      {"shfl", "shuffle", "SHFL", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", {.sm_wide = true}},
      {"redux", "redux", "REDUX", "redux.sync.add.s32 %0, %0, -1;", {.also = {"MOV", "IMAD"}}},
      {"match", "", "MATCH", "match.any.sync.b32 %0, %0, -1;", {}},
      {"vote",
       "",
       "VOTE",
       "{ .reg .pred p; setp.gt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1; }",
       {.also = {"ISETP"}}},
      {"ldc",
       "constant_load",
       "LDC",
       "{ .reg .u64 at, base; cvt.u64.u32 at, %0; mov.u64 base, table; add.u64 at, at, base; "
       "ld.const.u32 %0, [at]; }",
       {.also = {"IMAD", "MOV", "HFMA2"},
        .declare = "__constant__ u32 table[64];",
        .setup = "a[k][0] = (b0 - threadIdx.x - 3) * threadIdx.x;"}},
      {"ldsm",
       "matrix_load",
       "LDSM",
       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];",
       {.declare = "__shared__ uint4 tile[64];",
        .setup = "{ const u32 base = (u32)__cvta_generic_to_shared(tile); tile[threadIdx.x % 64] = "
                 "make_uint4(base, base, base, base); a[k][0] = base; } __syncthreads();",
        .sm_wide = true}},
      {"hmma_f32",
       "hmma32",
       "HMMA.16816.F32",
       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
       "{%8, %9}, {%0, %1, %2, %3};",
       {.type = "float",
        .constraint = 'f',
        .results = 4,
        .sources = 6,
        .source_type = "u32",
        .source_constraint = 'r',
        .also = {"NOP"}}},
      {"hmma_f16",
       "hmma16",
       "HMMA.16816.F16",
       "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
       "{%0, %1};",
       {.results = 2, .sources = 6, .also = {"NOP"}}},
      {"hmma_short",
       "hmma32_short",
       "HMMA.1688.F32",
       "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
       "{%0, %1, %2, %3};",
       {.type = "float",
        .constraint = 'f',
        .results = 4,
        .sources = 3,
        .source_type = "u32",
        .source_constraint = 'r',
        .also = {"NOP"}}},
      {"hmma_bf16",
       "",
       "HMMA.16816.F32.BF16",
       "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
       "{%8, %9}, {%0, %1, %2, %3};",
       {.type = "float",
        .constraint = 'f',
        .results = 4,
        .sources = 6,
        .source_type = "u32",
        .source_constraint = 'r',
        .also = {"NOP"}}},
      {"hmma_tf32",
       "tf32",
       "HMMA.1688.F32.TF32",
       "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
       "{%8, %9}, {%0, %1, %2, %3};",
       {.type = "float",
        .constraint = 'f',
        .results = 4,
        .sources = 6,
        .source_type = "u32",
        .source_constraint = 'r',
        .also = {"NOP"}}},
      {"imma",
       "imma",
       "IMMA.16832",
       "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
       "{%8, %9}, {%0, %1, %2, %3};",
       {.results = 4, .sources = 6, .also = {"NOP"}}},
      {"imma_short",
       "imma_short",
       "IMMA.16816",
       "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
       "{%0, %1, %2, %3};",
       {.results = 4, .sources = 3, .also = {"NOP"}}},
      {"dmma",
       "dmma",
       "DMMA",
       "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};",
       {.type = "double", .constraint = 'd', .results = 2, .sources = 2, .also = {"NOP"}}},
      // Pairs: what they cost together against each alone tells whether they share a unit.
      {"ffma_imad",
       "",
       "FFMA",
       "fma.rn.f32 %0, %0, %2, %2; mad.lo.u32 %1, %1, %2, %2;",
       {.results = 2, .also = {"IMAD"}}},
      {"ffma_ffma_imad",
       "",
       "IMAD R",
       "fma.rn.f32 %0, %0, %3, %3; fma.rn.f32 %1, %1, %3, %3; mad.lo.u32 %2, %2, %3, %3;",
       {.results = 3, .also = {"FFMA"}}},
      {"ffma_hfma2",
       "",
       "FFMA",
       "fma.rn.f32 %0, %0, %2, %2; fma.rn.f16x2 %1, %1, %2, %2;",
       {.results = 2, .also = {"HFMA2"}}},
      {"ffma_shf",
       "",
       "FFMA",
       "fma.rn.f32 %0, %0, %2, %2; shf.l.wrap.b32 %1, %1, %2, %2;",
       {.results = 2, .also = {"SHF"}}},
      {"hfma2_imad",
       "",
       "IMAD R",
       "fma.rn.f16x2 %0, %0, %2, %2; mad.lo.u32 %1, %1, %2, %2;",
       {.results = 2, .also = {"HFMA2"}}},
      {"mufu_f2i",
       "",
       "MUFU",
       "ex2.approx.ftz.f32 %0, %0; cvt.rni.s32.f32 %1, %1;",
       {.results = 2, .also = {"F2I"}}},
      {"mufu_popc",
       "",
       "MUFU",
       "ex2.approx.ftz.f32 %0, %0; popc.b32 %1, %1;",
       {.results = 2, .also = {"POPC"}}},
      {"mufu_ffma",
       "",
       "MUFU",
       "ex2.approx.ftz.f32 %0, %0; fma.rn.f32 %1, %1, %2, %2;",
       {.results = 2, .also = {"FFMA"}}},
      {"shfl_mufu",
       "",
       "SHFL",
       "shfl.sync.bfly.b32 %0, %0, 1, 31, -1; ex2.approx.ftz.f32 %1, %1;",
       {.results = 2, .also = {"MUFU"}}},
  };
}

constexpr unsigned kChains = 8;
constexpr unsigned kFew = 128, kMany = 256;  // texts of a chain
constexpr unsigned kBody = 64;  // texts of the loop, so few that each warp's fetch keeps up
constexpr unsigned kFewClassRounds = 4, kManyClassRounds = 12;
constexpr double kSteady = 0.03;  // the most spread of a slope that is trusted
constexpr std::uint32_t kClassWarpCounts[] = {4, 8, 16, 32};

const char* source_type(const Row& row) {
  return *row.shape.source_type == 0 ? row.shape.type : row.shape.source_type;
}

char source_constraint(const Row& row) {
  return row.shape.source_constraint == 0 ? row.shape.constraint : row.shape.source_constraint;
}

std::string source_of(const Row& row) {
  std::string operands, parameters, inputs, varied, names;
  for (unsigned i = 0; i < row.shape.results; ++i) {
    operands += fmt::format("{}\"+{}\"(a[k][{}])", i == 0 ? "" : ", ", row.shape.constraint, i);
  }
  for (unsigned i = 0; i < row.shape.sources; ++i) {
    parameters += fmt::format(", {} b{}", source_type(row), i);
    inputs += fmt::format("{}\"{}\"(b{})", i == 0 ? "" : ", ", source_constraint(row), i);
    // By thread, or the compiler would load them again from the constants in each pass.
    varied += fmt::format("b{0} += ({1})threadIdx.x; ", i, source_type(row));
    names += fmt::format(", b{}", i);
  }
  const std::string text =
      fmt::format("asm volatile(\"{}\" : {} : {});", row.text, operands, inputs);
  return kPrelude + row.shape.declare +
         fmt::format(
             R"(
template <int k>
__device__ __forceinline__ void one({0} (&a)[{1}][{2}]{3}) {{ {4} }}
#define ONE(k) one<k>(a{5});
#define EIGHT ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7)
#define KERNEL(name, ...)                                              \
  extern "C" __global__ void name(u32* out, u32 rounds{3}) {{                       \
    {7}                                                                \
    {0} a[{1}][{2}];                                                   \
    for (int k = 0; k < {1}; ++k) {{                                    \
      for (int i = 0; i < {2}; ++i) a[k][i] = ({0})(threadIdx.x + k + i) + b0; \
      {6}                                                              \
    }}                                                                  \
    TIMED(out, __VA_ARGS__)                                            \
    {0} sum = 0;                                                       \
    for (int k = 0; k < {1}; ++k)                                      \
      for (int i = 0; i < {2}; ++i) sum += a[k][i];                    \
    KEEP(out, (u32)sum)                                                \
  }}
KERNEL(chain_few, R128(ONE(0)))
KERNEL(chain_many, R256(ONE(0)))
KERNEL(straight_few, R16(EIGHT))
KERNEL(straight_many, R32(EIGHT))
KERNEL(side_by_side, _Pragma("unroll 1") for (u32 i = 0; i < rounds; ++i) {{ R8(EIGHT) }})
)",
             row.shape.type, kChains, row.shape.results, parameters, text, names, row.shape.setup,
             varied);
}

std::vector<std::string> sources_of(const Row& row) {
  const std::string value = source_constraint(row) == 'd'   ? "f64:0.75"
                            : source_constraint(row) == 'l' ? "u64:3"
                                                            : "u32:3";
  return std::vector<std::string>(row.shape.sources, value);
}

// Cycles of a scheduler for one text: the best of straight code in one warp, which has no loop to
// pay for but may wait for operands, and of the loop in several, of those that came out the same in
// each pass.
Slope gap_of(const Readings& r) {
  Slope best = slope(r.at("straight few"), r.at("straight many"), kMany - kFew);
  for (const std::uint32_t warps : kClassWarpCounts) {
    const Slope one =
        slope(r.at(fmt::format("free few {}", warps)), r.at(fmt::format("free many {}", warps)),
              (kManyClassRounds - kFewClassRounds) * kBody * (warps / 4.0));
    if (one.spread <= kSteady && one.value < best.value) best = one;
  }
  return best;
}

Microbenchmark class_benchmark(const Row& row) {
  Microbenchmark micro;
  micro.name = row.name;
  micro.what = fmt::format("{}: dependent chains, one alone and eight in parallel", row.text);
  micro.source = source_of(row);
  std::vector<std::string> also = row.shape.also;
  also.insert(also.end(), {"NOP", "BSSY"});
  for (const char* const kernel : {"chain_few", "straight_few", "chain_many", "straight_many"}) {
    const unsigned texts = std::string_view(kernel).ends_with("few") ? kFew : kMany;
    micro.code.push_back({kernel, row.wanted, texts * row.shape.per_text, also});
  }
  also.insert(also.end(), kLoopCode.begin(), kLoopCode.end());
  micro.code.push_back({"side_by_side", row.wanted, kBody * row.shape.per_text, also});
  const auto arguments = [&](unsigned rounds) {
    std::vector<std::string> all = sources_of(row);
    all.insert(all.begin(), u32(rounds));
    return all;
  };
  micro.launches.push_back(clocked("chain few", "chain_few", 1, 32, arguments(0)));
  micro.launches.push_back(clocked("chain many", "chain_many", 1, 32, arguments(0)));
  micro.launches.push_back(clocked("straight few", "straight_few", 1, 128, arguments(0)));
  micro.launches.push_back(clocked("straight many", "straight_many", 1, 128, arguments(0)));
  for (const std::uint32_t warps : kClassWarpCounts) {
    micro.launches.push_back(clocked(fmt::format("free few {}", warps), "side_by_side", 1,
                                     warps * 32, arguments(kFewClassRounds)));
    micro.launches.push_back(clocked(fmt::format("free many {}", warps), "side_by_side", 1,
                                     warps * 32, arguments(kManyClassRounds)));
  }
  const std::string entry = row.entry;
  if (entry.empty()) {
    micro.notes_only = true;
    return micro;
  }
  micro.entries = {"class." + entry + ".gap", "class." + entry + ".latency"};
  if (entry == "fma") micro.entries.emplace_back("issue.fma_units");
  const double per_text = row.shape.per_text;
  const bool sm_wide = row.shape.sm_wide;
  micro.settle = [entry, per_text, sm_wide](const Readings& r, const machine::Machine& machine) {
    const Slope chain = slope(r.at("chain few"), r.at("chain many"), (kMany - kFew) * per_text);
    Slope gap = gap_of(r);
    gap.value /= per_text * (sm_wide ? machine.sm.schedulers : 1);
    std::vector<Settled> settled;
    if (entry == "fma") {
      // IMAD, which one of the units takes, settled before.
      const double units =
          std::max(1.0, std::round(machine.of(machine::TimingClass::kFmaHeavy).gap / gap.value));
      settled.push_back({"issue.fma_units", units, gap.spread});
      gap.value *= units;
    }
    settled.push_back({"class." + entry + ".gap", gap.value, gap.spread});
    settled.push_back({"class." + entry + ".latency", chain.value, chain.spread});
    return settled;
  };
  return micro;
}

}  // namespace

std::vector<Microbenchmark> class_benchmarks(const GpuShape&) {
  std::vector<Microbenchmark> all;
  for (const Row& row : rows()) all.push_back(class_benchmark(row));
  return all;
}

}  // namespace burin::gpu
