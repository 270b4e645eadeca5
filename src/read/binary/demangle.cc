#include "read/binary/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace burin {

std::string demangle(std::string_view name) {
  constexpr std::size_t kLongest = 1 << 14;
  std::string text(name);
  if (!name.starts_with("_Z") || name.size() > kLongest) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  if (status == 0 && demangled != nullptr) text = demangled.get();
  return text;
}

}  // namespace burin
