#include "read/binary/demangle.h"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace burin::read {
namespace {

TEST(Demangle, ReadsCppNamesAndLeavesOthers) {
  EXPECT_EQ(demangle("_Z5innerf"), "inner(float)");
  EXPECT_EQ(demangle("_Z6stagedILi300EEv7NumbersIXT_EEPi"), "void staged<300>(Numbers<300>, int*)");
  EXPECT_EQ(demangle("nested"), "nested");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangle(""), "");
  EXPECT_EQ(demangle("_Z"), "_Z");
}

// f(p<a, a>, p<S1, S1>, p<S2, S2>, …): every argument is twice as long as the one before.
std::string doubling_name(int levels) {
  std::string name = "_Z1f1pI1aS0_E";
  for (int i = 0; i < levels; ++i) {
    const char digit = static_cast<char>(i < 9 ? '1' + i : 'A' + i - 9);
    name += std::string("S_IS") + digit + "_S" + digit + "_E";
  }
  return name;
}

TEST(Demangle, RefusesNamesThatUnfoldWithoutEnd) {
  const std::string bomb = doubling_name(30);
  ASSERT_LT(bomb.size(), 400u);
  EXPECT_EQ(demangle(bomb), bomb);
  const std::string harmless = doubling_name(3);
  EXPECT_EQ(demangle(harmless).substr(0, 34), "f(p<a, a>, p<p<a, a>, p<a, a> >, p");
}

TEST(Demangle, TheBoundHolds) {
  for (const std::string& name :
       {std::string("_Z5innerf"), doubling_name(3), doubling_name(12),
        std::string("_Z1fILi9E30aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaIS_EEvT_T0_S_"),
        std::string("_ZN1aC1ERKS_"), std::string("_Z1fIJiiiiiiEEvDpPT_"),
        std::string("_ZNSt6vectorISsSaISsEEC1Ev"),
        std::string("_Z1gIZ1fIiEvT_E1xSt4pairIxxEEvT_T0_S2_")}) {
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    ASSERT_TRUE(status == 0 || status == -2) << name;
    if (status == 0) {
      EXPECT_LE(std::strlen(text), unfolding_bound(name)) << name;
    }
    std::free(text);
  }
}

}  // namespace
}  // namespace burin::read
