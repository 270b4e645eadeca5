// What the choices so far leave in restrictions that are not decided yet: prefixes for which this
// is the same have the same valid continuations.
//
//   after bx and by, with "bx * by * bz <= 1024" undecided     the value of bx * by
//   after bx, with "bx == 1 or by == bz" undecided             whether bx == 1
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "formula/evaluator.h"
#include "formula/expression.h"
#include "tune/space/rule.h"

namespace burin::tune {

// The state between two layers, as a key of words.
class PendingState {
 public:
  // After the first `chosen` parameters, with rules that mention later ones too.
  PendingState(std::span<const Rule* const> undecided, std::span<const Parameter> all,
               std::span<const std::string> names, const formula::Names& constants,
               std::size_t chosen);

  // Chosen parameters that undecided rules mention, ascending.
  const std::vector<std::size_t>& parameters() const { return parameters_; }
  std::size_t words() const { return used_bits_.size(); }

  // Writes to `key`, of words() words, what depends on the parameter chosen last, or all the rest.
  // The prefix is given as indices and as values, both by parameter.
  void fill(bool last, std::span<const std::uint16_t> point,
            std::span<const formula::Scalar> values, std::span<std::uint64_t> key);

 private:
  // Where a part of the key is: `bits` of a word.
  struct Field {
    std::size_t word = 0;
    unsigned shift = 0;
    unsigned bits = 64;
    bool last = false;  // depends on the parameter chosen last
  };
  struct Index : Field {
    std::size_t parameter = 0;
  };
  struct Term : Field {  // with its kind in a field of 4 bits
    Field kind;
    std::vector<std::size_t> parameters;
    formula::Evaluator evaluator;
  };

  Field place(unsigned bits, bool last);
  void add_index(std::size_t parameter, std::span<const Parameter> all, std::size_t chosen);
  std::uint64_t word_of(const Term& term, std::span<const std::uint16_t> point,
                        std::span<const formula::Scalar> values, std::uint64_t& kind);

  std::vector<std::size_t> parameters_;
  std::vector<Index> indices_;  // parameters that are in the key by themselves
  std::vector<Term> terms_;
  std::vector<unsigned> used_bits_;                                    // of each word
  std::map<std::string, std::uint64_t, std::less<>> texts_;            // numbered
  std::map<std::vector<std::uint16_t>, std::uint64_t> without_value_;  // indices, numbered
};

}  // namespace burin::tune
