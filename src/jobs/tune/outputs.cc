#include "jobs/tune/outputs.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "jobs/input/output_file.h"
#include "jobs/tune/winner_ptx.h"
#include "tune/formats/export.h"
#include "tune/formats/export_winners.h"

namespace burin::jobs {
namespace {

using tune::ExportFormat;

struct Export {
  ExportFormat format = ExportFormat::kT4;
  std::string path;

  // Of several problem sizes, each has a file.
  bool is_one_each() const {
    return format == ExportFormat::kT4 || format == ExportFormat::kCachefile;
  }
};

// FORMAT=FILE, or a FILE whose name says it.
Result<Export> parse_export(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    const Result<ExportFormat> format = tune::parse_export_format(text.substr(0, equals));
    if (!format) return format.error().within("--export");
    if (equals + 1 == text.size()) {
      return Error{fmt::format("--export: '{}' names no file", text), Exit::kUsage};
    }
    return Export{*format, text.substr(equals + 1)};
  }
  std::string_view name = file_name(text);
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".csv")) return Export{ExportFormat::kCsv, text};
  if (name.ends_with(".wisdom")) return Export{ExportFormat::kWisdom, text};
  if (name.ends_with(".json")) return Export{ExportFormat::kT4, text};
  return Error{fmt::format("--export: the name '{}' says no format; write t4=FILE, cachefile=FILE, "
                           "csv=FILE or wisdom=FILE",
                           text),
               Exit::kUsage};
}

enum class Emitted : std::uint8_t { kHeader, kJson, kPtx };
struct EmittedKind {
  Emitted kind;
  std::string_view name;
  std::string_view extension;
  FileContent content;
};
constexpr std::array kEmittedKinds{
    EmittedKind{Emitted::kHeader, "header", "h", FileContent::kText},
    EmittedKind{Emitted::kJson, "json", "json", FileContent::kJson},
    EmittedKind{Emitted::kPtx, "ptx", "ptx", FileContent::kText},
};

struct Emit {
  const EmittedKind* kind;
  std::string path;  // "": named after the kernel

  std::string path_for(const std::string& kernel) const {
    if (!path.empty()) return path;
    return fmt::format("{}_tuned.{}", kernel.substr(0, kernel.find_first_of("(<")),
                       kind->extension);
  }
};

// header, json or ptx, and =FILE.
Result<Emit> parse_emit(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = std::string_view(text).substr(0, equals);
  const auto* kind = std::ranges::find(kEmittedKinds, name, &EmittedKind::name);
  if (kind == kEmittedKinds.end()) {
    return Error{fmt::format("--emit: '{}' is none of header, json and ptx", name), Exit::kUsage};
  }
  return Emit{kind, equals == std::string::npos ? "" : text.substr(equals + 1)};
}

// "n=1024, m=64" as part of a file name: n_1024_m_64.
std::string name_of_size(const formula::Names& size) {
  std::string name;
  for (const auto& [key, value] : size) {
    name += fmt::format("{}{}_{}", name.empty() ? "" : "_", key, formula::plain_text(value));
  }
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '_');
  return name;
}

// space.json.gz -> space.n_1024.json.gz
std::string path_of_size(const std::string& path, const formula::Names& size) {
  const std::size_t name = path.find_last_of('/') + 1;
  const std::size_t dot = std::min(path.find('.', name), path.size());
  return path.substr(0, dot) + "." + name_of_size(size) + path.substr(dot);
}

tune::ExportedRun exported(const TunedKernel& tuned, const TunedRun& run) {
  const tune::ObjectiveSpec& objective = tuned.spec.objective;
  tune::ExportedRun result{.parameters = run.space.parameters(),
                           .trials = run.tuned.trials,
                           .kernel = tuned.kernel,
                           .device = run.device,
                           .problem_size = run.size,
                           .space_size = std::max(run.space_size, run.space.size())};
  if (objective.expression) {
    result.objective = objective.unit.empty() ? objective.expression->text() : objective.unit;
    result.maximise = objective.maximise;
  }
  return result;
}

Result<void> write_export(const Export& wanted, TunedKernel& tuned) {
  std::vector<tune::ExportedRun> runs;
  for (const TunedRun& run : tuned.runs) runs.push_back(exported(tuned, run));
  if (!wanted.is_one_each() || runs.size() == 1) {
    tuned.written.push_back(wanted.path);
    return tune::export_trials(wanted.format, runs, wanted.path);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string path = path_of_size(wanted.path, tuned.runs[i].size);
    if (Result<void> done = tune::export_trials(wanted.format, {&runs[i], 1}, path); !done) {
      return done;
    }
    tuned.written.push_back(path);
  }
  return {};
}

// One file for each problem size.
Result<void> write_ptx(const Emit& wanted, const TuneRequest& request, TunedKernel& tuned) {
  for (const TunedRun& run : tuned.runs) {
    if (run.best() == nullptr) continue;
    const Result<std::string> ptx = winner_ptx(request, tuned, run);
    if (!ptx) return ptx.error().within("--emit ptx");
    std::string path = wanted.path_for(tuned.kernel);
    if (tuned.runs.size() > 1) path = path_of_size(path, run.size);
    if (Result<void> done = tune::write_text_file(path, *ptx); !done) return done;
    tuned.written.push_back(std::move(path));
  }
  return {};
}

Result<void> write_winners(const Emit& wanted, const TuneRequest& request, TunedKernel& tuned) {
  tune::WinningConfigs winners{.kernel = tuned.kernel, .made_by = "burin tune"};
  if (!request.input.empty()) winners.made_by += " " + request.input;
  for (const TunedRun& run : tuned.runs) {
    const tune::Trial* best = run.best();
    if (best == nullptr) continue;
    winners.parameters = run.space.parameters();
    tune::WinningConfig winner{.device = run.device,
                               .problem_size = run.size,
                               .point = best->point,
                               .time_us = run.best_time_us()};
    if (run.tuned.final) winner.confidence = run.tuned.final->confidence;
    winners.winners.push_back(std::move(winner));
  }
  if (winners.winners.empty()) {
    tuned.notes.emplace_back("--emit wrote nothing: no configuration worked");
    return {};
  }
  if (wanted.kind->kind == Emitted::kPtx) return write_ptx(wanted, request, tuned);
  tuned.written.push_back(wanted.path_for(tuned.kernel));
  return tune::write_text_file(tuned.written.back(), wanted.kind->kind == Emitted::kHeader
                                                         ? tune::winners_header(winners)
                                                         : tune::winners_json(winners));
}

FileContent content_of_export(const Export& wanted) {
  if (wanted.path.ends_with(".gz")) return FileContent::kData;
  return wanted.format == ExportFormat::kCsv ? FileContent::kText : FileContent::kJson;
}

// The files that the options name.
Result<std::vector<OutputFile>> named_files(const TuneRequest& request) {
  std::vector<OutputFile> files;
  for (const std::string& text : request.exports) {
    const Result<Export> wanted = parse_export(text);
    if (!wanted) return wanted.error();
    files.push_back({"--export", wanted->path, content_of_export(*wanted)});
  }
  for (const std::string& text : request.emits) {
    const Result<Emit> wanted = parse_emit(text);
    if (!wanted) return wanted.error();
    if (!wanted->path.empty()) files.push_back({"--emit", wanted->path, wanted->kind->content});
  }
  return files;
}

// The files as they will be called: some are named after the kernel, or are one for each size.
Result<std::vector<OutputFile>> final_files(const TuneRequest& request, const TunedKernel& tuned) {
  std::vector<OutputFile> files;
  const auto add = [&](const OutputFile& file, bool one_each) {
    if (!one_each || tuned.spec.sizes.size() < 2) return files.push_back(file);
    for (const formula::Names& size : tuned.spec.sizes) {
      files.push_back({file.option, path_of_size(file.path, size), file.content});
    }
  };
  for (const std::string& text : request.exports) {
    const Result<Export> wanted = parse_export(text);
    if (!wanted) return wanted.error();
    add({"--export", wanted->path, content_of_export(*wanted)}, wanted->is_one_each());
  }
  for (const std::string& text : request.emits) {
    const Result<Emit> wanted = parse_emit(text);
    if (!wanted) return wanted.error();
    add({"--emit", wanted->path_for(tuned.kernel), wanted->kind->content},
        wanted->kind->kind == Emitted::kPtx);
  }
  return files;
}

Result<void> check_files(const std::vector<OutputFile>& files, const TuneRequest& request) {
  std::vector<std::string> inputs = input_files(request.launch);
  inputs.push_back(request.input);
  inputs.push_back(request.session);
  if (request.device.starts_with(kReplayDevice)) {
    inputs.push_back(request.device.substr(kReplayDevice.size()));
  }
  for (const OutputFile& file : files) {
    if (Result<void> fine = check_output(file, inputs, request.force); !fine) return fine;
  }
  return check_distinct(files, {});
}

}  // namespace

Result<void> check_tune_outputs(const TuneRequest& request) {
  const Result<std::vector<OutputFile>> files = named_files(request);
  if (!files) return files.error();
  return check_files(*files, request);
}

Result<void> check_emitted(const TuneRequest& request, const TunedKernel& tuned) {
  const Result<std::vector<OutputFile>> files = final_files(request, tuned);
  if (!files) return files.error();
  if (Result<void> fine = check_files(*files, request); !fine) return fine;
  for (const std::string& text : request.emits) {
    const Result<Emit> wanted = parse_emit(text);
    if (!wanted) return wanted.error();
    if (wanted->kind->kind != Emitted::kPtx) continue;
    if (Result<void> fine = check_winner_ptx(request, tuned.spec); !fine) return fine;
  }
  return {};
}

Result<void> write_tune_outputs(const TuneRequest& request, TunedKernel& tuned) {
  for (const std::string& text : request.exports) {
    const Result<Export> wanted = parse_export(text);
    if (!wanted) return wanted.error();
    if (Result<void> done = write_export(*wanted, tuned); !done)
      return done.error().within("--export");
  }
  for (const std::string& text : request.emits) {
    const Result<Emit> wanted = parse_emit(text);
    if (!wanted) return wanted.error();
    if (Result<void> done = write_winners(*wanted, request, tuned); !done) return done;
  }
  return {};
}

}  // namespace burin::jobs
