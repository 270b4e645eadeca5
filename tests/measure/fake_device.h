// A Device that answers what a test has written down, in order, and keeps what it was asked:
//
//   FakeDevice device;
//   device.answers(12.0).faults("an illegal address").hangs();
//   tune(device);                         // whatever is tested
//   EXPECT_EQ(device.requests.size(), 3u);
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "measure/device.h"

namespace burin::test {

class FakeDevice : public measure::Device {
 public:
  // All timed launches take so long.
  FakeDevice& answers(double time_us) {
    measure::DeviceResult result;
    result.gpu = "Fake GPU";
    result.architecture = "sm_90";
    result.driver = "0.0";
    result.timer = "cupti";
    result.times_us = {time_us};  // as many as asked for, when asked
    result.clock_mhz = {1000};
    script_.emplace_back(std::move(result));
    return *this;
  }
  FakeDevice& answers(measure::DeviceResult result) {
    script_.emplace_back(std::move(result));
    return *this;
  }
  FakeDevice& faults(const std::string& sentence,
                     measure::FailureKind kind = measure::FailureKind::kRuntime) {
    script_.push_back({Error{sentence, Exit::kDevice}, kind});
    return *this;
  }
  FakeDevice& hangs() {
    return faults("cuda:0 did not finish running the kernel", measure::FailureKind::kTimeout);
  }

  measure::DeviceAnswer run(const measure::DeviceRequest& request) override {
    requests.push_back(request);
    if (script_.empty()) return Error{"the script of the fake device is over", Exit::kDevice};
    measure::DeviceAnswer answer = script_.front();
    script_.pop_front();
    if (answer && answer->times_us.size() == 1) {
      answer->times_us.assign(request.stopping.most, answer->times_us[0]);
    }
    return answer;
  }

  std::vector<measure::DeviceRequest> requests;

 private:
  std::deque<measure::DeviceAnswer> script_;
};

}  // namespace burin::test
