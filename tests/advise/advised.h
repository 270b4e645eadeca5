// A launch of the corpus as rules see it, by emulation on an h200.
//
//   Advised launch("transpose_naive/odd");
//   launch.advice().findings …, launch.find("coalescing")
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "advise/advise.h"
#include "analyze/studied.h"
#include "timing/result/kernel_needs.h"

namespace burin::advise {

class Advised {
 public:
  explicit Advised(const std::string& line) : studied_(line) {}
  Advised(const std::string& file, const std::string& kernel,
          const timing::TimedLaunch::Shape& shape)
      : studied_(file, kernel, shape) {}

  const analyze::Study& study() const { return studied_.study(); }
  const BlamedProfile& blamed() const { return blamed_; }

  // By emulation; `with_study` false: as if the profile were all there is.
  Case launch_case(bool with_study = true) const {
    const analyze::Study& s = study();
    return {.kernel = s.kernel(),
            .machine = s.machine(),
            .blamed = blamed_,
            .grid = s.launch().grid,
            .block = s.launch().block,
            .needs = timing::needs_of(s.kernel(), s.launch()),
            .occupancy = s.base().occupancy,
            .time_us = s.base().time_us,
            .study = with_study ? &s : nullptr,
            .accesses = accesses_of(s.kernel(), s.base())};
  }
  Advice advice(const AdviseOptions& options = {}) const { return advise(launch_case(), options); }

 private:
  analyze::Studied studied_;
  BlamedProfile blamed_ = blame(study().kernel(), study().base());
};

inline const Finding* find(const Advice& advice, std::string_view rule) {
  const auto at = std::ranges::find(advice.findings, rule, &Finding::rule);
  return at == advice.findings.end() ? nullptr : &*at;
}

}  // namespace burin::advise
