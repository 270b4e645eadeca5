#include "advise/compare/kernel_pairs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "read/program/names.h"

namespace burin::advise {
namespace {

constexpr double kMinSimilarity = 0.6;  // similarity from which kernels are paired

using Counts = std::map<std::string_view, std::size_t>;

Counts letter_pairs(std::string_view text) {
  Counts counts;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) ++counts[text.substr(i, 2)];
  return counts;
}

// The share of letter pairs that two names have in common.
double names_alike(std::string_view a, std::string_view b) {
  if (a == b) return 1;
  const Counts first = letter_pairs(a);
  const Counts second = letter_pairs(b);
  std::size_t common = 0;
  for (const auto& [letters, count] : first) {
    const auto found = second.find(letters);
    if (found != second.end()) common += std::min(count, found->second);
  }
  const std::size_t all = a.size() + b.size();
  return all <= 2 ? 0 : 2 * static_cast<double>(common) / static_cast<double>(all - 2);
}

double codes_alike(const KernelFacts& a, const KernelFacts& b) {
  std::uint64_t common = 0;
  std::uint64_t all = 0;
  for (std::size_t c = 0; c < std::min(a.classes.size(), b.classes.size()); ++c) {
    common += std::min(a.classes[c], b.classes[c]);
    all += std::max(a.classes[c], b.classes[c]);
  }
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

struct Candidate {
  double alike = 0;
  const KernelFacts* before = nullptr;
  const KernelFacts* after = nullptr;
};

}  // namespace

double likeness(const KernelFacts& a, const KernelFacts& b) {
  const double plain = names_alike(read::plain_name(a.demangled), read::plain_name(b.demangled));
  const double whole = names_alike(read::bare_name(a.demangled), read::bare_name(b.demangled));
  return 0.4 * plain + 0.2 * whole + 0.4 * codes_alike(a, b);
}

KernelPairs pair_kernels(std::span<const KernelFacts> before, std::span<const KernelFacts> after) {
  std::map<std::string_view, const KernelFacts*> by_name;
  for (const KernelFacts& facts : after) by_name.emplace(facts.name, &facts);
  std::map<const KernelFacts*, const KernelFacts*> partners;
  std::set<const KernelFacts*> taken;
  for (const KernelFacts& facts : before) {
    const auto found = by_name.find(facts.name);
    if (found == by_name.end() || taken.contains(found->second)) continue;
    partners[&facts] = found->second;
    taken.insert(found->second);
  }
  if (before.size() == 1 && after.size() == 1) {  // the user wants to compare exactly these two
    partners[&before[0]] = &after[0];
    taken.insert(&after[0]);
  }
  std::vector<Candidate> candidates;
  for (const KernelFacts& a : before) {
    if (partners.contains(&a)) continue;
    for (const KernelFacts& b : after) {
      if (taken.contains(&b)) continue;
      const double alike = likeness(a, b);
      if (alike >= kMinSimilarity) candidates.push_back({alike, &a, &b});
    }
  }
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::alike);
  for (const Candidate& each : candidates) {
    if (partners.contains(each.before) || taken.contains(each.after)) continue;
    partners[each.before] = each.after;
    taken.insert(each.after);
  }
  KernelPairs pairs;
  for (const KernelFacts& a : before) {
    const auto found = partners.find(&a);
    if (found == partners.end()) {
      pairs.gone.push_back(&a);
    } else {
      pairs.both.push_back({&a, found->second, a.name != found->second->name});
    }
  }
  for (const KernelFacts& b : after) {
    if (!taken.contains(&b)) pairs.added.push_back(&b);
  }
  return pairs;
}

}  // namespace burin::advise
