// Finds the GPU code in any file: a cubin, a fatbin, a host executable, object file, static or
// shared library that contains GPU code, a Python wheel or another zip file of these, or a folder
// of them. Entries are listed without being decompressed; `load` opens one entry.
//
//   Result<Container> container = open_path("libfoo.so");
//   for (const Entry& entry : container->entries)
//     if (entry.kind == Entry::Kind::kCubin) { Result<Image> image = load(entry); … }
//
// Only one image is in memory at a time, so a library of any size needs little memory. Of a zip
// file with compressed members, the GPU code of all of them is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  std::string member;          // of a static library, a zip file or a folder
  Bytes data;                  // bytes as stored, possibly compressed
  std::uint64_t raw_size = 0;  // decompressed size, bytes
};

struct Container {
  enum class Format { kCubin, kFatbin, kHostElf, kArchive, kPtx, kZip, kFolder };
  Format format = Format::kCubin;
  std::vector<Entry> entries;
  std::vector<std::string> problems;  // one sentence per part that could not be read
  // Owns the bytes of the entries that are not in the bytes given to open_container().
  std::vector<std::shared_ptr<const void>> storage;

  // Members are separate builds: two may have kernels of the same name.
  bool is_collection() const { return format == Format::kZip || format == Format::kFolder; }
};

// Lists the entries of a file. Returns an Error if the format is unknown, the file as a whole is
// damaged, or it contains no GPU code.
Result<Container> open_container(Bytes file);

// Does the same for what a user names: a file; a folder, searched with the folders in it (Triton's
// cache); or a member of a zip file, as if the zip file were a folder ("torch.whl/lib/libfoo.so").
// The container owns the bytes. Errors name the path.
Result<Container> open_path(const std::string& path);

// The zip file that a path leads into, and the member after it; empty if the path names a file or
// folder, or nothing at all.
struct ZipPath {
  std::string file;
  std::string member;
};
std::optional<ZipPath> split_zip_path(const std::string& path);

// The entry's bytes, decompressed if needed. Returns an Error if the entry claims to have, or
// decompresses to, more than `limit` bytes.
Result<std::vector<std::uint8_t>> unpack(const Entry& entry, std::uint64_t limit = 1ull << 29);

// Reads a cubin entry as an Image, whose views point into the file or into `Image::storage`.
Result<Image> load(const Entry& entry);

}  // namespace burin::read
