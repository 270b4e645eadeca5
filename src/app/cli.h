// The command-line framework for all commands: common options, help, errors, exit statuses.
//
// A command is one file with one function that registers it:
//
//   void add_doctor(Commands& commands) {
//     CLI::App& app = commands.add("doctor", "Says what works here", "  burin doctor\n", doctor);
//     app.add_flag("--all", …);
//   }
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/progress_line.h"
#include "base/result.h"
#include "jobs/input/progress.h"
#include "report/write/output.h"

namespace CLI {
class App;
}

namespace burin::app {

// The environment of a running command.
struct Context {
  explicit Context(report::Output& output) : out(output) {}

  report::Output& out;  // standard output; a closed pipe ends it quietly
  bool json = false;
  bool quiet = false;
  bool timings = false;
  std::string color = "auto";  // "always", "never"

  // Returns the progress callbacks for jobs. Progress is shown only on a terminal, and not with
  // --quiet.
  jobs::Progress progress();
  void clear_progress();

  // Writes "burin: <sentence>" to standard error.
  void warn(std::string_view sentence);

 private:
  ProgressLine line_;
};

class Commands {
 public:
  using Action = std::function<Result<Exit>(Context&)>;

  explicit Commands(Context& context);
  ~Commands();

  // Adds a command. `examples` are complete lines, shown at the end of the command's --help.
  CLI::App& add(const std::string& name, const std::string& description,
                const std::string& examples, Action action);

  const CLI::App& root() const { return *root_; }
  // The commands that are for users, as --help lists them.
  std::vector<const CLI::App*> listed() const;

  // Parses the arguments and runs the command that they name.
  Result<Exit> run(int argc, char** argv);

 private:
  void add_common_options(CLI::App& app);
  Error usage_error(const std::string& what) const;

  Context& context_;
  std::unique_ptr<CLI::App> root_;
  std::map<const CLI::App*, Action> actions_;
};

void add_inspect(Commands& commands);
void add_run(Commands& commands);
void add_predict(Commands& commands);
void add_record(Commands& commands);
void add_cut(Commands& commands);
void add_explain(Commands& commands);
void add_advise(Commands& commands);
void add_compare(Commands& commands);
void add_diff(Commands& commands);
void add_calibrate(Commands& commands);
void add_machines(Commands& commands);
void add_doctor(Commands& commands);
void add_completion(Commands& commands);
void add_man(Commands& commands);
void add_tune(Commands& commands);
void add_carve(Commands& commands);
void add_coarsen(Commands& commands);
void add_saturate(Commands& commands);
void add_fit(Commands& commands);
void add_choose(Commands& commands);
void add_serve(Commands& commands);
void add_mcp(Commands& commands);
void add_schema(Commands& commands);
void add_worker(Commands& commands);
void add_compiler(Commands& commands);

// Runs the whole program and returns the exit status.
int run(int argc, char** argv);

}  // namespace burin::app
