#include "app/cli.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/options/option_values.h"
#include "app/options/output_option.h"
#include "app/terminal.h"
#include "app/what_next.h"
#include "base/text.h"
#include "base/timings.h"
#include "report/write/wrap.h"

namespace burin::app {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Standard output, and what went wrong with it. A reader that went away is no error: `| head`.
struct StandardOutput {
  int error = 0;

  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        if (errno != EPIPE) error = errno;
        return false;
      }
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
};

void print_timings(double total_seconds) {
  std::fprintf(stderr, "%-28s %10s %10s\n", "timings", "calls", "seconds");
  for (const Timing& timing : timings()) {
    std::fprintf(stderr, "%-28s %10llu %10.4f\n", timing.name.c_str(),
                 static_cast<unsigned long long>(timing.calls), timing.seconds);
  }
  std::fprintf(stderr, "%-28s %10s %10.4f\n", "total", "", total_seconds);
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string meant = closest(word, candidates);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

}  // namespace

jobs::Progress Context::progress() {
  return {.on_step =
              [this](std::string_view doing, std::size_t done, std::size_t all) {
                if (!quiet) line_.step(doing, done, all);
              },
          .on_done = [this] { clear_progress(); }};
}

void Context::clear_progress() {
  line_.clear();
}

void Context::warn(std::string_view sentence) {
  clear_progress();
  const bool colored = wants_color(color, STDERR_FILENO);
  std::fprintf(stderr, "%sburin:%s %.*s\n", colored ? "\x1b[31m" : "", colored ? "\x1b[0m" : "",
               static_cast<int>(sentence.size()), sentence.data());
}

Commands::Commands(Context& context)
    : context_(context),
      root_(std::make_unique<CLI::App>("burin analyses CUDA kernels with or without a GPU: SASS, "
                                       "execution, timing, bottlenecks, advice",
                                       "burin")) {
  root_->option_defaults()->disable_flag_override();  // --lines=3: a flag takes no value
  root_->set_help_flag("-h,--help", "Show this help and exit");
  root_->set_version_flag("-v,--version", "burin " BURIN_VERSION, "Show the version and exit");
  root_->require_subcommand(0, 1);
  root_->get_formatter()->label("SUBCOMMAND", "COMMAND");
  root_->get_formatter()->column_width(26);
  root_->footer(
      "Examples:\n  burin inspect a.out                  kernels in a program, with their "
      "resources\n  burin inspect a.out --sass           their SASS\n  burin run saxpy.cu --grid 4 "
      "…        run a kernel without a GPU\n  burin predict saxpy.cu --grid 4 …    predict its "
      "time on a GPU\n  burin explain saxpy.cu --grid 4 …    its bottlenecks, where they are, and "
      "what-ifs\n  burin advise saxpy.cu --grid 4 …     what to change, on which line, and the "
      "speedup\n  burin diff old.so new.so             what changed between two builds\n  burin "
      "doctor                         what works on this computer\n\nExit status: 0 success, 1 "
      "fault found or limit exceeded, 2 usage error, 3 bad input,\n4 device or driver error. See "
      "`burin help COMMAND` for details.");
  add_common_options(*root_);
}

Commands::~Commands() = default;

void Commands::add_common_options(CLI::App& app) {
  const auto add_flag = [&](const char* names, bool& flag, const char* description) {
    app.add_flag(names, flag, description)->group("Global options");
  };
  add_flag("--json", context_.json, "Print JSON");
  add_flag("-q,--quiet", context_.quiet, "Do not show progress");
  add_flag("--timings", context_.timings, "Print where burin spent its time");
  app.add_option("--color", context_.color,
                 "Colour: always, never, or auto (on a terminal, unless NO_COLOR is set)")
      ->type_name("WHEN")
      ->check(one_of({"always", "never", "auto"}))
      ->group("Global options");
}

CLI::App& Commands::add(const std::string& name, const std::string& description,
                        const std::string& examples, Action action) {
  CLI::App& app = *root_->add_subcommand(name, description);
  app.group("Commands");
  app.footer("Examples:\n" + examples);
  add_common_options(app);
  actions_[&app] = std::move(action);
  return app;
}

std::vector<const CLI::App*> Commands::listed() const {
  const CLI::App& root = *root_;
  std::vector<const CLI::App*> commands = root.get_subcommands({});
  std::erase_if(commands, [](const CLI::App* app) { return app->get_group().empty(); });
  return commands;
}

// Unknown words are told before anything else: they are the likeliest cause of what else is wrong.
Error Commands::usage_error(const std::string& what) const {
  const auto commands = root_->get_subcommands();
  const CLI::App& app = commands.empty() ? *root_ : *commands.front();
  const std::string help = commands.empty() ? "burin" : "burin " + app.get_name();
  std::string sentence = what;
  std::vector<std::string> words = root_->remaining(true);
  std::erase(words, "--");
  if (!words.empty()) {
    std::string word = words.front();
    if (word.starts_with("-")) {
      word = word.substr(0, word.find('='));
      sentence = help + " has no option " + word + did_you_mean(word, long_options(app));
    } else if (commands.empty()) {
      std::vector<std::string> names;
      for (const auto& [command, action] : actions_) {
        if (!command->get_group().empty()) names.push_back(command->get_name());
      }
      sentence = "unknown command " + word + did_you_mean(word, names);
    } else {
      sentence = help + " takes no more arguments: " + word;
      if (context_.json) sentence += " (--json prints to standard output: use --json > FILE)";
    }
  }
  return {sentence + (sentence.ends_with('?') ? " See " : "; see ") + help + " --help",
          Exit::kUsage};
}

Result<Exit> Commands::run(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {  // `burin help run` is `burin run --help`
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    root_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    if (!root_->remaining().empty()) return usage_error("");
    std::string help = root_->help();
    for (std::size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
    context_.out.put(help);
    return Exit::kDone;
  } catch (const CLI::CallForVersion& version) {
    context_.out.put(version.what(), '\n');
    return Exit::kDone;
  } catch (const CLI::ParseError& error) {
    return usage_error(sentence_of(error));
  }
  const auto commands = root_->get_subcommands();
  context_.out.set_color(wants_color(context_.color, STDOUT_FILENO));
  if (commands.empty()) {
    if (context_.json) return usage_error("no command given");
    write_what_next(context_.out, ".");
    return Exit::kDone;
  }
  for (const CLI::Option* option : commands.front()->get_options()) {
    if (option->get_expected_min() == 0) continue;  // a flag, or a value that may be left out
    for (const std::string& value : option->results()) {
      if (value.empty()) return usage_error(option->get_name() + " needs a value");
    }
  }
  if (Result<void> fine = check_output_options(*commands.front()); !fine) return fine.error();
  return actions_.at(commands.front())(context_);
}

int run(int argc, char** argv) {
  const double start = seconds_now();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen, quietly, when writing
  StandardOutput standard_output;
  Context* running = nullptr;
  const report::Output::Options options = terminal_options();
  report::LineWrapper wrapper(options.width,
                              [&](std::string_view text) { return standard_output.write(text); });
  report::Output out(
      [&](std::string_view text) {
        if (running != nullptr) running->clear_progress();  // both may be one terminal
        const bool whole = options.width == 0 || (running != nullptr && running->json);
        return whole ? standard_output.write(text) : wrapper.write(text);
      },
      options);
  Context context(out);
  running = &context;
  Commands commands(context);
  add_inspect(commands);
  add_run(commands);
  add_predict(commands);
  add_record(commands);
  add_cut(commands);
  add_explain(commands);
  add_advise(commands);
  add_tune(commands);
  add_carve(commands);
  add_coarsen(commands);
  add_saturate(commands);
  add_fit(commands);
  add_choose(commands);
  add_compare(commands);
  add_diff(commands);
  add_calibrate(commands);
  add_machines(commands);
  add_doctor(commands);
  add_serve(commands);
  add_mcp(commands);
  add_schema(commands);
  add_completion(commands);
  add_man(commands);
  add_worker(commands);
  add_compiler(commands);

  Result<Exit> result = commands.run(argc, argv);
  context.clear_progress();
  out.flush();
  wrapper.finish();
  if (result && standard_output.error != 0) {
    result = Error{std::string("cannot write output: ") + std::strerror(standard_output.error)};
  }
  if (!result) context.warn(result.error().message);
  if (context.timings) print_timings(seconds_now() - start);
  return static_cast<int>(result ? *result : result.error().exit);
}

}  // namespace burin::app
