#include "machine/timing_class.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace burin::machine {
namespace {

using enum TimingClass;

struct ClassRow {
  std::string_view name;
  Resource resource;
};

// In the order of TimingClass. Classes without a unit only cost issue slots.
constexpr std::array<ClassRow, kTimingClasses> kClasses = {{
    {"fma", Resource::kFma},
    {"fma_heavy", Resource::kFma},
    {"fma_wide", Resource::kFma},
    {"fma_high", Resource::kFma},
    {"half", Resource::kFma},
    {"half_mma", Resource::kTensor},
    {"alu", Resource::kAlu},
    {"alu_carry", Resource::kAlu},
    {"fp64", Resource::kFp64},
    {"mufu", Resource::kXu},
    {"convert", Resource::kXu},
    {"convert64", Resource::kXu},
    {"bits", Resource::kXu},
    {"uniform", Resource::kUniform},
    {"move", Resource::kUniform},
    {"special", Resource::kXu},
    {"clock", Resource::kAlu},
    {"branch", Resource::kIssue},
    {"vote", Resource::kAlu},
    {"redux", Resource::kXu},
    {"shuffle", Resource::kLsu},
    {"constant_load", Resource::kConstant},
    {"hmma16", Resource::kTensor},
    {"hmma32", Resource::kTensor},
    {"hmma32_short", Resource::kTensor},
    {"tf32", Resource::kTensor},
    {"imma", Resource::kTensor},
    {"imma_short", Resource::kTensor},
    {"dmma", Resource::kTensor},
    {"wgmma", Resource::kTensor},
    {"matrix_load", Resource::kShared},
    {"memory", Resource::kLsu},
    {"bulk", Resource::kLsu},
    {"barrier", Resource::kBarrier},
    {"other", Resource::kIssue},
}};

constexpr std::string_view kResourceNames[kResources] = {
    "issue",  "fma", "alu", "fp64", "xu",       "tensor", "uniform", "lsu",
    "shared", "l1",  "l2",  "dram", "constant", "fetch",  "barrier", "dispatch",
};

// The class of a mnemonic, where its modifiers do not matter.
struct Plain {
  TimingClass in_class;
  std::string_view mnemonics;  // a blank on each side of each
};
constexpr Plain kPlain[] = {
    {kFma, " FFMA FADD FMUL "},
    {kFmaHeavy, " IDP VIADD "},
    {kHalf, " HMUL2 "},
    {kAlu,
     " FSEL FMNMX FSET FSETP FSWZADD HSET2 HSETP2 HMNMX2 F2FP I2FP F2IP LEA LOP3 IMNMX "
     "SEL BMSK SGXT SHF PRMT IABS VABSDIFF4 VABSDIFF I2I I2IP VIMNMX VIMNMX3 VIADDMNMX MOV "
     "PLOP3 P2R R2P "},
    {kFp64, " DADD DMUL DFMA DSETP "},
    {kMufu, " MUFU FCHK "},
    {kBits, " POPC FLO BREV "},
    {kUniform,
     " UIADD3 UIMAD UISETP ULEA ULOP3 UPRMT USEL USHF USGXT UBMSK UBREV UFLO UPOPC UMOV UP2UR "
     "UR2UP "
     "UPLOP3 ULDC "},
    {kMove, " R2UR S2UR B2R BMOV RPCMOV LEPC QSPC "},
    {kSpecial, " S2R "},
    {kClock, " CS2R "},
    {kBranch,
     " BRA BRX BRXU CALL RET EXIT KILL BSSY BSYNC BREAK YIELD NANOSLEEP BPT ENDCOLLECTIVE "},
    {kVote, " VOTE VOTEU ELECT "},
    {kRedux, " REDUX MATCH "},
    {kShuffle, " SHFL "},
    {kConstantLoad, " LDC "},
    {kDmma, " DMMA "},
    {kImma, " BMMA "},
    {kWgmma, " HGMMA QGMMA IGMMA BGMMA "},
    {kMatrixLoad, " LDSM STSM MOVM "},
    {kMemory,
     " LD LDG LDL LDS ST STG STL STS ATOM ATOMG ATOMS RED REDG LDGMC LDGSTS STAS REDAS CCTL CCTLL "
     "TEX TLD TLD4 TXD TXQ SULD SUST SURED "},
    {kBulk, " UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH UBLKCP UBLKRED UBLKPF "},
    {kBarrier,
     " BAR DEPBAR LDGDEPBAR WARPSYNC WARPGROUP SYNCS ARRIVES MEMBAR ERRBAR CGAERRBAR FENCE "
     "UCGABAR_ARV UCGABAR_WAIT USETMAXREG PREEXIT ACQBULK "},
    {kOther, " NOP PMTRIG USETSHMSZ "},
};

// The class of a mnemonic whose modifiers decide: the first row whose modifier has one of the
// texts. A row without a modifier takes the rest.
struct Modified {
  std::string_view mnemonic;
  std::string_view modifier;
  std::string_view texts;  // a blank on each side of each
  TimingClass in_class;
};
constexpr Modified kModified[] = {
    {"IADD3", "x", " X ", kAluCarry},
    {"IADD3", "", "", kAlu},
    {"ISETP", "ex", " EX ", kAluCarry},
    {"ISETP", "", "", kAlu},
    {"IMAD", "wide", " WIDE ", kFmaWide},
    {"IMAD", "hi", " HI ", kFmaHigh},
    {"IMAD", "", "", kFmaHeavy},
    {"HFMA2", "mma", " MMA ", kHalfMma},
    {"HFMA2", "", "", kHalf},
    {"HADD2", "format", " F32 ", kFmaHeavy},  // no sum: FP16 becomes FP32
    {"HADD2", "", "", kHalf},
    {"F2F", "to", " F64 ", kConvert64},
    {"F2F", "from", " F64 ", kConvert64},
    {"F2F", "", "", kConvert},
    {"F2I", "to", " U64 S64 ", kConvert64},
    {"F2I", "from", " F64 ", kConvert64},
    {"F2I", "", "", kConvert},
    {"I2F", "to", " F64 ", kConvert64},
    {"I2F", "from", " U64 S64 ", kConvert64},
    {"I2F", "", "", kConvert},
    {"FRND", "from", " F64 ", kConvert64},
    {"FRND", "", "", kConvert},
    {"HMMA", "from", " TF32 ", kTf32},
    {"HMMA", "shape", " 884 1684 1688 ", kHmma32Short},
    {"HMMA", "to", " F16 ", kHmma16},
    {"HMMA", "", "", kHmma32},
    // FP8 at twice the rate of FP16: 16×8×32 takes what 16×8×16 takes there.
    {"QMMA", "to", " F16 ", kHmma16},
    {"QMMA", "", "", kHmma32},
    {"IMMA", "shape", " 8816 8832 16816 ", kImmaShort},
    {"IMMA", "", "", kImma},
};

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    if (words[at - 1] == ' ' && words[at + word.size()] == ' ') return true;
  }
  return false;
}

}  // namespace

std::string_view name(TimingClass c) {
  return kClasses[static_cast<std::size_t>(c)].name;
}

std::string_view name(Resource resource) {
  return kResourceNames[static_cast<std::size_t>(resource)];
}

Resource resource_of(TimingClass c) {
  return kClasses[static_cast<std::size_t>(c)].resource;
}

TimingClass timing_class(const read::Instruction& instruction) {
  if (!instruction.known()) return kOther;
  const std::string_view mnemonic = instruction.opcode->mnemonic;
  for (const Modified& row : kModified) {
    if (row.mnemonic != mnemonic) continue;
    if (row.modifier.empty()) return row.in_class;
    const std::string_view text = instruction.modifier(row.modifier);
    if (!text.empty() && has_word(row.texts, text)) return row.in_class;
  }
  const auto* const found = std::ranges::find_if(
      kPlain, [&](const Plain& row) { return has_word(row.mnemonics, mnemonic); });
  return found == std::end(kPlain) ? kOther : found->in_class;
}

}  // namespace burin::machine
