// Pairs the kernels of two builds: first by name, then by similarity of name and code, for kernels
// that were renamed or have another template argument. If each side has a single kernel, the two
// are paired.
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

// Pairs the kernels. Both arguments must outlive the pairs.
KernelPairs pair_kernels(std::span<const KernelFacts> before, std::span<const KernelFacts> after);

// Returns the similarity of two kernels in name and code, 0 … 1.
double likeness(const KernelFacts& a, const KernelFacts& b);

}  // namespace burin::advise
