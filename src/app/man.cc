// `burin man [COMMAND]`: manual pages from the text of --help. The build writes them all and
// `cmake --install` puts them under share/man/man1.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli.h"
#include "app/options/option_values.h"
#include "base/text.h"

namespace burin::app {
namespace {

// Text as troff takes it: no escapes, no requests, minus signs that can be copied.
std::string escaped(std::string_view text) {
  std::string result;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) result += "\\&";
    line_starts = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string upper(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

void write_title(report::Output& out, const std::string& name, std::string_view description) {
  out.put(".TH ", upper(name),
          " 1 \"\" \"burin " BURIN_VERSION "\" \"burin manual\"\n.nh\n.ad l\n.SH NAME\n",
          escaped(name), " \\- ", escaped(description), '\n');
}

// The value of an option, without what checks it.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

void write_synopsis(report::Output& out, const CLI::App& app) {
  out.put(".SH SYNOPSIS\n.B burin ", escaped(app.get_name()), "\n[\\fIOPTIONS\\fR]\n");
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + escaped(option->get_name(true)) + "\\fR";
    out.put(option->get_required() ? name : "[" + name + "]", '\n');
  }
}

void write_option(report::Output& out, const CLI::Option& option) {
  out.put(".TP\n");
  if (option.get_positional()) {
    out.put("\\fI", escaped(option.get_name(true)), "\\fR\n");
  } else {
    std::string names;
    for (const std::string& name : option.get_snames())
      names += (names.empty() ? "\\fB" : "\\fR, \\fB") + escaped("-" + name);
    for (const std::string& name : option.get_lnames())
      names += (names.empty() ? "\\fB" : "\\fR, \\fB") + escaped("--" + name);
    out.put(names, "\\fR");
    if (option.get_expected_min() > 0) out.put(" \\fI", escaped(value_name(option)), "\\fR");
    out.put('\n');
  }
  const std::string& description = option.get_description();
  out.put(description.empty() ? "\\&" : escaped(description), '\n');
}

// Options in the groups of --help, those that every command has last.
void write_options(report::Output& out, const CLI::App& app) {
  std::vector<std::string> groups = app.get_groups();
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "Global options"; });
  for (const std::string& group : groups) {
    const std::vector<const CLI::Option*> options =
        app.get_options([&](const CLI::Option* option) { return option->get_group() == group; });
    if (group.empty() || options.empty()) continue;
    out.put(".SH ", upper(group), '\n');
    for (const bool positional : {true, false}) {
      for (const CLI::Option* option : options) {
        if (option->get_positional() == positional) write_option(out, *option);
      }
    }
  }
}

// "Examples:\n  …\n\nExit status: …": the examples as they stand, then paragraphs.
void write_footer(report::Output& out, std::string_view footer) {
  bool noted = false;
  while (!footer.empty()) {
    const std::size_t end = footer.find("\n\n");
    std::string_view block = footer.substr(0, end);
    footer.remove_prefix(end == std::string_view::npos ? footer.size() : end + 2);
    while (block.ends_with('\n')) block.remove_suffix(1);
    if (block.empty()) continue;
    constexpr std::string_view kExamples = "Examples:\n";
    constexpr std::string_view kStatus = "Exit status: ";
    if (block.starts_with(kExamples)) {
      block.remove_prefix(kExamples.size());
      out.put(".SH EXAMPLES\n.nf\n", escaped(block), "\n.fi\n");
    } else if (block.starts_with(kStatus)) {
      out.put(".SH EXIT STATUS\n", escaped(block.substr(kStatus.size())), '\n');
    } else {
      out.put(noted ? ".PP\n" : ".SH NOTES\n", escaped(block), '\n');
      noted = true;
    }
  }
}

void write_command(report::Output& out, const CLI::App& app) {
  write_title(out, "burin-" + app.get_name(), app.get_description());
  write_synopsis(out, app);
  write_options(out, app);
  write_footer(out, app.get_footer());
  out.put(".SH SEE ALSO\n.BR burin (1)\n");
}

void write_root(report::Output& out, const Commands& commands) {
  const CLI::App& root = commands.root();
  const std::string description = root.get_description();
  constexpr std::string_view kSelf = "burin ";
  write_title(
      out, "burin",
      std::string_view(description).substr(description.starts_with(kSelf) ? kSelf.size() : 0));
  out.put(".SH SYNOPSIS\n.B burin\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] …\n.SH COMMANDS\n");
  for (const CLI::App* app : commands.listed()) {
    out.put(".TP\n.BR burin\\-", escaped(app->get_name()), " (1)\n",
            escaped(app->get_description()), '\n');
  }
  write_options(out, root);
  write_footer(out, root.get_footer());
}

}  // namespace

void add_man(Commands& commands) {
  auto name = std::make_shared<std::string>();
  CLI::App& app =
      commands.add("man", "Prints the manual page of burin or of a command",
                   "  burin man advise | man -l -\n"
                   "  burin man > burin.1",
                   [name, &commands](Context& context) -> Result<Exit> {
                     if (name->empty()) {
                       write_root(context.out, commands);
                       return Exit::kDone;
                     }
                     std::vector<std::string> known;
                     for (const CLI::App* each : commands.listed()) {
                       if (each->get_name() == *name) {
                         write_command(context.out, *each);
                         return Exit::kDone;
                       }
                       known.push_back(each->get_name());
                     }
                     const std::string meant = closest(*name, known);
                     return Error{"unknown command " + *name +
                                      (meant.empty() ? "" : "; did you mean " + meant + "?"),
                                  Exit::kUsage};
                   });
  app.add_option("COMMAND", *name, "Command (default: burin itself)")->option_text(" ");
}

}  // namespace burin::app
