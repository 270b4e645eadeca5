#include "tune/formats/export.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "tune/formats/export_values.h"

namespace burin::tune {
namespace {

struct FormatName {
  ExportFormat format;
  std::string_view name;
  bool single_run;
};
constexpr std::array<FormatName, 4> kFormats{{{ExportFormat::kT4, "t4", true},
                                              {ExportFormat::kCachefile, "cachefile", true},
                                              {ExportFormat::kCsv, "csv", false},
                                              {ExportFormat::kWisdom, "wisdom", false}}};

// As RFC 4180 has it.
std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// The names of all runs: of their parameters, problem sizes or figures.
template <typename NamesOf>
std::vector<std::string> all_names(std::span<const ExportedRun> runs, NamesOf names_of) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const ExportedRun& run : runs) {
    for (std::string& name : names_of(run)) {
      if (seen.insert(name).second) names.push_back(std::move(name));
    }
  }
  return names;
}

std::vector<std::string> parameter_names(const ExportedRun& run) {
  std::vector<std::string> names;
  for (const Parameter& parameter : run.parameters) names.push_back(parameter.name);
  return names;
}

std::vector<std::string> size_names(const ExportedRun& run) {
  std::vector<std::string> names;
  for (const auto& [name, value] : run.problem_size) names.push_back(name);
  return names;
}

std::vector<std::string> figure_names(const ExportedRun& run) {
  std::set<std::string> names;
  for (const Trial& trial : run.trials) {
    for (const auto& [name, value] : trial.figures) names.insert(name);
  }
  return {names.begin(), names.end()};
}

struct CsvColumns {
  std::vector<std::string> parameters, sizes, figures;
};

std::string csv_line(const ExportedRun& run, const Trial& trial, const CsvColumns& columns) {
  std::string line;
  const auto add = [&line](std::string_view cell) {
    if (!line.empty()) line += ',';
    line += csv_cell(cell);
  };
  add(run.kernel);
  add(trial.device.empty() ? run.device : trial.device);
  for (const std::string& name : columns.sizes) {
    const auto size = run.problem_size.find(name);
    add(size == run.problem_size.end() ? "" : formula::plain_text(size->second));
  }
  for (const std::string& name : columns.parameters) {
    const auto at = std::ranges::find(run.parameters, name, &Parameter::name);
    const auto k = static_cast<std::size_t>(at - run.parameters.begin());
    add(at == run.parameters.end() ? "" : formula::plain_text(at->values[trial.point[k]]));
  }
  const bool works = trial.status == Status::kOk;
  add(name(trial.status));
  add(works ? fmt::format("{}", trial.time_us) : "");
  add(works ? fmt::format("{}", run.maximise ? -trial.objective : trial.objective) : "");
  add(fmt::format("{}", trial.times_us.size()));
  add(trial.cut_short ? "1" : "0");
  add(fmt::format("{}", trial.compile_seconds));
  add(fmt::format("{}", trial.measure_seconds));
  for (const std::string& name : columns.figures) {
    const auto figure = trial.figures.find(name);
    add(figure == trial.figures.end() ? "" : fmt::format("{}", figure->second));
  }
  add(trial.host);
  add(timestamp(trial.unix_ms));
  add(trial.reason);
  return line + '\n';
}

Result<std::string> gzip(std::string_view text, const std::string& path) {
  constexpr int kGzip = 15 + 16;  // the largest window, and gzip's header
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return Error{path + ": cannot be compressed: not enough memory"};
  }
  std::string packed;
  std::array<char, std::size_t{1} << 16> buffer;
  int code = Z_OK;
  // zlib counts in 32 bits.
  while (code == Z_OK || code == Z_BUF_ERROR) {
    constexpr std::size_t kPiece = std::size_t{1} << 30;
    const std::string_view piece = text.substr(0, kPiece);
    text.remove_prefix(piece.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = static_cast<uInt>(buffer.size());
      code = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
      packed.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::string timestamp(std::int64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(unix_ms)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}000+00:00",
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string csv_text(std::span<const ExportedRun> runs) {
  const CsvColumns columns{.parameters = all_names(runs, parameter_names),
                           .sizes = all_names(runs, size_names),
                           .figures = all_names(runs, figure_names)};
  std::string text = "kernel,device";
  const auto add = [&text](const std::string& name) { text += ',' + csv_cell(name); };
  std::ranges::for_each(columns.sizes, add);
  std::ranges::for_each(columns.parameters, add);
  text += ",status,time_us,objective,samples,cut_short,compile_seconds,measure_seconds";
  std::ranges::for_each(columns.figures, add);
  text += ",host,timestamp,reason\n";
  for (const ExportedRun& run : runs) {
    for (const Trial& trial : run.trials) text += csv_line(run, trial, columns);
  }
  return text;
}

std::string wisdom_text(std::span<const ExportedRun> runs) {
  if (runs.empty()) return "";
  const OrderedJson header = {{"schema", "burin.wisdom/1"},
                              {"version", "1.0"},
                              {"key", runs.front().kernel},
                              {"objective", runs.front().objective},
                              {"time_unit", "ms"},
                              {"tunable_parameters", all_names(runs, parameter_names)},
                              {"problem_size", all_names(runs, size_names)}};
  std::string text = json_text(header, -1) + '\n';
  for (const ExportedRun& run : runs) {
    std::vector<const Trial*> order;
    for (const Trial& trial : run.trials) {
      if (trial.status == Status::kOk) order.push_back(&trial);
    }
    std::ranges::sort(order, {},
                      [](const Trial* trial) { return std::pair(trial->objective, trial); });
    for (const Trial* trial : order) {
      OrderedJson line = {{"config", json_config(run, trial->point)},
                          {"problem_size", json_values(run.problem_size)},
                          {"environment",
                           {{"device_name", trial->device.empty() ? run.device : trial->device},
                            {"host", trial->host}}},
                          {"time", trial->time_us / 1000},
                          {"date", timestamp(trial->unix_ms)}};
      if (run.objective != "time") {
        line["objective"] = run.maximise ? -trial->objective : trial->objective;
      }
      text += json_text(line, -1) + '\n';
    }
  }
  return text;
}

Result<ExportFormat> parse_export_format(std::string_view name) {
  std::vector<std::string> names;
  for (const FormatName& known : kFormats) {
    if (known.name == name) return known.format;
    names.emplace_back(known.name);
  }
  return Error{fmt::format("there is no export format '{}'; use {}", name, list_of(names, 9)),
               Exit::kUsage};
}

Result<void> export_trials(ExportFormat format, std::span<const ExportedRun> runs,
                           const std::string& path) {
  const auto known = std::ranges::find(kFormats, format, &FormatName::format);
  if (runs.empty()) return Error{"there are no trials to export", Exit::kUsage};
  if (known->single_run && runs.size() > 1) {
    return Error{fmt::format("{}: a {} file holds one device and problem size, and the session "
                             "has {}; choose one",
                             path, known->name, runs.size()),
                 Exit::kUsage};
  }
  switch (format) {
    case ExportFormat::kT4:
      return write_text_file(path, t4_text(runs.front()));
    case ExportFormat::kCachefile:
      return write_text_file(path, cachefile_text(runs.front()));
    case ExportFormat::kCsv:
      return write_text_file(path, csv_text(runs));
    case ExportFormat::kWisdom:
      return write_text_file(path, wisdom_text(runs));
  }
  return {};
}

Result<void> write_text_file(const std::string& path, std::string_view text) {
  std::string packed;
  if (path.ends_with(".gz")) {
    Result<std::string> done = gzip(text, path);
    if (!done) return done.error();
    packed = std::move(*done);
    text = packed;
  }
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

}  // namespace burin::tune
