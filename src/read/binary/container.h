// Finds the GPU code in any file: a cubin, a fatbin, or a host executable, object, static or shared
// library that carries them. Entries are listed without being decompressed; `load` opens one.
//
//   Result<MappedFile> file = MappedFile::open("libfoo.so");
//   Result<Container> container = open_container(file->bytes());
//   for (const Entry& entry : container->entries)
//     if (entry.kind == Entry::Kind::kCubin) { Result<Image> image = load(entry); … }
//
// One image is in memory at a time, so a library of any size is read in little memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "read/binary/image.h"

namespace burin::read {

struct Entry {
  enum class Kind { kCubin, kPtx, kLtoIr, kOther };
  enum class Packing { kRaw, kZstd, kLz4 };

  Kind kind = Kind::kCubin;
  Packing packing = Packing::kRaw;
  Architecture arch;           // from the fatbin; for a bare cubin, its own
  std::string name;            // the translation unit, where the fatbin tells
  std::string member;          // archive member, where the file is a static library
  Bytes data;                  // as stored
  std::uint64_t raw_size = 0;  // decompressed bytes
};

struct Container {
  enum class Format { kCubin, kFatbin, kHostElf, kArchive, kPtx };
  Format format = Format::kCubin;
  std::vector<Entry> entries;
  std::vector<std::string> problems;  // parts that could not be read, a sentence each
};

// An Error when the file is of no known kind, is damaged as a whole, or holds no GPU code.
Result<Container> open_container(Bytes file);

// The entry's bytes, decompressed where needed. Refuses an entry that claims or yields more than
// `limit` bytes.
Result<std::vector<std::uint8_t>> unpack(const Entry& entry, std::uint64_t limit = 1ull << 29);

// A cubin entry as an Image (views into the file, or into `Image::storage`).
Result<Image> load(const Entry& entry);

}  // namespace burin::read
