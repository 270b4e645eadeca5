// Every instruction of the architectures that burin predicts falls into a class on purpose.
#include "machine/timing_class.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "corpus_files.h"
#include "oracle/score.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"

namespace burin::machine {
namespace {

// All words of the oracles of one architecture, by nvdisasm's name with its modifiers.
std::map<std::string, TimingClass> classes_of(const std::string& arch) {
  const std::string path = corpus_file("oracle/sm_" + arch + ".txt");
  const auto words = oracle::load(path);
  EXPECT_TRUE(words.ok()) << path;
  std::map<std::string, TimingClass> classes;
  if (!words.ok()) return classes;
  for (const oracle::OracleWord& word : *words) {
    const read::Instruction instruction = read::decode(word.low, word.high, word.arch, word.offset);
    if (!instruction.known()) continue;
    std::string text = word.text;
    if (text.starts_with('@')) text = text.substr(text.find(' ') + 1);
    classes[text.substr(0, text.find(' '))] = timing_class(instruction);
  }
  return classes;
}

TEST(TimingClass, NothingFallsToOtherUnintended) {
  const std::set<std::string> meant = {"NOP", "PMTRIG", "USETSHMSZ"};
  for (const char* arch : {"80", "86", "89", "90", "90a"}) {
    const auto classes = classes_of(arch);
    EXPECT_GT(classes.size(), 500u) << arch;
    for (const auto& [text, in_class] : classes) {
      if (in_class != TimingClass::kOther) continue;
      EXPECT_TRUE(meant.contains(text.substr(0, text.find('.')))) << "sm_" << arch << " " << text;
    }
  }
}

TEST(TimingClass, EveryClassIsMet) {
  std::set<TimingClass> met;
  for (const char* arch : {"80", "90", "90a"})
    for (const auto& [text, in_class] : classes_of(arch)) met.insert(in_class);
  for (std::size_t i = 0; i < kTimingClasses; ++i) {
    const auto c = static_cast<TimingClass>(i);
    EXPECT_TRUE(met.contains(c)) << name(c);
  }
}

TEST(TimingClass, ModifiersDecideWhereTheyMatter) {
  auto classes = classes_of("90a");
  const std::map<std::string, TimingClass> expected = {
      {"FFMA", TimingClass::kFma},
      {"IMAD", TimingClass::kFmaHeavy},
      {"IMAD.WIDE", TimingClass::kFmaWide},
      {"IMAD.WIDE.U32", TimingClass::kFmaWide},
      {"IMAD.HI.U32", TimingClass::kFmaHigh},
      {"F2F.F64.F32", TimingClass::kConvert64},
      {"F2F.F32.F64", TimingClass::kConvert64},
      {"I2F.U64", TimingClass::kConvert64},
      {"I2F.S16", TimingClass::kConvert},
      {"FRND.F64.FLOOR", TimingClass::kConvert64},
      {"FRND.FLOOR", TimingClass::kConvert},
      {"HMMA.16816.F16", TimingClass::kHmma16},
      {"HMMA.16816.F32", TimingClass::kHmma32},
      {"HMMA.16816.F32.BF16", TimingClass::kHmma32},
      {"HMMA.1688.F32", TimingClass::kHmma32Short},
      {"HMMA.1688.F32.TF32", TimingClass::kTf32},
      {"IMMA.16832.S8.S8", TimingClass::kImma},
      {"IMMA.16816.S8.S8", TimingClass::kImmaShort},
      {"LDG.E", TimingClass::kMemory},
      {"LDC", TimingClass::kConstantLoad},
      {"SHFL.IDX", TimingClass::kShuffle},
      {"MUFU.RCP", TimingClass::kMufu},
  };
  for (const auto& [text, in_class] : expected) {
    const auto found = classes.find(text);
    ASSERT_NE(found, classes.end()) << text << " is not in the oracle";
    EXPECT_EQ(name(found->second), name(in_class)) << text;
  }
}

TEST(TimingClass, AWordThatIsNotKnownIsOther) {
  EXPECT_EQ(timing_class(read::Instruction{}), TimingClass::kOther);
}

TEST(TimingClass, NamesAreDistinctAndResourcesNamed) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kTimingClasses; ++i)
    EXPECT_TRUE(names.insert(name(static_cast<TimingClass>(i))).second);
  EXPECT_EQ(name(TimingClass::kOther), "other");
  EXPECT_EQ(name(TimingClass::kMatrixLoad), "matrix_load");
  EXPECT_EQ(name(Resource::kDispatch), "dispatch");
  EXPECT_EQ(name(Resource::kTensor), "tensor");
  EXPECT_EQ(resource_of(TimingClass::kWgmma), Resource::kTensor);
  EXPECT_EQ(resource_of(TimingClass::kFmaHigh), Resource::kFma);
}

}  // namespace
}  // namespace burin::machine
