#include "app/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace burin::app {
namespace {

constexpr std::size_t kMinColumns = 20;
constexpr std::size_t kDefaultColumns = 80;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  if (::isatty(descriptor) == 0) return 0;
  const std::string_view text = environment("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (error == std::errc() && end == text.data() + text.size() && columns >= kMinColumns) {
    return columns;
  }
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultColumns;
}

bool wants_color(const std::string& choice, int descriptor) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  return ::isatty(descriptor) != 0 && environment("NO_COLOR").empty() &&
         environment("TERM") != "dumb";
}

report::Output::Options terminal_options() {
  return {.color = wants_color("auto", STDOUT_FILENO), .width = terminal_width(STDOUT_FILENO)};
}

}  // namespace burin::app
