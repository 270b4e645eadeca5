// What a user gets who asked for something that cannot be done.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "app/command.h"

namespace burin::test {

// The exit status, one sentence with these words, and nothing else.
inline void expect_refusal(const std::string& arguments, int status, const std::string& sentence) {
  const Ran ran = burin(arguments);
  EXPECT_EQ(ran.status, status) << arguments << ": " << ran.err;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, testing::HasSubstr(sentence)) << arguments;
}

}  // namespace burin::test
