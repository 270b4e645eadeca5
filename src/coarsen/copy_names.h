// What a name of the kernel is called in each copy. Internal to coarsen/.
//
//   CopyNames names(plan);
//   names.of("%tid.x", 2)    "%index_x2"
//   names.of("tile", 1)      "tile_bx1", where each copy has its own
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "coarsen/plan.h"

namespace burin::coarsen {

class CopyNames {
 public:
  // The plan must outlive it.
  explicit CopyNames(const Plan& plan);

  // A word that no name of the kernel ends with: "_x". What is added for the copies ends with it
  // and a number.
  const std::string& tag() const { return tag_; }

  std::string index(unsigned copy) const;
  std::string extent() const;
  std::string lane(unsigned copy) const;
  std::string of(read::ptx::Register number, unsigned copy) const;
  // A variable, a special register, a function or a label.
  std::string of(std::string_view name, unsigned copy) const;
  std::string of(const read::ptx::NameUse& use, unsigned copy) const;

  // Whether a name means something else in each copy, or than before.
  bool is_own(std::string_view name) const;
  // Functions that use such a name: every copy calls its own.
  const std::set<std::string_view>& functions() const { return functions_; }

 private:
  const Plan& plan_;
  std::string tag_;
  std::set<std::string_view> variables_;
  std::set<std::string_view> dynamic_;  // dynamic shared memory
  std::set<std::string_view> functions_;
};

// Code that computes the index of each copy, and the extent that the original launch had; and the
// declarations of the registers that hold them.
std::string index_code(const Plan& plan, const CopyNames& names);
std::string index_declarations(const Plan& plan, const CopyNames& names);

// The functions of every copy, to stand before the kernel.
std::string functions_of_copies(const Plan& plan, const CopyNames& names);

}  // namespace burin::coarsen
