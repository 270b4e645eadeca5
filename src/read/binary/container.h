// Finds the GPU code in any file: a cubin, a fatbin, or a host executable, object file, static or
// shared library that contains GPU code. Entries are listed without being decompressed; `load`
// opens one entry.
//
//   Result<MappedFile> file = MappedFile::open("libfoo.so");
//   Result<Container> container = open_container(file->bytes());
//   for (const Entry& entry : container->entries)
//     if (entry.kind == Entry::Kind::kCubin) { Result<Image> image = load(entry); … }
//
// Only one image is in memory at a time, so a library of any size needs little memory.
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
  Architecture arch;           // from the fatbin entry; for a bare cubin, from the cubin
  std::string name;            // the translation unit; "" if the fatbin does not name it
  std::string member;          // archive member, if the file is a static library
  Bytes data;                  // bytes as stored, possibly compressed
  std::uint64_t raw_size = 0;  // decompressed size, bytes
};

struct Container {
  enum class Format { kCubin, kFatbin, kHostElf, kArchive, kPtx };
  Format format = Format::kCubin;
  std::vector<Entry> entries;
  std::vector<std::string> problems;  // one sentence per part that could not be read
};

// Lists the entries of a file. Returns an Error if the format is unknown, the file as a whole is
// damaged, or it contains no GPU code.
Result<Container> open_container(Bytes file);

// The entry's bytes, decompressed if needed. Returns an Error if the entry claims to have, or
// decompresses to, more than `limit` bytes.
Result<std::vector<std::uint8_t>> unpack(const Entry& entry, std::uint64_t limit = 1ull << 29);

// Reads a cubin entry as an Image, whose views point into the file or into `Image::storage`.
Result<Image> load(const Entry& entry);

}  // namespace burin::read
