// The files of corpus/ that tests read. The build unpacks the archives (scripts/corpus.py).
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace burin {

inline const std::string kCorpus = BURIN_SOURCE_DIR "/corpus/";  // sources and launches.txt

inline const std::string kUnpackedCorpus = BURIN_SOURCE_DIR "/build/corpus/";

inline bool has_corpus_file(const std::string& name) {
  return std::filesystem::exists(kUnpackedCorpus + name);
}

// The path of an unpacked file: corpus_file("oracle/sm_90.txt"). A missing file fails the test with
// a sentence that says how to get it.
inline std::string corpus_file(const std::string& name) {
  if (!has_corpus_file(name)) {
    throw std::runtime_error(kUnpackedCorpus + name +
                             " is missing: scripts/corpus.py unpack makes it");
  }
  return kUnpackedCorpus + name;
}

}  // namespace burin
