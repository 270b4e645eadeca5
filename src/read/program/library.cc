#include "read/program/library.h"

#include <algorithm>

#include "read/program/names.h"
#include "read/program/source.h"

namespace burin::read {

bool is_library(std::string_view path) {
  constexpr std::string_view kToolkits[] = {"/cuda", "/nvidia/", "/targets/"};
  // Paths that were made relative have no slash in front.
  return path.starts_with("cuda/include/") ||
         (path.find("/include/") != std::string_view::npos &&
          std::ranges::any_of(kToolkits, [&](std::string_view part) {
            return path.find(part) != std::string_view::npos;
          }));
}

UserLine user_line(const Image& image, std::int32_t location) {
  UserLine at;
  const Location* outermost = nullptr;  // of the library
  for (const Location* frame : call_chain(image, location)) {
    if (at.inside == nullptr) at.inside = frame;
    at.location = frame;
    if (!is_library(path_of(image, *frame))) break;
    outermost = frame;
  }
  if (outermost == at.location) {  // all of it is the library's
    at.location = at.inside;
    at.inside = nullptr;
  } else if (outermost == nullptr) {
    at.inside = nullptr;
  } else {
    at.call = plain_name(outermost->function);
  }
  return at;
}

}  // namespace burin::read
