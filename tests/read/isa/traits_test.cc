// What instructions are: one of each kind, decoded from words that nvdisasm has named.
#include "read/isa/traits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "corpus_files.h"
#include "oracle/score.h"
#include "read/isa/decode.h"
#include "read/isa/form.h"

namespace burin::read {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const std::vector<oracle::OracleWord>& words() {
  static const std::vector<oracle::OracleWord> all = [] {
    std::vector<oracle::OracleWord> read;
    for (const char* arch : {"90", "90a", "75", "80", "100", "100a", "120a"}) {
      const auto part = oracle::load(corpus_file(std::string("oracle/sm_") + arch + ".txt"));
      EXPECT_TRUE(part.ok()) << part.error().message;
      if (part.ok()) read.insert(read.end(), part->begin(), part->end());
    }
    return read;
  }();
  return all;
}

// The text after a guard.
std::string_view unguarded(std::string_view text) {
  return text.starts_with('@') ? text.substr(text.find(' ') + 1) : text;
}

// The first of the words whose text begins so, with or without a guard.
Instruction word(std::string_view text) {
  for (const oracle::OracleWord& w : words()) {
    if (unguarded(w.text).starts_with(text)) return decode(w.low, w.high, w.arch, w.offset);
  }
  ADD_FAILURE() << "the oracles have no " << text;
  return {};
}

// Mnemonics of all rows for which it holds.
template <typename Holds>
std::set<std::string> rows_with(Holds holds) {
  std::set<std::string> found;
  for (const char* table : isa::tables()) {
    const auto forms = isa::compile_forms(table);
    EXPECT_TRUE(forms.ok());
    for (const isa::Form& form : *forms) {
      Instruction i;
      i.opcode = &form.opcode;
      if (holds(i)) found.emplace(form.opcode.mnemonic);
    }
  }
  return found;
}

TEST(Traits, UnknownWordIsNothing) {
  const Instruction unknown;
  EXPECT_FALSE(unknown.known());
  EXPECT_EQ(sync_of(unknown), Sync::kNone);
  EXPECT_FALSE(is_atomic(unknown) || is_plain_load(unknown) || is_plain_store(unknown) ||
               may_be_global(unknown) || is_computation(unknown) || is_barrier(unknown) ||
               is_synchronization(unknown) || copies_register(unknown) || adds_integers(unknown) ||
               compares_integers(unknown) || copies_from_shared(unknown) || is_extremum(unknown) ||
               is_extremum_of_sum(unknown));
  EXPECT_EQ(access_bytes(unknown), 0u);
  EXPECT_EQ(float_operations(unknown), 0u);
  EXPECT_EQ(address_of(unknown), nullptr);
}

TEST(Traits, Atomics) {
  const Instruction add = word("ATOMG.E.ADD.64");
  EXPECT_TRUE(is_atomic(add) && is_returning_atomic(add) && may_be_global(add));
  EXPECT_FALSE(is_reduction(add) || is_plain_load(add) || is_plain_store(add));
  const Instruction red = word("REDG.E.ADD.F32");
  EXPECT_TRUE(is_atomic(red) && is_reduction(red) && may_be_global(red));
  EXPECT_FALSE(is_returning_atomic(red) || is_plain_store(red));
  const Instruction shared = word("ATOMS.CAS");
  EXPECT_TRUE(is_returning_atomic(shared));
  EXPECT_FALSE(may_be_global(shared));
  const Instruction bulk = word("UBLKRED");
  EXPECT_TRUE(is_reduction(bulk));
  EXPECT_FALSE(is_atomic(bulk));  // no lane's
  EXPECT_THAT(rows_with(is_returning_atomic), UnorderedElementsAre("ATOM", "ATOMG", "ATOMS"));
  EXPECT_THAT(rows_with(is_reduction),
              UnorderedElementsAre("RED", "REDG", "REDAS", "SURED", "UTMAREDG", "UBLKRED"));
}

// Every atomic that returns nothing is called a reduction, and no other is.
TEST(Traits, ReductionsWriteNoRegister) {
  for (const oracle::OracleWord& w : words()) {
    const Instruction i = decode(w.low, w.high, w.arch, w.offset);
    if (!is_atomic(i)) continue;
    bool writes = false;
    for (const Operand& o : i.operands()) writes |= o.written;
    EXPECT_EQ(writes, is_returning_atomic(i)) << w.text;
  }
}

TEST(Traits, ReadOnlyLoads) {
  EXPECT_TRUE(is_read_only_load(word("LDG.E.CONSTANT")));
  EXPECT_TRUE(is_read_only_load(word("LDG.E.128.CONSTANT")));
  for (const char* text : {"LDG.E R", "LDC", "STG.E", "LDS"}) {
    EXPECT_FALSE(is_read_only_load(word(text))) << text;
  }
}

TEST(Traits, PlainLoadsAndStores) {
  for (const char* text : {"LDG.E.128", "LDS", "LDL", "LDSM", "LD.E"}) {
    EXPECT_TRUE(is_plain_load(word(text))) << text;
    EXPECT_FALSE(is_plain_store(word(text))) << text;
  }
  for (const char* text : {"STG.E", "STS", "STL", "STSM", "ST.E"}) {
    EXPECT_TRUE(is_plain_store(word(text))) << text;
    EXPECT_FALSE(is_plain_load(word(text))) << text;
  }
  for (const char* text : {"LDC", "ULDC", "LDGSTS", "STAS", "REDAS", "SYNCS.PHASECHK", "ARRIVES",
                           "SULD", "SUST", "UTMALDG", "QSPC", "CCTL", "SHFL"}) {
    EXPECT_FALSE(is_plain_load(word(text)) || is_plain_store(word(text))) << text;
  }
}

TEST(Traits, Copies) {
  for (const char* text : {"LDGSTS", "UTMALDG", "UBLKCP.S.G"}) {
    EXPECT_TRUE(has(word(text), Trait::kCopy)) << text;
    EXPECT_FALSE(copies_from_shared(word(text))) << text;
  }
  for (const char* text : {"UTMASTG", "UBLKCP.G.S"}) {
    EXPECT_TRUE(copies_from_shared(word(text))) << text;
  }
  EXPECT_FALSE(copies_from_shared(word("STG.E")));
  EXPECT_THAT(rows_with([](const Instruction& i) { return has(i, Trait::kTensorMap); }),
              UnorderedElementsAre("UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "UTMACCTL"));
}

TEST(Traits, AccessBytes) {
  const std::pair<const char*, unsigned> kWords[] = {
      {"LDG.E.U8", 1},
      {"LDG.E.S8", 1},
      {"LDG.E.U16", 2},
      {"LDG.E R", 4},
      {"LDG.E.64", 8},
      {"LDG.E.128", 16},
      {"STG.E.64", 8},
      {"STS.U8", 1},
      {"LDS.128", 16},
      {"LDC.64", 8},
      {"ULDC.64", 8},
      {"LDGSTS.E.BYPASS.LTC128B.128", 16},
      {"ATOMG.E.ADD.64", 8},
      {"ATOMG.E.CAS.128", 16},
      {"REDG.E.ADD.F32", 4},
      {"REDG.E.ADD.F64", 8},
      {"LDSM.16.M88.4", 16},
      {"LDSM.16.M88.2", 8},
      {"SULD.D.BA.1D.64", 8},
      {"ATOMS.POPC.INC", 4},
      {"SUST.P", 0},
      {"UTMALDG", 0},
      {"UBLKCP", 0},
      {"SYNCS.PHASECHK", 0},
      {"TEX", 0},
      {"IADD3", 0},
      {"MEMBAR", 0},
  };
  for (const auto& [text, bytes] : kWords) EXPECT_EQ(access_bytes(word(text)), bytes) << text;
}

// An address is the sum of a base, a uniform register and a number; its descriptor is no part.
TEST(Traits, AddressRegisters) {
  const auto registers = [](const Instruction& i) {
    std::vector<std::tuple<RegisterFile, unsigned, unsigned>> all;
    for_each_address_register(i, [&](RegisterFile file, std::uint16_t first, unsigned count) {
      all.emplace_back(file, first, count);
    });
    return all;
  };
  using enum RegisterFile;
  const Instruction add = word("ATOMG.E.ADD.64.STRONG.GPU PT, R10, desc[UR10][R2.64], R10");
  EXPECT_THAT(registers(add), ElementsAre(std::tuple(kGeneral, 2u, 2u)));
  EXPECT_TRUE(feeds_address(add, kGeneral, 2) && feeds_address(add, kGeneral, 3));
  EXPECT_FALSE(feeds_address(add, kGeneral, 4));   // behind the pair
  EXPECT_FALSE(feeds_address(add, kGeneral, 10));  // what is added
  EXPECT_FALSE(feeds_address(add, kUniform, 10));  // the descriptor
  EXPECT_FALSE(feeds_address(add, kUniform, 2));   // another file
  ASSERT_NE(address_of(add), nullptr);
  EXPECT_EQ(address_of(add)->descriptor, 10);

  const Instruction matrix = word("LDSM.16.M88.4 R168, [R0+UR4+0x80]");
  EXPECT_THAT(registers(matrix),
              ElementsAre(std::tuple(kGeneral, 0u, 1u), std::tuple(kUniform, 4u, 1u)));
  EXPECT_TRUE(feeds_address(matrix, kUniform, 4));

  // Two addresses: where to and where from.
  const Instruction copy = word("LDGSTS.E.BYPASS.LTC128B.128 [R22+0x12000], desc[UR26][R20.64]");
  EXPECT_THAT(registers(copy),
              ElementsAre(std::tuple(kGeneral, 22u, 1u), std::tuple(kGeneral, 20u, 2u)));

  // The size of a bulk copy and its cache policy are no address; both of its pointers are.
  const Instruction bulk = word("UBLKRED.G.S.ADD [UR12], [UR4], UR8, desc[UR10]");
  EXPECT_TRUE(feeds_address(bulk, kUniform, 12) && feeds_address(bulk, kUniform, 4));
  EXPECT_FALSE(feeds_address(bulk, kUniform, 8) || feeds_address(bulk, kUniform, 10));

  EXPECT_TRUE(registers(word("IADD3")).empty());
  EXPECT_FALSE(feeds_address(word("ULDC"), kUniform, 0));
}

TEST(Traits, Synchronization) {
  const std::pair<const char*, Sync> kWords[] = {
      {"BAR.SYNC", Sync::kBlockBarrier},
      {"B2R", Sync::kBarrierResult},
      {"UCGABAR_ARV", Sync::kClusterArrive},
      {"UCGABAR_WAIT", Sync::kClusterWait},
      {"WARPSYNC", Sync::kWarp},
      {"SYNCS.ARRIVE", Sync::kMbarrier},
      {"ARRIVES", Sync::kCopyArrive},
      {"MEMBAR", Sync::kFence},
      {"FENCE", Sync::kProxyFence},
      {"ERRBAR", Sync::kErrorBarrier},
      {"CGAERRBAR", Sync::kErrorBarrier},
      {"DEPBAR", Sync::kScoreboard},
      {"LDGDEPBAR", Sync::kCopyCommit},
      {"WARPGROUP.ARRIVE", Sync::kProducts},
      {"LDG.E", Sync::kNone},
      {"BSYNC", Sync::kNone},
  };
  for (const auto& [text, sync] : kWords) EXPECT_EQ(sync_of(word(text)), sync) << text;
  EXPECT_THAT(rows_with(is_barrier), UnorderedElementsAre("BAR", "UCGABAR_ARV", "UCGABAR_WAIT"));
  EXPECT_THAT(rows_with(is_cluster_barrier), UnorderedElementsAre("UCGABAR_ARV", "UCGABAR_WAIT"));
  EXPECT_THAT(rows_with(is_fence), UnorderedElementsAre("MEMBAR", "FENCE"));
  EXPECT_THAT(rows_with(is_synchronization),
              UnorderedElementsAre("BAR", "UCGABAR_ARV", "UCGABAR_WAIT", "WARPSYNC", "SYNCS",
                                   "ARRIVES", "MEMBAR", "FENCE", "ERRBAR", "CGAERRBAR"));
}

TEST(Traits, Conversions) {
  using enum ValueType;
  EXPECT_TRUE(converts(word("I2F.U32.RP"), kInteger, kF32));
  EXPECT_TRUE(converts(word("F2I"), kF32, kInteger));
  EXPECT_FALSE(converts(word("F2I"), kInteger, kF32));
  EXPECT_TRUE(is_conversion(word("FRND")));
  EXPECT_FALSE(is_conversion(word("IADD3")) || is_conversion(word("MUFU")));
  EXPECT_TRUE(converts_between_floats(word("F2F.F64.F32")));
  for (const char* text : {"FRND", "F2I", "I2F.", "FADD"}) {
    EXPECT_FALSE(converts_between_floats(word(text))) << text;
  }
}

TEST(Traits, Types) {
  using enum ValueType;
  const std::pair<const char*, ValueType> kWords[] = {
      {"FFMA", kF32},     {"MUFU", kF32},     {"FSETP", kF32},    {"DFMA", kF64},
      {"DMMA", kF64},     {"HADD2", kF16},    {"HMMA", kF16},     {"IMAD", kInteger},
      {"IMMA", kInteger}, {"LOP3", kInteger}, {"I2FP", kInteger}, {"POPC", kInteger},
      {"F2FP", kF32},
  };
  for (const auto& [text, type] : kWords) {
    EXPECT_EQ(word(text).opcode->operand_type, type) << text;
  }
}

TEST(Traits, Arithmetic) {
  const std::pair<const char*, unsigned> kOperations[] = {
      {"FADD", 1},      {"FMUL", 1},  {"FFMA ", 2}, {"DFMA", 2}, {"HADD2", 2}, {"HMUL2", 2},
      {"HFMA2.FTZ", 4}, {"FFMA2", 4}, {"IADD3", 0}, {"IMAD", 0}, {"HMMA", 0},  {"FSETP", 0},
  };
  for (const auto& [text, count] : kOperations) {
    EXPECT_EQ(float_operations(word(text)), count) << text;
  }
  EXPECT_EQ(float_operations(word("HFMA2")), 0u);  // the first of them only moves a constant
  EXPECT_EQ(arithmetic_of(word("HGMMA")), Arithmetic::kMatrix);
  EXPECT_TRUE(has(word("HGMMA"), Trait::kAsync));
  EXPECT_FALSE(has(word("HMMA"), Trait::kAsync));
  for (const char* text : {"IADD3", "VIADD ", "UIADD3", "IMAD.IADD"}) {
    EXPECT_TRUE(adds_integers(word(text))) << text;
  }
  for (const char* text : {"IMAD.MOV", "IMAD ", "FADD", "LEA"}) {
    EXPECT_FALSE(adds_integers(word(text))) << text;
  }
  for (const char* text : {"MOV", "UMOV", "IMAD.MOV"}) {
    EXPECT_TRUE(copies_register(word(text))) << text;
  }
  for (const char* text : {"IMAD.IADD", "IMAD ", "S2R", "SEL"}) {
    EXPECT_FALSE(copies_register(word(text))) << text;
  }
  EXPECT_TRUE(is_extremum(word("FMNMX")) && is_extremum(word("VIMNMX")));
  EXPECT_FALSE(is_extremum_of_sum(word("FMNMX")) || is_extremum_of_sum(word("VIMNMX")));
  EXPECT_TRUE(is_extremum(word("VIADDMNMX")) && is_extremum_of_sum(word("VIADDMNMX")));
  EXPECT_FALSE(is_extremum(word("IADD3")) || is_extremum(word("FSETP")));
  EXPECT_TRUE(compares_integers(word("ISETP")));
  EXPECT_FALSE(compares_integers(word("FSETP")) || compares_integers(word("UISETP")));
  EXPECT_THAT(rows_with([](const Instruction& i) { return has(i, Trait::kCompare); }),
              UnorderedElementsAre("ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "HSETP2"));
}

TEST(Traits, Computations) {
  for (const char* text : {"IADD3", "FFMA", "DFMA", "HADD2", "MUFU", "F2F", "UIADD3", "HMMA",
                           "HGMMA", "SHFL", "VOTE", "VOTEU", "REDUX", "MOVM", "S2R", "R2UR"}) {
    EXPECT_TRUE(is_computation(word(text))) << text;
  }
  for (const char* text : {"LDG", "STG", "LDC", "ULDC", "ATOMG", "TEX", "BRA", "EXIT", "BAR", "B2R",
                           "NOP", "QSPC", "CCTL", "WARPSYNC", "UTMALDG", "BMOV", "UTCATOMSWS"}) {
    EXPECT_FALSE(is_computation(word(text))) << text;
  }
}

TEST(Traits, FlagsOfOneKind) {
  const auto with = [](Trait trait) {
    return rows_with([trait](const Instruction& i) { return has(i, trait); });
  };
  EXPECT_THAT(with(Trait::kIndirect), UnorderedElementsAre("BRX", "BRXU"));
  EXPECT_THAT(with(Trait::kSpecialFunction), UnorderedElementsAre("MUFU"));
  EXPECT_THAT(with(Trait::kDivisionCheck), UnorderedElementsAre("FCHK"));
  EXPECT_THAT(with(Trait::kCacheControl), UnorderedElementsAre("CCTL"));
  EXPECT_THAT(with(Trait::kValueTimed), UnorderedElementsAre("MATCH"));
  EXPECT_THAT(with(Trait::kMove), UnorderedElementsAre("MOV", "UMOV"));
  EXPECT_THAT(with(Trait::kExtremum),
              UnorderedElementsAre("FMNMX", "FMNMX3", "HMNMX2", "IMNMX", "VIMNMX", "VIMNMX3",
                                   "VIADDMNMX", "UIMNMX", "UVIMNMX"));
  EXPECT_THAT(with(Trait::kOfSum), UnorderedElementsAre("VIADDMNMX"));
  EXPECT_THAT(with(Trait::kCrossLane), UnorderedElementsAre("SHFL", "VOTE", "VOTEU", "MATCH",
                                                            "REDUX", "CREDUX", "MOVM", "ELECT"));
}

// All rows of a mnemonic say the same, or it would depend on the architecture what it is.
TEST(Traits, RowsOfAMnemonicAgree) {
  std::map<std::string_view, Opcode> first;
  for (const char* table : isa::tables()) {
    const auto forms = isa::compile_forms(table);
    ASSERT_TRUE(forms.ok());
    for (const isa::Form& form : *forms) {
      const Opcode& opcode = form.opcode;
      const Opcode& other = first.emplace(opcode.mnemonic, opcode).first->second;
      EXPECT_EQ(opcode.traits, other.traits) << opcode.mnemonic;
      EXPECT_EQ(opcode.sync, other.sync) << opcode.mnemonic;
      EXPECT_EQ(opcode.arithmetic, other.arithmetic) << opcode.mnemonic;
      EXPECT_EQ(opcode.operand_type, other.operand_type) << opcode.mnemonic;
      EXPECT_EQ(opcode.result_type, other.result_type) << opcode.mnemonic;
      EXPECT_EQ(opcode.flow, other.flow) << opcode.mnemonic;
    }
  }
}

bool reads_or_writes(const Instruction& i) {
  return i.opcode->loads || i.opcode->stores;
}

// Whoever loads or stores says in which memory, or is listed here with the reason.
TEST(Traits, EveryAccessHasASpace) {
  const std::map<std::string, std::string> kWithout = {
      {"UBLKCP", "between two memories that its modifiers name"},
      {"UBLKRED", "likewise"},
      {"TEX", "a texture"},
      {"TLD", "a texture"},
      {"TLD4", "a texture"},
      {"TXD", "a texture"},
      {"TXQ", "a texture"},
  };
  std::set<std::string> expected;
  for (const auto& [mnemonic, why] : kWithout) expected.insert(mnemonic);
  EXPECT_EQ(rows_with([](const Instruction& i) {
              return reads_or_writes(i) && i.opcode->space == Space::kNone;
            }),
            expected);
}

// … and how many bytes, in every word of the oracles.
TEST(Traits, EveryAccessHasAWidth) {
  std::set<std::string> without;
  std::set<std::string> with;
  for (const oracle::OracleWord& w : words()) {
    const Instruction i = decode(w.low, w.high, w.arch, w.offset);
    if (!i.known() || !reads_or_writes(i)) continue;
    const unsigned bytes = access_bytes(i);
    (bytes == 0 ? without : with).emplace(i.mnemonic());
    EXPECT_TRUE(bytes == 0 || bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 ||
                bytes == 32)
        << w.text << ": " << bytes;
  }
  EXPECT_THAT(without, UnorderedElementsAre(
                           "SYNCS", "ARRIVES",                          // on an mbarrier
                           "UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF",  // a tensor map says it
                           "UBLKCP", "UBLKRED", "UBLKPF",               // a register says it
                           "TEX", "TLD", "TLD4", "TXD", "TXQ", "SUST",  // a texture's format does
                           "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA", "UTCBAR", "UTCCP",
                           "UTCSHIFT", "LDTM", "STTM",  // of tensor memory
                           "UGETNEXTWORKID"));
  EXPECT_TRUE(with.contains("SUST") && with.contains("ATOMG") && with.contains("LDGMC"));
}

}  // namespace
}  // namespace burin::read
