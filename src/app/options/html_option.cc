#include "app/options/html_option.h"

#include <CLI/CLI.hpp>

#include "app/options/output_option.h"
#include "base/new_file.h"
#include "base/timings.h"
#include "jobs/input/output_file.h"
#include "report/html/page.h"

namespace burin::app {
namespace {

// What `write` puts out, as one string.
std::string text_of(const std::function<void(report::Output&)>& write) {
  std::string text;
  report::Output out([&](std::string_view part) {
    text += part;
    return true;
  });
  write(out);
  out.flush();
  return text;
}

Result<void> write_file(const std::string& option, const std::string& path,
                        const std::string& text) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error().within(option);
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

void add_force(CLI::App& app, PictureOptions& options) {
  if (app.get_option_no_throw("--force") != nullptr) return;
  app.add_flag("--force", options.force, "Overwrite an existing output file of any kind");
}

}  // namespace

void add_html_option(CLI::App& app, PictureOptions& options) {
  app.add_option("--html", options.html, "Also write a report for the browser: one file")
      ->type_name("FILE")
      ->check(output_file());
  add_force(app, options);
}

void add_trace_option(CLI::App& app, PictureOptions& options) {
  app.add_option("--trace", options.trace,
                 "Also write a timeline for ui.perfetto.dev or chrome://tracing")
      ->type_name("FILE")
      ->check(output_file());
  add_force(app, options);
}

Result<void> check(const PictureOptions& options, const std::vector<std::string>& inputs) {
  if (!options.html.empty()) {
    const jobs::OutputFile file{"--html", options.html, jobs::FileContent::kHtml};
    if (Result<void> fine = jobs::check_output(file, inputs, options.force); !fine) return fine;
    if (Result<void> built = report::check_pages(); !built) return built.error().within("--html");
  }
  if (options.trace.empty()) return {};
  return jobs::check_output({"--trace", options.trace, jobs::FileContent::kJson}, inputs,
                            options.force);
}

Result<void> write_html(const std::string& path, const std::string& title,
                        const std::function<void(report::Json&)>& write_views) {
  const Timed timed("html");
  const std::string data = text_of([&](report::Output& out) {
    report::Json json(out);
    json.open('{');
    json.field("schema", "burin.report/1");
    json.field("burin", BURIN_VERSION);
    json.open("views", '[');
    write_views(json);
    json.close();
    json.close();
  });
  return write_file("--html", path,
                    text_of([&](report::Output& out) { report::write_page(out, title, data); }));
}

Result<void> write_html_of(const PictureOptions& options, const std::string& title,
                           const std::function<void(report::Json&)>& write_document) {
  if (options.html.empty()) return {};
  return write_html(options.html, title, [&](report::Json& json) {
    json.open('[');
    write_document(json);
    json.close();
  });
}

Result<void> write_json_file(const std::string& option, const std::string& path,
                             const std::function<void(report::Json&)>& write) {
  return write_file(option, path, text_of([&](report::Output& out) {
                      report::Json json(out);
                      write(json);
                    }));
}

}  // namespace burin::app
