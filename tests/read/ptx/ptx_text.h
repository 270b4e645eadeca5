// PTX for the tests: a module around a few statements, and its pieces.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "read/ptx/parse.h"

namespace burin::read::ptx {

// Line 4 is the first of what follows.
inline const std::string kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";

// `body` starts in line 5.
inline std::string module_of(const std::string& body) {
  return kHeader + ".visible .entry k() {\n" + body + "\n}\n";
}

inline Module parsed(const std::string& text) {
  Result<Module> module = parse(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().message);
  return module.ok() ? *module : Module{.text = std::make_shared<const std::string>()};
}

// What parse() says about text that is no PTX.
inline std::string error_of(const std::string& text) {
  const Result<Module> module = parse(text);
  return module.ok() ? "no error" : module.error().message;
}

template <typename T>
std::vector<T> all_of(const Function& function) {
  std::vector<T> found;
  for (const Statement& statement : function.body) {
    if (const T* one = std::get_if<T>(&statement)) found.push_back(*one);
  }
  return found;
}

}  // namespace burin::read::ptx
