// What was counted of each configuration, kept in a file: a line for each launch of a
// configuration, appended as it is known, so that an interrupted run goes on where it was.
//
//   n,tile_size,…,status,predicted_us,compile_seconds,launch,launches,blocks,…,reason
//   1024,16,…,ok,203.1,0.41,0,1,4096,…,
//
// The first line names the columns: problem sizes, tunable parameters, what became of the
// configuration, counts (model/carve/launch_counts.h). The reason is the rest of the line.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "model/carve/counted.h"
#include "tune/space/space.h"

namespace burin::jobs {

class CountsFile {
 public:
  // Reads what the file has of this problem size, and appends from now on. A file that does not
  // exist is begun; one of another space is refused. A compressed one (.gz) is only
  // read. "": nothing is kept.
  static Result<CountsFile> open(const std::string& path, const std::string& machine,
                                 const formula::Names& size, const tune::Space& space);

  const std::map<tune::Point, model::Counted>& known() const { return known_; }
  Result<void> append(const model::Counted& counted);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  Result<void> read(std::string_view text);

  std::string path_;
  std::string head_;  // the first lines
  const tune::Space* space_ = nullptr;
  std::string size_text_;  // the columns of the problem size
  std::map<tune::Point, model::Counted> known_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace burin::jobs
