#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace burin {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{"is odd"};
  return n / 2;
}

TEST(Result, HoldsAValue) {
  Result<int> result = half(4);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 2);
  *result = 7;
  EXPECT_EQ(result.value(), 7);
}

TEST(Result, HoldsAnErrorThatIsTheInputsFaultUnlessSaid) {
  const Result<int> result = half(3);
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().message, "is odd");
  EXPECT_EQ(result.error().exit, Exit::kInput);
}

TEST(Result, CarriesValuesThatOnlyMove) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = std::move(*result);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, KeepsAStringApartFromAnError) {
  EXPECT_TRUE(Result<std::string>(std::string("is odd")).ok());
  EXPECT_FALSE(Result<std::string>(Error{"is odd"}).ok());
}

TEST(Result, OfNothingIsDoneOrAnError) {
  EXPECT_TRUE(Result<void>().ok());
  const Result<void> refused = Error{"the device is busy", Exit::kDevice};
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the device is busy");
}

TEST(Error, WithinKeepsTheExitAndNamesThePlace) {
  const Error outer = Error{"is busy", Exit::kDevice}.within("gpu 0").within("record");
  EXPECT_EQ(outer.message, "record: gpu 0: is busy");
  EXPECT_EQ(outer.exit, Exit::kDevice);
}

// Scripts rely on these numbers.
TEST(Exit, HasTheDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(Exit::kDone), 0);
  EXPECT_EQ(static_cast<int>(Exit::kGate), 1);
  EXPECT_EQ(static_cast<int>(Exit::kUsage), 2);
  EXPECT_EQ(static_cast<int>(Exit::kInput), 3);
  EXPECT_EQ(static_cast<int>(Exit::kDevice), 4);
}

}  // namespace
}  // namespace burin
