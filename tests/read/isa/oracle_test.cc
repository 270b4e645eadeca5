// Every word of the oracles in corpus/oracle.tar.xz decodes to nvdisasm's text at the rates below.
// A change that makes any architecture worse fails here.
#include <gtest/gtest.h>

#include <map>

#include "corpus_files.h"
#include "oracle/score.h"

namespace burin::read {
namespace {

struct Floor {
  double values;  // share of words right in mnemonic, operand kinds, registers and values
  double text;    // and in every modifier
};

void expect_scores(const std::string& path, const std::map<std::uint16_t, Floor>& floors) {
  const auto words = oracle::load(path);
  ASSERT_TRUE(words.ok()) << words.error().message;
  std::map<Architecture, oracle::Score> held_back;
  for (const oracle::OracleWord& word : *words) {
    if (!word.held_back()) continue;
    held_back[word.arch].add(word.text, oracle::decoded_text(word));
  }
  for (const auto& [arch, score] : held_back) {
    const auto floor = floors.find(arch.sm);
    ASSERT_NE(floor, floors.end()) << to_string(arch);
    const auto share = [&](std::uint64_t n) {
      return static_cast<double>(n) / static_cast<double>(score.words);
    };
    EXPECT_GE(share(score.values), floor->second.values) << path << " " << to_string(arch);
    EXPECT_GE(share(score.text), floor->second.text) << path << " " << to_string(arch);
  }
}

TEST(Oracle, WordsOfLibtorch) {
  expect_scores(corpus_file("oracle/libtorch.txt"), {{75, {1, .98}},
                                                     {80, {1, .995}},
                                                     {86, {1, .995}},
                                                     {89, {1, .995}},
                                                     {90, {1, .995}},
                                                     {100, {.99, .95}},
                                                     {103, {.99, .95}},
                                                     {120, {.99, .95}},
                                                     {121, {.99, .95}}});
}

// Words of our own kernels, chosen so that every form is there. The architectures whose files hold
// only what the others lack (103a, 110a, 121a) are too few words for a rate.
TEST(Oracle, OurOwnWords) {
  const std::map<std::uint16_t, Floor> floors = {
      {75, {.999, .998}}, {80, {.999, .998}},  {86, {.999, .998}}, {89, {.999, .998}},
      {90, {.999, .998}}, {100, {.999, .998}}, {120, {.999, .998}}};
  for (const char* arch : {"75", "80", "86", "89", "90", "90a", "100", "100a", "120", "120a"})
    expect_scores(corpus_file(std::string("oracle/sm_") + arch + ".txt"), floors);
}

}  // namespace
}  // namespace burin::read
