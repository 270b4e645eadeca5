// Zip files and folders, member by member.
#include "read/binary/members.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "read/binary/zip.h"

namespace burin::read {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMagicBytes = 8;
constexpr std::uint64_t kMaxUnpackedBytes = std::uint64_t{1} << 34;  // of all members together
constexpr std::size_t kMaxFiles = 200'000;

// Keeps only the GPU code of a member that was unpacked into memory.
void keep_code_only(std::size_t first_entry, Container& container) {
  std::uint64_t total = 0;
  for (std::size_t i = first_entry; i < container.entries.size(); ++i)
    total += container.entries[i].data.size();
  if (total == 0) return;
  auto code = std::make_shared<std::vector<std::uint8_t>>();
  code->reserve(total);
  for (std::size_t i = first_entry; i < container.entries.size(); ++i) {
    const Bytes data = container.entries[i].data;
    const std::size_t begin = code->size();
    code->insert(code->end(), data.begin(), data.end());
    container.entries[i].data = Bytes(code->data() + begin, data.size());
  }
  container.storage.push_back(std::move(code));
}

Result<std::uint64_t> add_zip_member(const ZipMember& member, std::uint64_t limit,
                                     Container& container) {
  if (member.packing == ZipMember::Packing::kRaw && !member.encrypted) {
    add_member(member.name, member.data, container);
    return std::uint64_t{0};
  }
  const Result<std::vector<std::uint8_t>> bytes = unpack(member, limit);
  if (!bytes) return bytes.error();
  const std::size_t first = container.entries.size();
  add_member(member.name, *bytes, container);
  keep_code_only(first, container);
  return bytes->size();
}

Result<Container> open_zip_member(const ZipPath& path) {
  Result<MappedFile> mapped = MappedFile::open(path.file);
  if (!mapped) return mapped.error();
  const auto file = std::make_shared<const MappedFile>(std::move(*mapped));
  if (!is_zip(file->bytes())) {
    return Error{
        fmt::format("{} is not a folder or a zip file, so it has no {}", path.file, path.member)};
  }
  const Result<std::vector<ZipMember>> members = read_zip(file->bytes());
  if (!members) return members.error().within(path.file);
  const auto member = std::ranges::find(*members, path.member, &ZipMember::name);
  if (member == members->end()) {
    std::vector<std::string> names;
    for (const ZipMember& each : *members) names.push_back(each.name);
    const std::string near = closest(path.member, names);
    return Error{fmt::format("{} has no member {}{}", path.file, path.member,
                             near.empty() ? "" : "; did you mean " + near + "?")};
  }
  Result<std::vector<std::uint8_t>> unpacked = unpack(*member, kMaxUnpackedBytes);
  const std::string where = path.file + "/" + path.member;
  if (!unpacked) return unpacked.error().within(where);
  const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(*unpacked));
  Result<Container> container = open_container(*bytes);
  if (!container) return container.error().within(where);
  container->storage.push_back(bytes);
  return container;
}

// The regular files below a folder, in order of their paths. Links are not followed.
Result<std::vector<fs::path>> files_below(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failure);
  for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->is_symlink(ignored)) continue;
    if (files.size() == kMaxFiles) {
      return Error{fmt::format("{}: has more than {} files; name a folder in it", folder,
                               with_commas(kMaxFiles))};
    }
    files.push_back(at->path());
  }
  if (failure) return Error{fmt::format("{}: cannot be read: {}", folder, failure.message())};
  std::ranges::sort(files);
  return files;
}

Result<Container> open_folder(const std::string& folder) {
  const Result<std::vector<fs::path>> files = files_below(folder);
  if (!files) return files.error();
  Container container;
  container.format = Container::Format::kFolder;
  for (const fs::path& path : *files) {
    if (!may_have_gpu_code(burin::first_bytes(path.string(), kMagicBytes))) continue;
    Result<MappedFile> mapped = MappedFile::open(path.string());
    if (!mapped) {
      container.problems.push_back(mapped.error().message);
      continue;
    }
    const auto file = std::make_shared<const MappedFile>(std::move(*mapped));
    const std::size_t before = container.entries.size();
    add_member(path.lexically_relative(folder).string(), file->bytes(), container);
    if (container.entries.size() > before) container.storage.push_back(file);
  }
  if (!container.entries.empty()) return container;
  if (!container.problems.empty()) return Error{container.problems.front()}.within(folder);
  return Error{folder +
               ": contains no GPU code: no file in it is a cubin, or a library with a fatbin"};
}

}  // namespace

Result<void> add_zip(Bytes file, Container& container) {
  const Result<std::vector<ZipMember>> members = read_zip(file);
  if (!members) return members.error();
  std::uint64_t unpacked = 0;
  for (const ZipMember& member : *members) {
    if (!member.encrypted && !may_have_gpu_code(first_bytes(member, kMagicBytes))) continue;
    const Result<std::uint64_t> added =
        add_zip_member(member, kMaxUnpackedBytes - unpacked, container);
    if (added) {
      unpacked += *added;
    } else {
      container.problems.push_back(added.error().within("member " + member.name).message);
    }
  }
  container.format = Container::Format::kZip;
  return {};
}

std::optional<ZipPath> split_zip_path(const std::string& path) {
  std::error_code ignored;
  if (path.empty() || fs::exists(path, ignored)) return std::nullopt;
  for (fs::path file = fs::path(path).parent_path(); !file.empty() && file.has_relative_path();
       file = file.parent_path()) {
    if (fs::is_regular_file(file, ignored)) {
      return ZipPath{file.string(), path.substr(file.string().size() + 1)};
    }
    if (fs::exists(file, ignored)) break;
  }
  return std::nullopt;
}

Result<Container> open_path(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return open_folder(path);
  if (const std::optional<ZipPath> zip = split_zip_path(path)) return open_zip_member(*zip);
  Result<MappedFile> mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  const auto file = std::make_shared<const MappedFile>(std::move(*mapped));
  Result<Container> container = open_container(file->bytes());
  if (!container) return container.error().within(path);
  container->storage.push_back(file);
  return container;
}

}  // namespace burin::read
