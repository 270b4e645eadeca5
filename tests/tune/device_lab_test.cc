// What the lab asks of a device for each configuration, and what it makes of the answers: a script
// of answers stands for the device.
#include "tune/device_lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/fake_device.h"

namespace burin::tune {
namespace {

using measure::Check;
using measure::FailureKind;
using testing::HasSubstr;

// Point {N} is the program "N"; the reference is "reference of N".
class NumberBuilder : public Builder {
 public:
  void start(const Point&) override {}
  Result<Built> finish(const Point& point) override {
    Built built;
    built.request.program = std::to_string(point[0]);
    built.request.steps.resize(1);
    return built;
  }
  Result<std::optional<Built>> reference(const Point& point) override {
    if (!has_reference) return std::optional<Built>{};
    Result<Built> built = finish(point);
    built->request.program = "reference of " + built->request.program;
    return std::optional<Built>(std::move(*built));
  }
  std::vector<measure::ExpectedOutput> outputs(const measure::DeviceRequest&) const override {
    return {{.argument = 0}};
  }
  bool verifies() const override { return true; }
  Result<double> objective(const Built&, double time_us) const override { return time_us; }

  bool has_reference = true;
};

class DeviceLabTest : public testing::Test {
 protected:
  Result<Trial> measure(std::uint16_t number) {
    lab_.submit({number}, {});
    return lab_.wait();
  }
  // Programs that the device was asked to run, with what it was to check.
  std::vector<std::pair<std::string, Check>> asked() const {
    std::vector<std::pair<std::string, Check>> all;
    for (const measure::DeviceRequest& request : device_.requests) {
      all.emplace_back(request.program, request.check);
    }
    return all;
  }
  using Asked = std::vector<std::pair<std::string, Check>>;

  NumberBuilder builder_;
  test::FakeDevice device_;
  DeviceLab lab_{builder_, device_, {.limit_seconds = 10}};
};

TEST_F(DeviceLabTest, TheReferenceRunsOnceAndEachConfigurationIsCompared) {
  device_.answers(0).answers(12).answers(8);
  EXPECT_EQ(measure(4)->time_us, 12);
  EXPECT_EQ(measure(5)->time_us, 8);
  EXPECT_EQ(
      asked(),
      (Asked{{"reference of 4", Check::kKeep}, {"4", Check::kCompare}, {"5", Check::kCompare}}));
  EXPECT_EQ(device_.requests[0].limit_seconds, 50);
  EXPECT_EQ(device_.requests[1].limit_seconds, 10);
}

TEST_F(DeviceLabTest, AWorkerThatWasLostMakesTheReferenceAgain) {
  device_.answers(0).faults("an illegal address").answers(0).answers(8);
  EXPECT_EQ(measure(4)->status, Status::kRuntime);
  EXPECT_EQ(measure(5)->status, Status::kOk);
  EXPECT_EQ(asked(), (Asked{{"reference of 4", Check::kKeep},
                            {"4", Check::kCompare},
                            {"reference of 4", Check::kKeep},
                            {"5", Check::kCompare}}));
}

// The reference is compiled with the macros of a configuration. Where these do not compile, it is
// this configuration that fails, not the run.
TEST_F(DeviceLabTest, AFirstConfigurationThatDoesNotCompileIsOneTrial) {
  device_.faults("#error", FailureKind::kCompile).faults("#error", FailureKind::kCompile);
  device_.hangs().hangs();
  device_.answers(0).answers(8);
  const Result<Trial> first = measure(4);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->status, Status::kCompile);
  EXPECT_EQ(first->reason, "#error");
  EXPECT_EQ(measure(5)->status, Status::kTimeout);
  EXPECT_EQ(measure(6)->status, Status::kOk);
  EXPECT_EQ(asked(), (Asked{{"reference of 4", Check::kKeep},
                            {"4", Check::kNone},
                            {"reference of 5", Check::kKeep},
                            {"5", Check::kNone},
                            {"reference of 6", Check::kKeep},
                            {"6", Check::kCompare}}));
}

TEST_F(DeviceLabTest, AReferenceThatFailsAloneEndsTheRun) {
  device_.faults("an illegal address").answers(8);
  const Result<Trial> trial = measure(4);
  ASSERT_FALSE(trial);
  EXPECT_EQ(trial.error().message, "the reference: an illegal address");
}

TEST_F(DeviceLabTest, WithoutAReferenceTheFirstThatWorksIsTheReference) {
  builder_.has_reference = false;
  measure::DeviceResult different;
  different.gpu = "Fake GPU";
  different.checked.resize(1);
  different.checked[0].comparison = {
      .elements = 10, .different = 3, .first = 2, .got = "1", .expected = "2"};
  device_.hangs().answers(12).answers(different);
  EXPECT_EQ(measure(4)->status, Status::kTimeout);
  EXPECT_EQ(measure(5)->status, Status::kOk);
  const Result<Trial> wrong = measure(6);
  EXPECT_EQ(wrong->status, Status::kCorrectness);
  EXPECT_THAT(wrong->reason, HasSubstr("in 3 of 10 elements; element 2 is 1 instead of 2"));
  EXPECT_EQ(asked(), (Asked{{"4", Check::kKeep}, {"5", Check::kKeep}, {"6", Check::kCompare}}));
}

TEST_F(DeviceLabTest, CachesAreAsAskedFor) {
  DeviceLab warm(builder_, device_, {.caches = measure::Caches::kWarm});
  device_.answers(0).answers(12).answers(12);
  warm.submit({4}, {});
  ASSERT_TRUE(warm.wait());
  ASSERT_TRUE(warm.measure_again({4}));
  EXPECT_EQ(device_.requests[1].caches, measure::Caches::kWarm);
  EXPECT_EQ(device_.requests[2].caches, measure::Caches::kWarm);
}

TEST_F(DeviceLabTest, ADeviceThatIsGoneEndsTheRun) {
  device_.answers(0).faults("no device", FailureKind::kDevice);
  const Result<Trial> trial = measure(4);
  ASSERT_FALSE(trial);
  EXPECT_EQ(trial.error().message, "no device");
}

}  // namespace
}  // namespace burin::tune
