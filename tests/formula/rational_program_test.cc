// Files of rational programs: what is read, what is printed, what is refused, and where.
#include "formula/rational/rational_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formula/saxpy_program.h"

namespace burin::formula {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  const Result<RationalProgram> program = parse_rational_program(text);
  return program ? "" : program.error().message;
}

TEST(RationalProgram, IsReadAsWritten) {
  const Result<RationalProgram> program = parse_rational_program(kSaxpyProgram);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->kernel, "_Z5saxpyifPKfPf");
  ASSERT_EQ(program->parameters.size(), 4u);
  EXPECT_EQ(program->parameters[3].offset, 16u);
  EXPECT_EQ(program->proof, RationalProgram::Proof::kProved);
  EXPECT_EQ(program->reason, "every id is ctaid * ntid + tid");
  ASSERT_EQ(program->shapes.size(), 3u);
  EXPECT_EQ(program->shapes[2], (Shape{256, 1, 1}));
  ASSERT_EQ(program->devices.size(), 1u);
  EXPECT_EQ(program->devices[0].inputs, (std::vector<double>{132}));
  ASSERT_EQ(program->devices[0].table.size(), 5u);
  EXPECT_EQ(program->devices[0].table[0].otherwise, 2u);
  EXPECT_EQ(program->devices[0].table[2].otherwise, 4u);
}

TEST(RationalProgram, PrintsTheBytesItWasReadFrom) {
  const Result<RationalProgram> program = parse_rational_program(kSaxpyProgram);
  ASSERT_TRUE(program.ok());
  const std::string printed = to_string(*program);
  EXPECT_EQ(replaced(printed, printed.substr(printed.find("end ")), "end -\n"), kSaxpyProgram);
  const Result<RationalProgram> again = parse_rational_program(printed);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_string(*again), printed);
}

TEST(RationalProgram, EveryChangedByteIsNoticed) {
  const std::string printed = to_string(*parse_rational_program(kSaxpyProgram));
  for (std::size_t at = 0; at < printed.size(); ++at) {
    std::string changed = printed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    const Result<RationalProgram> read = parse_rational_program(changed);
    // Only where the change is no change to the value of the checksum: "A" for "a".
    if (read.ok()) {
      EXPECT_EQ(to_string(*read), printed) << at;
    }
  }
  for (std::size_t size = 0; size + 1 < printed.size(); ++size) {
    EXPECT_FALSE(parse_rational_program(printed.substr(0, size)).ok()) << size;
  }
}

TEST(RationalProgram, RefusalsNameTheLine) {
  const std::string good = kSaxpyProgram;
  EXPECT_EQ(refusal(""), "the file is empty: it is no rational program");
  EXPECT_EQ(refusal("ELF"), "line 1: this is no rational program of burin");
  EXPECT_THAT(refusal(replaced(good, "burin-rp 1", "burin-rp 2")), HasSubstr("only version 1"));
  EXPECT_EQ(refusal(replaced(good, "end -\n", "end 00000000\n")),
            "line 36: the checksum does not match: the file is damaged or edited");
  EXPECT_THAT(refusal(replaced(good, "end -\n", "")), HasSubstr("cut short"));
  EXPECT_THAT(refusal(replaced(good, "ceildiv(n, bx)", "ceildiv(m, bx)")),
              StartsWith("line 12: column 9: \"m\" has no value"));
  EXPECT_THAT(refusal(replaced(good, "use 2 1", "use 3")),
              HasSubstr("\"3\" is not the number of a shape"));
  EXPECT_THAT(refusal(replaced(good, "      use 0\n", "")), HasSubstr("\"else\" has no \"if\""));
  EXPECT_THAT(refusal(replaced(good, "shape 32 1 1", "shape 32 64 1")),
              HasSubstr("no block that a GPU launches"));
  EXPECT_THAT(refusal(replaced(good, "per_shape slope 2.5 2 1.5", "per_shape slope 2.5")),
              HasSubstr("slope has 1 value for 3 shapes"));
  EXPECT_THAT(refusal(replaced(good, "arg0_i32", "arg9_i32")), HasSubstr("no parameter 9"));
  EXPECT_THAT(refusal(replaced(good, "arg0_i32", "arg0_i64")), HasSubstr("wider than parameter 0"));
  EXPECT_THAT(refusal(replaced(good, "arg0_i32", "count")), HasSubstr("neither an argument"));
  EXPECT_THAT(refusal(replaced(good, "sm_count 132", "sm_count many")),
              HasSubstr("the value of sm_count is missing"));
  EXPECT_THAT(refusal(replaced(good, "let start = 2", "let start = 2\nlet slope = 1")),
              HasSubstr("the name slope has two meanings"));
  EXPECT_THAT(refusal(replaced(good, "time_us = start + slope * waves\n", "")),
              HasSubstr("time_us is missing"));
  EXPECT_THAT(refusal(replaced(good, "registers 12", "register 12")),
              HasSubstr("\"register\" is no statement"));
  EXPECT_THAT(refusal(good + "shape 1 1 1\n"), HasSubstr("goes on after its end"));
}

TEST(RationalProgram, NumbersReadBackTheSame) {
  for (const double value : {0.1, 1.0 / 3, 32.0, 1e30, 6.02e23, 16777216.0, -2.5e-7}) {
    EXPECT_EQ(std::stod(shortest(value)), value);
  }
  EXPECT_EQ(shortest(32), "32");
}

}  // namespace
}  // namespace burin::formula
