// Options that take a number or one of a few words. Anything else ends in one sentence that names
// the option, the value and what is allowed: "--threads: expected a whole number from 0 to 1024,
// not
// '-1'".
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "launch/number.h"

namespace burin::app {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
inline constexpr unsigned kMaxThreads = 1024;
inline constexpr double kMaxSeconds = 1e9;  // 30 years

// What is wrong with the text of a number from `least` to `most`; "": nothing.
std::string check_whole(const std::string& text, std::uint64_t least, std::uint64_t most);
std::string check_real(const std::string& text, double least, double most);

// The check of an option that takes one of these words.
std::function<std::string(const std::string&)> one_of(std::vector<std::string> words);

// What CLI11 says about a wrong command line, in burin's words.
std::string sentence_of(const CLI::ParseError& error);

// `Value` is an unsigned integer or an optional of one.
template <typename Value>
CLI::Option* add_whole(CLI::App& app, const std::string& name, Value& value, std::uint64_t least,
                       std::uint64_t most, const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&value](const std::string& text) {
            value = static_cast<Value>(*launch::parse_integer<std::uint64_t>(text));
          },
          description)
      ->check([=](const std::string& text) { return check_whole(text, least, most); })
      ->type_name("N");
}

// `Value` is a double or an optional of one.
template <typename Value>
CLI::Option* add_real(CLI::App& app, const std::string& name, Value& value, double least,
                      double most, const std::string& description) {
  return app
      .add_option_function<std::string>(
          name, [&value](const std::string& text) { value = *launch::parse_real<double>(text); },
          description)
      ->check([=](const std::string& text) { return check_real(text, least, most); });
}

}  // namespace burin::app
