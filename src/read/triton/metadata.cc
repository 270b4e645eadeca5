#include "read/triton/metadata.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/format.h"

namespace burin::read {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kCubin = ".cubin";
constexpr std::uint64_t kMaxBytes = 1 << 20;  // of metadata; Triton's have about 1 KiB

struct Field {
  std::string_view name;
  std::uint64_t most;
  bool is_required;
};

// A whole number of the metadata, or what stands for it where it is left out or null.
Result<std::uint64_t> number(const Json& all, const Field& field, std::uint64_t otherwise,
                             const std::string& file) {
  const auto found = all.find(field.name);
  if (found == all.end() || found->is_null()) {
    if (!field.is_required) return otherwise;
    return Error{fmt::format("{}: has no {}; burin reads the metadata of Triton 2.1 to 3.8{}", file,
                             field.name,
                             all.contains("triton_version") && all["triton_version"].is_string()
                                 ? ", and this is of " + all["triton_version"].get<std::string>()
                                 : "")};
  }
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > field.most) {
    return Error{
        fmt::format("{}: {} is not a whole number from 0 to {}", file, field.name, field.most)};
  }
  return found->get<std::uint64_t>();
}

}  // namespace

std::optional<std::string> triton_metadata_path(const std::string& cubin) {
  if (!cubin.ends_with(kCubin)) return std::nullopt;
  std::string path = cubin.substr(0, cubin.size() - kCubin.size()) + ".json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return path;
}

Result<std::optional<TritonMetadata>> parse_triton_metadata(const std::string& text,
                                                            const std::string& file) {
  const Json all = Json::parse(text, nullptr, false);
  const bool is_tritons =
      all.is_object() &&
      (all.contains("num_warps") || all.contains("triton_version") || all.contains("num_stages"));
  if (!is_tritons) return std::optional<TritonMetadata>{};
  const auto target = all.find("target");
  if (target != all.end() && target->is_object() && target->contains("backend") &&
      (*target)["backend"] != "cuda") {
    return Error{file +
                 ": the kernel is compiled for the GPU of another vendor; burin reads NVIDIA's"};
  }
  TritonMetadata metadata;
  metadata.file = file;
  constexpr std::uint64_t kMaxScratch = std::uint64_t{1} << 40;
  const auto read = [&](const Field& field, std::uint64_t otherwise, auto& to) -> Result<void> {
    const Result<std::uint64_t> value = number(all, field, otherwise, file);
    if (!value) return value.error();
    to = static_cast<std::remove_reference_t<decltype(to)>>(*value);
    return {};
  };
  for (const Result<void>& done :
       {read({"num_warps", 32, true}, 0, metadata.num_warps),
        read({"shared", 1 << 20, true}, 0, metadata.shared_bytes),
        read({"num_ctas", 16, false}, 1, metadata.num_ctas),
        read({"global_scratch_size", kMaxScratch, false}, 0, metadata.global_scratch_bytes),
        read({"profile_scratch_size", kMaxScratch, false}, 0, metadata.profile_scratch_bytes)}) {
    if (!done) return done.error();
  }
  if (metadata.num_warps == 0) return Error{file + ": num_warps is 0"};
  return std::optional(std::move(metadata));
}

Result<std::optional<TritonMetadata>> read_triton_metadata(const std::string& cubin) {
  const std::optional<std::string> path = triton_metadata_path(cubin);
  if (!path) return std::optional<TritonMetadata>{};
  const Result<MappedFile> file = MappedFile::open(*path);
  if (!file) return file.error();
  if (file->bytes().size() > kMaxBytes) return std::optional<TritonMetadata>{};
  const Bytes bytes = file->bytes();
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parse_triton_metadata(text, *path);
}

}  // namespace burin::read
