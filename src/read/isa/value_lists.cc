#include "read/isa/value_lists.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/format.h"

namespace burin::read::isa {
namespace {

constexpr std::pair<std::string_view, std::string_view> kLists[] = {
    {"round", "-/RM/RP/RZ"},
    {"integer_round", "-/FLOOR/CEIL/TRUNC"},
    {"float_compare", "F/LT/EQ/LE/GT/NE/GE/NUM/NAN/LTU/EQU/LEU/GTU/NEU/GEU/T"},
    {"integer_compare", "F/LT/EQ/LE/GT/NE/GE/T"},
    {"logic", "AND/OR/XOR"},
    {"width", "U8/S8/U16/S16/-/64/128"},
    {"load_width_75", "U8/S8/U16/S16/-/64/128/U.128"},
    {"cache", "EF/-/EL/LU/EU/NA"},
    {"load_order",
     "-/CONSTANT.PRIVATE/CONSTANT.CTA/CONSTANT.CTA.PRIVATE/CONSTANT/STRONG.SM/STRONG.GPU.PRIVATE/"
     "STRONG.GPU/MMIO.GPU/CONSTANT.SM/STRONG.SYS/CONSTANT.SM.PRIVATE/MMIO.SYS/CONSTANT.VC/"
     "CONSTANT.VC.PRIVATE/CONSTANT.GPU"},
    {"order",
     "-/CONSTANT.PRIVATE/CONSTANT.CTA/CONSTANT.CTA.PRIVATE/STRONG.SM.PRIVATE/STRONG.SM/"
     "STRONG.GPU.PRIVATE/STRONG.GPU/MMIO.GPU/CONSTANT.SM/STRONG.SYS/CONSTANT.SM.PRIVATE/MMIO.SYS/"
     "CONSTANT.VC/CONSTANT.VC.PRIVATE/CONSTANT.GPU"},
    {"float_pair", "F32x2.HI_LO/F32x2.LO_HI/F32/INVALID3/F32x2.HI_LO.NP/F32x2.LO_HI.NP/F32.NP"},
    {"ltc", "-/LTC64B/LTC128B/LTC256B"},
    {"float_type", "F8/F16/F32/F64/BF16"},
    {"float_source", "F8/F16/-/F64/BF16"},
    {"atomic_type", "-/S32/64/F32.FTZ.RN/F16x2.RN/S64/F64.RN/INVALID7"},
    {"cas_type", "-/S32/64/S64/128"},
    {"red_type",
     "-/S32/64/F32.FTZ.RN/F16x2.RN/S64/F64.RN/INVALID7/128/INVALID9/INVALID10/"
     "INVALID11/BF16x2.RN"},
    {"float_atomic",
     "F16x2.RN/F16x4.RN/F16x8.RN/BF16x2.RN/BF16x4.RN/BF16x8.RN/INVALID6/INVALID7/"
     "INVALID8/F32.FTZ.RN/F32x2.FTZ.RN/F32x4.FTZ.RN/F32.RN/F32x2.RN/F32x4.RN/F64.RN"},
    {"multimem",
     "F16x2.RN/F16x4.RN/F16x8.RN/BF16x2.RN/BF16x4.RN/BF16x8.RN/INVALID6/INVALID7/"
     "INVALID8/INVALID9/INVALID10/INVALID11/F32.RN/F32x2.RN/F32x4.RN/F64.RN/INVALID16/"
     "E5M2x4.RN/E5M2x8.RN/E5M2x16.RN/E4M3x4.RN/E4M3x8.RN/E4M3x16.RN"},
    {"store_order",
     "-/CONSTANT.PRIVATE/CONSTANT.CTA/CONSTANT.CTA.PRIVATE/STRONG.SM.PRIVATE/STRONG.SM/"
     "STRONG.GPU.PRIVATE/STRONG.GPU/MMIO.GPU/CONSTANT.SM/STRONG.SYS/CONSTANT.SM.PRIVATE/MMIO.SYS/"
     "CONSTANT.VC/STRONG.SYS.ORDERED/CONSTANT.GPU"},
    {"tmem_copy",
     "-/INVALID1/4dp256bit/128dp128bit/2x64dp128bit_lw02_lw13/2x64dp128bit_lw01_lw23/"
     "4x32dp128bit"},
    {"tmem_times", "-/x2/x4/x8/x16/x32/x64/x128"},
    {"keep", "-/A_KEEP/A_REUSE/A_REUSE.A_KEEP"},
    {"weights",
     "-/BUFFER1/BUFFER2/BUFFER3/B_KEEP/B_KEEP.BUFFER1/B_KEEP.BUFFER2/B_KEEP.BUFFER3/B_REUSE/"
     "B_REUSE.BUFFER1/B_REUSE.BUFFER2/B_REUSE.BUFFER3/B_REUSE.B_KEEP/B_REUSE.B_KEEP.BUFFER1/"
     "B_REUSE.B_KEEP.BUFFER2/B_REUSE.B_KEEP.BUFFER3"},
    {"packed_to",
     "F16/BF16/INVALID2/E2M1/INVALID4/TF32/E2M3/E3M2/E5M2/E4M3/INVALID10/INVALID11/E8"},
    {"packed_from", "F32/F16/E5M2/E4M3/INVALID4/E2M1/E2M3/E3M2/INVALID8/BF16/INVALID10/E8"},
    {"narrow", "E4M3/E5M2/INVALID2/E3M2/E2M3/E2M1"},
    {"copy_order",
     "-/CONSTANT.PRIVATE/CONSTANT.CTA/CONSTANT.CTA.PRIVATE/CONSTANT/SM/GPU.PRIVATE/GPU/MMIO.SM/"
     "CONSTANT.SM/MMIO.VC/CONSTANT.SM.PRIVATE/MMIO.GPU/CONSTANT.VC/CONSTANT.VC.PRIVATE/"
     "CONSTANT.GPU"},
    {"gmma_descriptor",
     "-/negA/negB/negA.negB/tnspA/negA.tnspA/negB.tnspA/negA.negB.tnspA/tnspB/negA.tnspB/"
     "negB.tnspB/"
     "negA.negB.tnspB/tnspA.tnspB/negA.tnspA.tnspB/negB.tnspA.tnspB/negA.negB.tnspA.tnspB"},
    {"texture", "1D/2D/3D/CUBE/ARRAY_1D/ARRAY_2D/ARRAY_3D/ARRAY_CUBE"},
    {"texture_query", "TEX_HEADER_DIMENSION/TEX_HEADER_TEXTURE_TYPE/TEX_HEADER_SAMPLER_POS"},
    {"surface", "1D/1D_BUFFER/1D_ARRAY/2D/2D_ARRAY/3D"},
    {"surface_type", "-/S32/U64/S64/-/-/SD32"},
    {"channels", "-/R/G/RG/B/RB/GB/RGB/A/RA/GA/RGA/BA/RBA/GBA/-"},
    {"atomic", "ADD/MIN/MAX/INC/DEC/AND/OR/XOR/EXCH/SAFEADD"},
};

// The shapes of the warpgroup products: 64 x 8n x k, n in five bits, k in the bits above.
std::string gmma_shapes(std::initializer_list<unsigned> depths) {
  std::string texts;
  for (const unsigned depth : depths)
    for (unsigned n = 1; n <= 32; ++n)
      texts += fmt::format("{}64x{}x{}", texts.empty() ? "" : "/", 8 * n, depth);
  return texts;
}

// The integer products skip some widths; each has three depths.
std::string integer_gmma_shapes() {
  std::string texts;
  for (unsigned i = 0; i < 54; ++i) {
    const unsigned n = i / 3;
    const unsigned width = n < 4 ? 8 * (n + 1) : 16 * (n - 1);
    texts += fmt::format("{}64x{}x{}", texts.empty() ? "" : "/", width, 32u << (i % 3));
  }
  return texts;
}

}  // namespace

std::optional<std::string_view> list_named(std::string_view name) {
  for (const auto& [known, texts] : kLists)
    if (known == name) return texts;
  static const std::map<std::string_view, std::string> kGenerated = {
      {"hgmma", gmma_shapes({16, 8, 32})},
      {"qgmma", gmma_shapes({32, 64})},
      {"igmma", integer_gmma_shapes()},
  };
  const auto made = kGenerated.find(name);
  if (made == kGenerated.end()) return std::nullopt;
  return made->second;
}

std::string_view invalid_text(std::uint64_t value) {
  static const auto kTexts = [] {
    std::array<std::string, 64> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = fmt::format("INVALID{}", i);
    return texts;
  }();
  return kTexts[std::min<std::uint64_t>(value, 63)];
}

}  // namespace burin::read::isa
