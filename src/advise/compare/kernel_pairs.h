// Which kernel of one build is which of the other: by name first; what is left over by how alike
// the names and the code are, for a kernel that was renamed or has got another template argument. A
// single kernel on either side is taken for one.
//
//   KernelPairs pairs = pair_kernels(before, after);
//   pairs.both[0].before, pairs.both[0].after, pairs.both[0].renamed
//   pairs.gone, pairs.added
#pragma once

#include <span>
#include <vector>

#include "advise/compare/kernel_facts.h"

namespace burin::advise {

struct KernelPair {
  const KernelFacts* before = nullptr;
  const KernelFacts* after = nullptr;
  bool renamed = false;
};

struct KernelPairs {
  std::vector<KernelPair> both;  // in the order of `before`
  std::vector<const KernelFacts*> gone;
  std::vector<const KernelFacts*> added;
};

// What is given must outlive the pairs.
KernelPairs pair_kernels(std::span<const KernelFacts> before, std::span<const KernelFacts> after);

// 0 … 1: how alike two kernels are in name and code.
double likeness(const KernelFacts& a, const KernelFacts& b);

}  // namespace burin::advise
