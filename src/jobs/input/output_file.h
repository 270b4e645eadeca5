// Checks the files that a command is to write, before it does any work. Every output option of
// every command passes through check_output(): an input of the command is never overwritten, and an
// existing file of another kind only with --force.
//
//   check_output({.option = "--sarif", .path = "kernel.cu", .content = FileContent::kJson},
//                {"kernel.cu"}, force);
//   // --sarif: kernel.cu is an input of this command; choose another name
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin::jobs {

// What a file holds, as far as its first bytes tell.
enum class FileContent : std::uint8_t {
  kEmpty,
  kCapture,
  kDatabase,
  kElf,
  kJson,
  kHtml,
  kText,
  kData
};

FileContent content_of(const std::string& path);

struct OutputFile {
  std::string option;  // for messages
  std::string path;
  FileContent content = FileContent::kData;  // what burin writes there
};

// Returns a usage Error for a file that must not be overwritten, and an Error for one that cannot
// be written. Pipes and devices are not opened. A tuning spec among the inputs stands for the files
// that it names, too.
Result<void> check_output(const OutputFile& output, const std::vector<std::string>& inputs,
                          bool force);

// All files that one command is to write: a usage Error if one of them is an input, or if two are
// one file. What `content` says is not looked at.
Result<void> check_distinct(std::span<const OutputFile> outputs,
                            const std::vector<std::string>& inputs);

}  // namespace burin::jobs
