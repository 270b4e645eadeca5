// `burin completion bash|zsh`: scripts written from the tree of commands itself, so that a new
// option is completed from the day it exists.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/options/option_values.h"

namespace burin::app {
namespace {

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_min() > 0;
}

std::string words_of(const CLI::App& app, bool only_with_value) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    if (only_with_value && !takes_value(*option)) continue;
    for (const std::string& name : option_names(*option))
      words += (words.empty() ? "" : " ") + name;
  }
  return words;
}

// The words that a positional argument is limited to, from its check; "" where it is a file.
std::string choices_of(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    const std::size_t open = type.find('{');
    if (!option->get_positional() || open == std::string::npos) continue;
    std::string words = type.substr(open + 1, type.find('}') - open - 1);
    for (char& c : words) {
      if (c == ',') c = ' ';
    }
    return words;
  }
  return "";
}

bool takes_file(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) return choices_of(app).empty();
  }
  return false;
}

void write_bash(report::Output& out, const Commands& all) {
  out.put(
      "# burin completion for bash: source <(burin completion bash)\n"
      "_burin() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command= word options= values= words= files=\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in -*) ;; *) command=$word; break ;; esac\n"
      "  done\n"
      "  case $command in\n");
  std::string commands;
  for (const CLI::App* app : all.listed()) {
    commands += (commands.empty() ? "" : " ") + app->get_name();
    out.put("    ", app->get_name(), ")\n      options='", words_of(*app, false), "' values='",
            words_of(*app, true), "' words='", choices_of(*app),
            "' files=", takes_file(*app) ? "yes" : "", " ;;\n");
  }
  out.put("    *) options='", words_of(all.root(), false), "' words='", commands,
          "' ;;\n"
          "  esac\n"
          "  COMPREPLY=()\n"
          "  if [[ \" $values \" == *\" $previous \"* ]]; then return; fi\n"
          "  if [[ $current == -* ]]; then\n"
          "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
          "  elif [[ -n $files ]]; then\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
          "  else\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "  fi\n"
          "}\n"
          "complete -F _burin burin\n");
}

// Text inside single quotes and brackets of an _arguments specification.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') result += '\\';
      result += c;
    }
  }
  return result;
}

void write_zsh_options(report::Output& out, const CLI::App& app, const char* indent) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option_names(*option)) {
      out.put(" \\\n", indent, '\'', name, '[', zsh_text(option->get_description()), ']',
              takes_value(*option) ? ":value:" : "", '\'');
    }
  }
}

void write_zsh(report::Output& out, const Commands& all) {
  out.put(
      "#compdef burin\n"
      "# burin completion for zsh: save it as _burin in a folder of $fpath\n"
      "_burin() {\n"
      "  local curcontext=$curcontext state line\n"
      "  local -a commands\n"
      "  commands=(\n");
  for (const CLI::App* app : all.listed()) {
    out.put("    '", app->get_name(), ':', zsh_text(app->get_description()), "'\n");
  }
  out.put("  )\n  _arguments -C");
  write_zsh_options(out, all.root(), "    ");
  out.put(
      " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n"
      "  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    argument)\n"
      "      case $words[1] in\n");
  for (const CLI::App* app : all.listed()) {
    out.put("        ", app->get_name(), ") _arguments");
    write_zsh_options(out, *app, "          ");
    if (takes_file(*app)) out.put(" \\\n          '1:file:_files'");
    if (const std::string choices = choices_of(*app); !choices.empty()) {
      out.put(" \\\n          '1:choice:(", choices, ")'");
    }
    out.put(" ;;\n");
  }
  out.put(
      "      esac ;;\n"
      "  esac\n"
      "}\n"
      "_burin \"$@\"\n");
}

}  // namespace

void add_completion(Commands& commands) {
  auto shell = std::make_shared<std::string>();
  CLI::App& app = commands.add("completion", "Prints a shell completion script",
                               "  source <(burin completion bash)\n"
                               "  burin completion zsh > ~/.zfunc/_burin",
                               [shell, &commands](Context& context) -> Result<Exit> {
                                 const auto write = *shell == "bash" ? write_bash : write_zsh;
                                 write(context.out, commands);
                                 return Exit::kDone;
                               });
  app.add_option("SHELL", *shell, "Shell: bash or zsh")
      ->required()
      ->type_name("{bash,zsh}")
      ->check(one_of({"bash", "zsh"}));
}

}  // namespace burin::app
