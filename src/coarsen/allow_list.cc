#include "coarsen/allow_list.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/format.h"

namespace burin::coarsen {
namespace {

using T = Treatment;

constexpr std::array<ModifierGroup, 13> kGroups = {{
    {"type",
     "pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 tf32 f32 f32x2 "
     "f64 u16x2 s16x2 e4m3 e5m2 e4m3x2 e5m2x2"},
    {"rounding", "rn rz rm rp rna rni rzi rmi rpi"},
    {"math", "ftz sat approx full lo hi wide relu NaN xorsign abs satfinite noftz cc"},
    {"comparison", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor"},
    {"class", "finite infinite number notanumber normal subnormal"},
    {"shift", "l r wrap clamp shiftamt"},
    {"permutation", "f4e b4e rc8 ecl ecr rc16"},
    {"space", "global shared shared::cta local const param param::entry param::func to"},
    {"cache",
     "ca cg cs lu nc wb wt weak unified L1::evict_normal L1::evict_unchanged L1::evict_first "
     "L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last "
     "L2::cache_hint L2::64B L2::128B L2::256B L1 L2"},
    {"vector", "v2 v4 v8"},
    {"atomic", "add inc dec min max and or xor exch cas noftz relaxed cta gpu sys"},
    {"texture", "1d 2d 3d a1d a2d cube acube 2dms a2dms base level grad r g b a"},
    {"video", "b0 b1 b2 b3 h0 h1 po shr7 shr15"},
}};

constexpr std::string_view kOrders = "it orders accesses of different threads";
constexpr std::string_view kSpans = "its operands span the threads of a warp";
constexpr std::string_view kAsync = "it is completed by another agent than the thread";
constexpr std::string_view kCluster = "it works on a cluster of blocks";
constexpr std::string_view kSchedule = "it depends on how threads are scheduled";

constexpr std::array kRules = std::to_array<OpcodeRule>({
    // Refused forms of opcodes that are allowed otherwise come first.
    {"ld.volatile st.volatile", T::kRefused, "", "a volatile access orders threads"},
    {"ld.acquire ld.relaxed ld.mmio st.release st.relaxed st.mmio", T::kRefused, "", kOrders},
    {"atom.acquire atom.release atom.acq_rel red.release red.acq_rel", T::kRefused, "", kOrders},
    {"ld.cv", T::kRefused, "", "it reads what other threads write meanwhile"},
    {"ld.shared::cluster st.shared::cluster atom.shared::cluster red.shared::cluster", T::kRefused,
     "", kCluster},
    {"st.async red.async st.bulk", T::kRefused, "", kAsync},
    {"bar.warp.sync", T::kWarp, "warp sync", ""},
    {"bar.red barrier.red", T::kRefused, "", "it counts the threads of the block"},
    {"bar.arrive barrier.arrive", T::kRefused, "", "it counts the threads that arrive"},
    {"barrier.cluster", T::kRefused, "", kCluster},
    {"fence.proxy", T::kRefused, "", kAsync},
    {"fence.mbarrier_init", T::kRefused, "", kCluster},

    {"add sub mul mad mul24 mad24 sad div rem abs neg min max fma addc subc madc", T::kCompute,
     "type rounding math", ""},
    {"popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a cnot not and or xor shl shr shf lop3 "
     "prmt",
     T::kCompute, "type shift permutation hi lo atype btype wide", ""},
    {"rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign", T::kCompute, "type rounding math ftz", ""},
    {"testp", T::kCompute, "type class", ""},
    {"set setp", T::kCompute, "type comparison ftz", ""},
    {"selp slct", T::kCompute, "type ftz", ""},
    {"vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 "
     "vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4",
     T::kCompute, "type math shift video comparison add min max", ""},
    {"mov cvt cvta isspacep", T::kCompute,
     "type rounding math space vector pack ue8m0x2 scaled::n2::ue8m0", ""},
    {"createpolicy", T::kCompute,
     "fractional range cvt L2::evict_last L2::evict_normal "
     "L2::evict_first L2::evict_unchanged b64",
     ""},

    {"ld ldu", T::kLoad, "type space cache vector", ""},
    {"tex tld4", T::kLoad, "type texture vector", ""},
    {"txq suq istypep", T::kCompute,
     "type width height depth array_size num_mipmap_levels num_samples normalized_mode "
     "force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 "
     "channel_data_type channel_order level texref samplerref surfref",
     ""},
    {"suld", T::kLoad, "type texture vector b p trap clamp zero ca cg cs", ""},
    {"st", T::kStore, "type space cache vector", ""},
    {"sust", T::kStore, "type texture vector b p trap clamp zero wb cg cs wt", ""},
    {"prefetch prefetchu discard applypriority", T::kCompute, "space cache 128", ""},
    {"atom red", T::kAtomic, "type space cache vector atomic", ""},
    {"sured", T::kAtomic, "type texture b p trap clamp zero add min max and or", ""},
    {"membar fence", T::kFence, "cta gl sys gpu sc acq_rel", ""},
    {"bar barrier", T::kBarrier, "sync cta aligned", ""},
    {"shfl vote match redux activemask", T::kWarp,
     "type sync up down bfly idx all any uni ballot add min max and or xor abs NaN", ""},
    {"call", T::kCall, "uni", ""},
    {"bra ret exit", T::kControl, "uni", ""},
    {"trap", T::kFence, "", ""},

    {"brx", T::kRefused, "", "an indirect branch is not followed"},
    {"cp", T::kRefused, "", kAsync},
    {"mbarrier", T::kRefused, "", "it counts the threads that arrive"},
    {"mma wmma ldmatrix stmatrix movmatrix wgmma tcgen05 elect", T::kRefused, "", kSpans},
    {"mapa getctarank clusterlaunchcontrol", T::kRefused, "", kCluster},
    {"griddepcontrol", T::kRefused, "", "it orders kernels"},
    {"tensormap multimem", T::kRefused, "", kAsync},
    {"nanosleep", T::kRefused, "", "it waits for other threads"},
    {"setmaxnreg", T::kRefused, "", "it fixes the number of registers of a warp group"},
    {"alloca stacksave stackrestore", T::kRefused, "", "the stack is shared by the copies"},
    {"brkpt pmevent", T::kRefused, "", kSchedule},
});

// Words of a list that are separated by blanks.
template <typename Visit>
bool any_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0 && visit(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool has_word(std::string_view words, std::string_view word) {
  return any_word(words, [&](std::string_view w) { return w == word; });
}

// "ld.volatile" matches every ld with that modifier.
bool matches(std::string_view pattern, const read::ptx::Instruction& instruction) {
  const std::size_t dot = std::min(pattern.find('.'), pattern.size());
  if (pattern.substr(0, dot) != instruction.base()) return false;
  std::string_view rest = pattern.substr(dot);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('.'), rest.size());
    if (!instruction.has_modifier(rest.substr(0, end))) return false;
    rest.remove_prefix(end);
  }
  return true;
}

bool allows(const OpcodeRule& rule, std::string_view modifier) {
  return any_word(rule.modifiers, [&](std::string_view word) {
    if (word == modifier) return true;
    const auto group = std::ranges::find(kGroups, word, &ModifierGroup::name);
    return group != kGroups.end() && has_word(group->modifiers, modifier);
  });
}

Error refuse(const read::ptx::Instruction& instruction, std::string_view reason) {
  return Error{
      fmt::format("line {}: {}: {}", instruction.position.line, instruction.opcode, reason)};
}

}  // namespace

std::string_view describe(Treatment treatment) {
  constexpr std::array<std::string_view, 10> kWords = {
      "once, or for each copy if its operands differ",
      "once, or for each copy if its address differs",
      "once, or for each copy if its operands differ",
      "for each copy",
      "once",
      "once, in flow that all threads of the block share",
      "like arithmetic, if every copy of a warp is a whole warp",
      "for each copy, if the called function allows it",
      "merged, or followed by each copy",
      "refused"};
  return kWords[static_cast<std::size_t>(treatment)];
}

std::span<const OpcodeRule> opcode_rules() {
  return kRules;
}
std::span<const ModifierGroup> modifier_groups() {
  return kGroups;
}

Result<Treatment> treatment_of(const read::ptx::Instruction& instruction) {
  for (const OpcodeRule& rule : kRules) {
    if (!any_word(rule.opcodes, [&](std::string_view w) { return matches(w, instruction); })) {
      continue;
    }
    if (rule.treatment == Treatment::kRefused) return refuse(instruction, rule.reason);
    std::string_view rest = instruction.opcode.substr(instruction.base().size());
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::size_t end = std::min(rest.find('.'), rest.size());
      if (!allows(rule, rest.substr(0, end))) {
        return refuse(instruction,
                      fmt::format("the modifier .{} is not in the table of what may be coarsened",
                                  rest.substr(0, end)));
      }
      rest.remove_prefix(end);
    }
    // `bar.sync 0, 128` waits for 128 threads, of which there would be fewer.
    if (rule.treatment == Treatment::kBarrier && instruction.operands.size() > 1) {
      return refuse(instruction, "a barrier that names the number of its threads");
    }
    return rule.treatment;
  }
  return refuse(instruction, "the opcode is not in the table of what may be coarsened");
}

}  // namespace burin::coarsen
