#include "read/program/names.h"

#include <gtest/gtest.h>

namespace burin::read {
namespace {

TEST(Names, BareNameLeavesOutReturnTypeAndParameters) {
  EXPECT_EQ(bare_name("transpose(float*, float const*)"), "transpose");
  EXPECT_EQ(bare_name("void ns::reduce<float, 256>(float*, int)"), "ns::reduce<float, 256>");
  EXPECT_EQ(bare_name("void (anonymous namespace)::k<int>(int)"), "(anonymous namespace)::k<int>");
  EXPECT_EQ(bare_name("(anonymous namespace)::k(int)"), "(anonymous namespace)::k");
  EXPECT_EQ(bare_name("std::enable_if<(4)>(0), void>::type f<(K)1>(void (*)(int))"), "f<(K)1>");
  EXPECT_EQ(bare_name("void each<{lambda(int)#1}>(int, {lambda(int)#1})"), "each<{lambda(int)#1}>");
  EXPECT_EQ(bare_name("outlined(int) [clone .part.0]"), "outlined");
  EXPECT_EQ(bare_name("plain_c_name"), "plain_c_name");
  EXPECT_EQ(bare_name(""), "");
}

TEST(Names, PlainNameIsTheLastWord) {
  EXPECT_EQ(plain_name("void a::b::reduce<a::c<int>, 256>(float*)"), "reduce");
  EXPECT_EQ(plain_name("(anonymous namespace)::k(int)"), "k");
  EXPECT_EQ(plain_name("k"), "k");
}

TEST(Names, DamagedOnesDoNoHarm) {
  for (const char* name : {")", "(", ">", "a)", "<>)", "((((", "))))", "a::", "::", " "}) {
    (void)plain_name(name);
    EXPECT_LE(shorten(name, 1).size(), 4u) << name;
  }
}

TEST(Names, ShortenKeepsWhatFits) {
  const std::string name = "void ns::reduce<float, 256>(float*, int)";
  EXPECT_EQ(shorten(name, 0), name);
  EXPECT_EQ(shorten(name, 40), name);
  EXPECT_EQ(shorten(name, 39), "ns::reduce<float, 256>");
  EXPECT_EQ(shorten(name, 21), "ns::reduce<…>");
  EXPECT_EQ(shorten(name, 12), "ns::reduce…");
  EXPECT_EQ(shorten(name, 5), "ns::…");
}

TEST(Names, ReadableNamesHaveNoNamespacesThatNobodyWrote) {
  EXPECT_EQ(readable_name("(anonymous namespace)::k(int)"), "k(int)");
  EXPECT_EQ(readable_name("void <unnamed>::k<int>(int)"), "void k<int>(int)");
  EXPECT_EQ(readable_name("_INTERNAL_1e6e7ab7_4_k_cu_sparse::k(int)"), "k(int)");
  EXPECT_EQ(
      readable_name("void cub::CUB_300001_SM_900::detail::scan<cuda::std::__4::plus<void>>()"),
      "void cub::detail::scan<cuda::std::plus<void>>()");
  EXPECT_EQ(readable_name("thrust::THRUST_200200_800_900_NS::sort(int)"), "thrust::sort(int)");
  for (const char* name :
       {"a::b(int)", "A_1::b", "MY_12345", "__1x::k", "__x::k", "x_INTERNAL_y::k",
        "void each<{lambda(int)#1}>(int)", "", "::", "(anonymous namespace)"}) {
    EXPECT_EQ(readable_name(name), name);
  }
  EXPECT_EQ(shorten("void (anonymous namespace)::k<int>(int)", 0), "void k<int>(int)");
}

}  // namespace
}  // namespace burin::read
