// A program that runs on a fake driver with a fake CUPTI and the recorder in it, and the spool that
// is left of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/file.h"
#include "capture/spool/spool.h"
#include "gpu/record/settings.h"
#include "measure/scratch_folder.h"

namespace burin::gpu {

struct Spool {
  std::vector<MappedFile> files;  // what Bytes in the records point into
  std::vector<capture::SpoolRecord> records;
  bool truncated = false;

  template <typename Record>
  std::vector<Record> all() const {
    std::vector<Record> found;
    for (const capture::SpoolRecord& record : records) {
      if (const Record* one = std::get_if<Record>(&record)) found.push_back(*one);
    }
    return found;
  }
  std::vector<capture::SpoolTime> times() const {
    std::vector<capture::SpoolTime> found;
    for (const capture::SpoolTimes& batch : all<capture::SpoolTimes>()) {
      found.insert(found.end(), batch.times.begin(), batch.times.end());
    }
    return found;
  }
  Bytes content(std::uint64_t number) const {
    for (const capture::SpoolContent& content : all<capture::SpoolContent>()) {
      if (content.content == number) return content.bytes;
    }
    return {};
  }
};

class RecordTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = *measure::ScratchFolder::make();
    settings_.folder = folder_->path();
    settings_.cupti = {BURIN_FAKE_CUPTI};
    ::setenv("BURIN_LIBCUDA", BURIN_FAKE_CUPTI, 1);
    ::setenv("CUDA_INJECTION64_PATH", BURIN_RECORD_LIBRARY, 1);
    ::setenv("BURIN_FAKE", "", 1);
  }
  void TearDown() override {
    ::unsetenv("CUDA_INJECTION64_PATH");
    ::unsetenv("BURIN_LIBCUDA");
    ::unsetenv(kRecordVariable);
  }

  // Runs the program and reads what it left. It must print nothing: the recorder does not.
  Spool record(std::vector<std::string> words, Answer::End end = Answer::End::kDone) {
    words.insert(words.begin(), cubin_);
    return record_program(BURIN_FAKE_PROGRAM, words, end);
  }
  Spool record_program(const std::string& program, const std::vector<std::string>& words,
                       Answer::End end = Answer::End::kDone) {
    ::setenv(kRecordVariable, write_settings(settings_).c_str(), 1);
    const Answer answer = run_program(program, words, 60);
    EXPECT_EQ(answer.text, "");
    EXPECT_EQ(answer.end, end);
    Spool spool;
    const std::vector<std::string> files = *capture::spool_files(folder_->path());
    for (const std::string& path : files) {
      spool.files.push_back(std::move(*MappedFile::open(path)));
      Result<capture::SpoolReader> reader = capture::SpoolReader::open(spool.files.back().bytes());
      EXPECT_TRUE(reader.ok());
      while (std::optional<capture::SpoolRecord> one = reader->next())
        spool.records.push_back(*one);
      spool.truncated = spool.truncated || reader->truncated();
    }
    return spool;
  }

  // For a second program in one test.
  void use_new_folder() {
    folder_ = *measure::ScratchFolder::make();
    settings_.folder = folder_->path();
  }

  const std::string program_ = BURIN_FAKE_PROGRAM;
  std::string cubin_ = BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin";
  std::shared_ptr<measure::ScratchFolder> folder_;
  RecordSettings settings_;
};

}  // namespace burin::gpu
