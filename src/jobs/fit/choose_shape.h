// `burin choose`: the launch shape that a rational program gives for sizes and a GPU.
//
//   Result<ChosenShape> chosen = choose_shape({.file = "saxpy.rp", .sizes = {"n=4096"}});
//   chosen->choice.block      {256, 1, 1}
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formula/rational/chooser.h"

namespace burin::jobs {

struct ChooseRequest {
  std::string file{};                // .rp
  std::vector<std::string> sizes{};  // NAME=NUMBER, every size of the program
  std::string machine{};             // name or path; "": the program's first device
  std::string emit_cpp{};            // write the program as C++ into this file; "": do not
  std::string cpp_namespace = "burin_choice";
  bool force = false;
};

struct RankedShape {
  formula::Shape block{};
  double predicted_us = 0;  // NaN: not known
};

struct ChosenShape {
  std::string kernel{};
  std::string device{};  // "NVIDIA H200"; the machine's name where the program does not know it
  std::string validated{};
  std::vector<std::pair<std::string, std::int64_t>> sizes{};
  bool has_choice = false;  // false: only C++ was asked for
  formula::Choice choice{};
  std::vector<RankedShape> ranked{};  // the choice first
  std::string cpp{};                  // file written
};

Result<ChosenShape> choose_shape(const ChooseRequest& request);

// A file of a rational program; the Error names it.
Result<formula::RationalProgram> read_rational_program(const std::string& path);

}  // namespace burin::jobs
