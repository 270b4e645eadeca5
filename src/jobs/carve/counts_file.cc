#include "jobs/carve/counts_file.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "tune/formats/gzip.h"

namespace burin::jobs {
namespace {

constexpr std::string_view kFormat = "# burin.carve.counts/1 machine=";
constexpr std::string_view kCompressed = ".gz";
constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
constexpr std::size_t kFixed = 4;  // status, predicted_us, compile_seconds, launch

std::string head_of(const std::string& machine, const formula::Names& size,
                    const tune::Space& space) {
  std::string head = fmt::format("{}{}\n", kFormat, machine);
  for (const auto& [name, value] : size) head += name + ",";
  for (const tune::Parameter& parameter : space.parameters()) head += parameter.name + ",";
  head += "status,predicted_us,compile_seconds,launch,";
  for (const model::CountField& field : model::count_fields()) {
    head += fmt::format("{},", field.name);
  }
  return head + "reason\n";
}

std::vector<std::string_view> cells_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> cells;
  while (cells.size() + 1 < most) {
    const std::size_t comma = line.find(',');
    if (comma == line.npos) break;
    cells.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(line);
  return cells;
}

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

Result<std::string> contents_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  if (!tune::is_gzip(bytes)) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  Result<std::string> text = tune::unpack_gzip(bytes, kMaxFileBytes);
  if (!text) return text.error().within(path);
  return text;
}

// One line, without what would end it.
std::string flat(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace

Result<CountsFile> CountsFile::open(const std::string& path, const std::string& machine,
                                    const formula::Names& size, const tune::Space& space) {
  CountsFile made;
  made.path_ = path;
  made.space_ = &space;
  made.head_ = head_of(machine, size, space);
  for (const auto& [name, value] : size) made.size_text_ += formula::plain_text(value) + ",";
  if (path.empty()) return made;
  std::error_code ignored;
  const bool begins = !std::filesystem::exists(path, ignored);
  bool ends_with_line = true;
  if (!begins) {
    const Result<std::string> text = contents_of(path);
    if (!text) return text.error();
    if (!text->starts_with(made.head_)) {
      return Error{
          fmt::format("{}: holds the counts of other parameters, of another machine than "
                      "{}, or of another version of burin; remove it or name another file",
                      path, machine)};
    }
    if (Result<void> read = made.read(std::string_view(*text).substr(made.head_.size())); !read) {
      return read.error();
    }
    ends_with_line = text->ends_with('\n');
  }
  if (path.ends_with(kCompressed)) return made;
  made.file_.reset(std::fopen(path.c_str(), "ae"));
  if (made.file_ == nullptr) return Error{fmt::format("{}: {}", path, std::strerror(errno))};
  if (begins) std::fputs(made.head_.c_str(), made.file_.get());
  if (!ends_with_line) std::fputc('\n', made.file_.get());
  return made;
}

// A line that was cut short, or is of another problem size, is skipped.
Result<void> CountsFile::read(std::string_view text) {
  const std::size_t parameters = space_->dimensions();
  const auto fields = model::count_fields();
  std::vector<std::map<std::string, std::uint16_t, std::less<>>> values(parameters);
  for (std::size_t p = 0; p < parameters; ++p) {
    const auto& of = space_->parameters()[p].values;
    for (std::size_t v = 0; v < of.size(); ++v) {
      values[p].emplace(formula::plain_text(of[v]), static_cast<std::uint16_t>(v));
    }
  }
  const std::size_t columns = parameters + kFixed + fields.size() + 1;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!line.starts_with(size_text_)) continue;
    line.remove_prefix(size_text_.size());
    const std::vector<std::string_view> cells = cells_of(line, columns);
    if (cells.size() != columns) continue;
    tune::Point point(parameters);
    bool fine = true;
    for (std::size_t p = 0; p < parameters && fine; ++p) {
      const auto found = values[p].find(cells[p]);
      fine = found != values[p].end();
      if (fine) point[p] = found->second;
    }
    if (!fine || !space_->contains(point)) continue;
    const std::optional<tune::Status> status = tune::parse_status(cells[parameters]);
    model::LaunchCounts counts;
    double launch = 0;
    fine = status && (*status != tune::Status::kOk || read_number(cells[parameters + 3], launch));
    for (std::size_t f = 0; f < fields.size() && fine && *status == tune::Status::kOk; ++f) {
      fine = read_number(cells[parameters + kFixed + f], counts.*fields[f].value);
    }
    if (!fine) continue;
    model::Counted& counted = known_[point];
    counted.point = point;
    counted.status = *status;
    if (double time = 0; read_number(cells[parameters + 1], time)) counted.predicted_us = time;
    (void)read_number(cells[parameters + 2], counted.compile_seconds);
    counted.reason = cells.back();
    if (!counted.ok()) continue;
    if (launch == 0) counted.launches.clear();
    counted.launches.push_back(counts);
  }
  return {};
}

Result<void> CountsFile::append(const model::Counted& counted) {
  if (file_ == nullptr) return {};
  std::string lines;
  const std::size_t launches = counted.ok() ? counted.launches.size() : 1;
  for (std::size_t i = 0; i < launches; ++i) {
    lines += size_text_;
    for (std::size_t p = 0; p < space_->dimensions(); ++p) {
      lines += formula::plain_text(space_->value(counted.point, p)) + ",";
    }
    lines += fmt::format("{},", tune::name(counted.status));
    if (counted.predicted_us) lines += fmt::format("{:.6g}", *counted.predicted_us);
    lines += fmt::format(",{:.3g},{},", counted.compile_seconds, i);
    const model::LaunchCounts none{};
    const model::LaunchCounts& counts = counted.ok() ? counted.launches[i] : none;
    for (const model::CountField& field : model::count_fields()) {
      lines += fmt::format("{},", counts.*field.value);
    }
    lines += flat(counted.reason) + "\n";
  }
  // One write: a run that is killed loses a configuration, not the file.
  if (std::fwrite(lines.data(), 1, lines.size(), file_.get()) != lines.size() ||
      std::fflush(file_.get()) != 0) {
    return Error{fmt::format("{}: {}", path_, std::strerror(errno))};
  }
  return {};
}

}  // namespace burin::jobs
