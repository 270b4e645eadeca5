// Is text cut into the words, numbers and signs that ptxas sees, each at its line and column?
#include "read/ptx/lex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/ptx/number.h"

namespace burin::read::ptx {
namespace {

using testing::ElementsAre;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  Lexer lexer(text);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    if (token.kind == TokenKind::kBad) {
      found.push_back("bad");
      break;
    }
    found.emplace_back(text.substr(token.span.begin, token.span.end - token.span.begin));
  }
  return found;
}

TokenKind kind_of(std::string_view text) {
  const Token token = Lexer(text).next();
  return token.span.end == text.size() ? token.kind : TokenKind::kBad;
}

TEST(PtxLex, OpcodesKeepTheirDots) {
  EXPECT_THAT(words("ld.global.nc.v4.f32 {%f1,_},[%rd1+-16];"),
              ElementsAre("ld.global.nc.v4.f32", "{", "%f1", ",", "_", "}", ",", "[", "%rd1", "+",
                          "-", "16", "]", ";"));
  EXPECT_THAT(words("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a]"),
              ElementsAre("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "[",
                          "a", "]"));
  EXPECT_THAT(words("mov.u32 %r1,%tid.x;"), ElementsAre("mov.u32", "%r1", ",", "%tid.x", ";"));
}

TEST(PtxLex, DirectivesEndAtTheNextDot) {
  EXPECT_THAT(words(".reg.b32 %r<10>;.target sm_90a"),
              ElementsAre(".reg", ".b32", "%r", "<", "10", ">", ";", ".target", "sm_90a"));
  EXPECT_THAT(words("L:.pragma \"no;unroll\";"),
              ElementsAre("L", ":", ".pragma", "\"no;unroll\"", ";"));
}

// As in ptxas, which refuses 7%3 and takes 7 % 3.
TEST(PtxLex, PercentIsAnOperatorWhereNoNameFollows) {
  EXPECT_THAT(words("7 % 3 %3 %r3"), ElementsAre("7", "%", "3", "%3", "%r3"));
}

TEST(PtxLex, Numbers) {
  for (const char* text : {"0", "42", "42U", "0x1F", "0X1fU", "017", "0b101", "0B1U", "0f3F800000",
                           "0F3f800000", "0d3FE0000000000000", "1.5", "1e10", "1.5e-3", "2E+4"}) {
    EXPECT_EQ(kind_of(text), TokenKind::kNumber) << text;
  }
  for (const char* text :
       {"0x", "0b2", "0f3F80000", "0f3F8000000", "0d3FE", "42abc", "1e", "0xG", "1.5U", "12_3"}) {
    EXPECT_EQ(kind_of(text), TokenKind::kBad) << text;
  }
}

TEST(PtxLex, ValuesOfIntegers) {
  EXPECT_EQ(integer_of("42"), 42);
  EXPECT_EQ(integer_of("-16"), -16);
  EXPECT_EQ(integer_of("- -16"), 16);
  EXPECT_EQ(integer_of("0x1fU"), 31);
  EXPECT_EQ(integer_of("017"), 15);
  EXPECT_EQ(integer_of("0b101"), 5);
  EXPECT_EQ(integer_of("18446744073709551615"), -1);
  EXPECT_EQ(integer_of("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "U", "08", "1.5", "0f3F800000", "0d3FE0000000000000", "x",
                           "18446744073709551616"}) {
    EXPECT_EQ(integer_of(text), std::nullopt) << text;
  }
}

TEST(PtxLex, CommentsAndLineMarkersAreBlank) {
  EXPECT_TRUE(is_blank(" \t\r\n// add.s32\n/* \n */ /**/\n  # 12 \"a.cu\" 3\n//"));
  EXPECT_FALSE(is_blank("/* */;"));
  EXPECT_FALSE(is_blank("/* *"));
  EXPECT_FALSE(is_blank("#define X 1\n"));
  EXPECT_THAT(words("a # 1\n"), ElementsAre("a", "bad"));
}

TEST(PtxLex, LineAndColumn) {
  Lexer lexer("a /* 1\n2\n*/ b\r\n\tc \"s\" d\n# 9 \"x\"\ne");
  const auto at = [&] {
    const Token token = lexer.next();
    return std::pair(token.position.line, token.position.column);
  };
  EXPECT_EQ(at(), std::pair(1u, 1u));
  EXPECT_EQ(at(), std::pair(3u, 4u));
  EXPECT_EQ(at(), std::pair(4u, 2u));
  EXPECT_EQ(at(), std::pair(4u, 4u));
  EXPECT_EQ(at(), std::pair(4u, 8u));
  EXPECT_EQ(at(), std::pair(6u, 1u));
}

TEST(PtxLex, StringsEndOnTheirLine) {
  EXPECT_EQ(kind_of(R"("a\"b")"), TokenKind::kString);
  EXPECT_EQ(kind_of(R"("a\\")"), TokenKind::kString);
  EXPECT_EQ(kind_of("\"a\nb\""), TokenKind::kBad);
  EXPECT_EQ(kind_of("\"a\\\nb\""), TokenKind::kBad);
  EXPECT_EQ(kind_of("\"a\\"), TokenKind::kBad);
}

TEST(PtxLex, OldDebugLinesAreOneToken) {
  EXPECT_THAT(words("@@DWARF .byte 0x11,'\n@p bra L;"),
              ElementsAre("@@DWARF .byte 0x11,'", "@", "p", "bra", "L", ";"));
}

}  // namespace
}  // namespace burin::read::ptx
