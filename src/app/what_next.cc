#include "app/what_next.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace burin::app {
namespace {

constexpr std::size_t kMaxEntries = 2000;  // of a large folder only the first are looked at

struct Kind {
  std::string_view ending;
  // "%" is the file's name, "&" its name without the ending.
  std::array<std::pair<std::string_view, std::string_view>, 3> commands;
};

// The first kind that the folder has decides.
constexpr std::array kKinds = {
    Kind{".burin",
         {{{"burin inspect %", "its launches, times and kernels"},
           {"burin advise % --html &.html", "what to change, as a report for the browser"},
           {"burin serve .", "captures, sessions and reports as local pages"}}}},
    Kind{".cu",
         {{{"burin advise % --grid 1024 --block 256 --arg …", "what to change, and the speedup"},
           {"burin predict % --grid 1024 --block 256 --arg …", "its time on a GPU, without one"},
           {"burin inspect % --sass", "its machine code"}}}},
    Kind{".cubin",
         {{{"burin inspect %", "its kernels and their resources"},
           {"burin inspect % --html &.html", "the code, as a report for the browser"},
           {"burin advise % --grid 1024 --block 256 --arg …", "what to change, and the speedup"}}}},
    Kind{".ptx",
         {{{"burin advise % --grid 1024 --block 256 --arg …", "what to change, and the speedup"},
           {"burin predict % --grid 1024 --block 256 --arg …", "its time on a GPU, without one"},
           {"burin coarsen % --grid 1024 --block 256 --arg … --best", "fewer, fatter threads"}}}},
};
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAnywhere = {{
    {"burin doctor", "what works on this computer"},
    {"burin inspect ./program", "the kernels in a program, library, cubin or PTX file"},
    {"burin record ./program", "a capture of a program's launches; needs a GPU"},
}};

// A name as a shell takes it.
std::string quoted(const std::string& name) {
  constexpr std::string_view kPlain = "._-+=@%,:/";
  const bool plain = std::ranges::all_of(name, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !name.starts_with('-')) return name;
  std::string text = "'";
  for (const char c : name) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// The file of the kind that was written last; "" without one.
std::string newest(const std::string& folder, std::string_view ending) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string found;
  fs::file_time_type best = fs::file_time_type::min();
  std::size_t seen = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && seen < kMaxEntries;
       at.increment(error), ++seen) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || !name.ends_with(ending)) continue;
    std::error_code unreadable;
    if (!at->is_regular_file(unreadable)) continue;
    const fs::file_time_type written = at->last_write_time(unreadable);
    if (!found.empty() && (written < best || (written == best && name > found))) continue;
    best = written;
    found = name;
  }
  return found;
}

std::string filled(std::string_view pattern, const std::string& file, std::string_view ending) {
  std::string text;
  for (const char c : pattern) {
    if (c == '%') {
      text += quoted(file);
    } else if (c == '&') {
      text += quoted(file.substr(0, file.size() - ending.size()));
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::vector<Suggestion> suggestions(const std::string& folder) {
  std::vector<Suggestion> list;
  for (const Kind& kind : kKinds) {
    const std::string file = newest(folder, kind.ending);
    if (file.empty()) continue;
    for (const auto& [command, reason] : kind.commands) {
      list.push_back({filled(command, file, kind.ending), std::string(reason)});
    }
    return list;
  }
  for (const auto& [command, reason] : kAnywhere) {
    list.push_back({std::string(command), std::string(reason)});
  }
  return list;
}

void write_what_next(report::Output& out, const std::string& folder) {
  const std::vector<Suggestion> list = suggestions(folder);
  std::size_t width = 0;
  for (const Suggestion& each : list) width = std::max(width, each.command.size());
  const bool fits = out.width() == 0 || width + 50 < out.width();
  out.put("burin analyses CUDA kernels with or without a GPU. What to do next:\n\n");
  for (const Suggestion& each : list) {
    if (fits) {
      out.put("  ", report::Style::kBold, report::Left{each.command, width + 2},
              report::Style::kPlain, each.reason, '\n');
    } else {
      out.put("  ", report::Style::kBold, each.command, report::Style::kPlain, "\n      ",
              each.reason, '\n');
    }
  }
  out.put("\n`burin --help` lists all commands, `burin help COMMAND` explains one.\n");
}

}  // namespace burin::app
