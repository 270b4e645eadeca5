#include "jobs/input/output_file.h"

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/format.h"
#include "base/new_file.h"
#include "capture/capture.h"
#include "jobs/input/spec_files.h"
#include "store/database.h"

namespace burin::jobs {
namespace {

constexpr std::size_t kBeginBytes = 512;

std::string_view noun(FileContent content) {
  switch (content) {
    case FileContent::kEmpty:
      return "an empty file";
    case FileContent::kCapture:
      return "a capture";
    case FileContent::kDatabase:
      return "a database";
    case FileContent::kElf:
      return "a compiled program, library or cubin";
    case FileContent::kJson:
      return "JSON";
    case FileContent::kHtml:
      return "HTML";
    case FileContent::kText:
      return "a text file";
    case FileContent::kData:
      break;
  }
  return "raw data";
}

// How many bytes follow the first byte of a character in UTF-8; none where it is no first byte.
std::optional<std::size_t> more_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first < 0xc2 || first > 0xf4) return std::nullopt;
  return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

// UTF-8 without control characters; its last character may be cut off.
bool is_text(std::string_view text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const auto byte = static_cast<unsigned char>(c);
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == '\f';
    if ((byte < ' ' && !blank) || byte == 0x7f) return false;
    const std::optional<std::size_t> more = more_bytes(byte);
    if (!more) return false;
    for (std::size_t m = 0; m < *more && k + 1 < text.size(); ++m) {
      if ((static_cast<unsigned char>(text[++k]) & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

Result<void> check_replaced(const OutputFile& output) {
  const FileContent there = content_of(output.path);
  if (there == FileContent::kEmpty || there == output.content) return {};
  return Error{fmt::format("{}: {} exists and is {}, not {}; choose another name, or overwrite it "
                           "with --force",
                           output.option, output.path, noun(there), noun(output.content)),
               Exit::kUsage};
}

Result<void> check_no_input(const OutputFile& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!is_same_file(input, output.path)) continue;
    return Error{fmt::format("{}: {} is an input of this command; choose another name",
                             output.option, output.path),
                 Exit::kUsage};
  }
  return {};
}

std::vector<std::string> with_files_of_specs(std::vector<std::string> inputs) {
  for (std::size_t k = 0, given = inputs.size(); k < given; ++k) {
    const std::vector<std::string> named = spec_files(inputs[k]);
    inputs.insert(inputs.end(), named.begin(), named.end());
  }
  return inputs;
}

// Pipes and devices take more than one output.
bool is_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_other(fs::status(a, ignored))) return false;
  if (is_same_file(a, b)) return true;
  const fs::path place = fs::weakly_canonical(fs::absolute(a, ignored), ignored);
  return !place.empty() && place == fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

}  // namespace

FileContent content_of(const std::string& path) {
  const std::vector<std::uint8_t> begin = first_bytes(path, kBeginBytes);
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (text.empty()) return FileContent::kEmpty;
  if (capture::Capture::has_mark(begin)) return FileContent::kCapture;
  if (store::Database::is_database(begin)) return FileContent::kDatabase;
  if (text.starts_with("\x7f"
                       "ELF") ||
      text.starts_with("!<arch>"))
    return FileContent::kElf;
  if (!is_text(text)) return FileContent::kData;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (text.starts_with("<!doctype html>")) return FileContent::kHtml;
  const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  return json ? FileContent::kJson : FileContent::kText;
}

Result<void> check_output(const OutputFile& output, const std::vector<std::string>& inputs,
                          bool force) {
  const Result<void> no_input = check_no_input(output, with_files_of_specs(inputs));
  if (!no_input) return no_input;
  std::error_code ignored;
  const auto status = std::filesystem::status(output.path, ignored);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return {};
  if (!force) {
    if (Result<void> fine = check_replaced(output); !fine) return fine;
  }
  // Before a long run finds out. Nothing is left of the attempt.
  const Result<NewFile> file = NewFile::create(output.path);
  return file ? Result<void>() : file.error().within(output.option);
}

Result<void> check_distinct(std::span<const OutputFile> outputs,
                            const std::vector<std::string>& inputs) {
  if (outputs.empty()) return {};
  const std::vector<std::string> all = with_files_of_specs(inputs);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const OutputFile& output = outputs[k];
    if (Result<void> fine = check_no_input(output, all); !fine) return fine;
    for (const OutputFile& before : outputs.first(k)) {
      if (!is_one_file(output.path, before.path)) continue;
      const bool same = output.option == before.option;
      return Error{fmt::format("{}: {} is {}; choose two files", output.option, output.path,
                               same ? "given twice" : "also given to " + before.option),
                   Exit::kUsage};
    }
  }
  return {};
}

}  // namespace burin::jobs
