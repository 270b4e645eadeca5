// Which registers of a wide load does the code use?
#include "read/program/later_reads.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "read/isa/decode.h"

namespace burin::read {
namespace {

using Word = std::pair<std::uint64_t, std::uint64_t>;

constexpr Word kLds128 = {0x0000000006087984, 0x000e240000000c00};  // LDS.128 R8, [R6]
constexpr Word kAdd9 = {0x0000000908097221, 0x001fc80000000000};    // FADD R9, R8, R9
constexpr Word kAdd10 = {0x000000090a097221, 0x000fca0000000000};   // FADD R9, R10, R9
constexpr Word kStore = {0x0000000902007986, 0x000fe2000c101904};   // STG.E [R2.64], R9
constexpr Word kExit = {0x000000000000794d, 0x000fea0003800000};

std::uint32_t unread_of_first(std::initializer_list<Word> words) {
  std::vector<Instruction> code;
  for (const auto& [low, high] : words) {
    code.push_back(decode(low, high, {90}, static_cast<std::uint32_t>(16 * code.size())));
  }
  Image image;
  image.arch = {90};
  Function function;
  return unread_results(build_from(std::move(code), image, function, {.dependences = false}), 0);
}

TEST(LaterReads, TheLastWordOfTwelveBytesIsNotRead) {
  EXPECT_EQ(unread_of_first({kLds128, kAdd9, kAdd10, kStore, kExit}), 0b1000u);
}

TEST(LaterReads, WhatIsWrittenAgainIsNotRead) {
  EXPECT_EQ(unread_of_first({kLds128, kLds128, kAdd9, kExit}), 0b1111u);
}

TEST(LaterReads, WhereTheCodeCannotBeFollowedAllIsRead) {
  EXPECT_EQ(unread_of_first({kLds128, kAdd9}), 0u);
}

}  // namespace
}  // namespace burin::read
