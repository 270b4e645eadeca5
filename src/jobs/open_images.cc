#include "jobs/open_images.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/timings.h"
#include "read/program/words.h"

namespace burin::jobs {

// Which entries the options mean.
Result<void> OpenImages::select() {
  const Result<std::optional<read::Architecture>> parsed = parse_arch_option(request_.arch);
  if (!parsed) return parsed.error();
  const std::optional<read::Architecture>& arch = *parsed;
  std::vector<std::string> seen;
  for (const read::Entry& entry : container_.entries) {
    seen.push_back(read::arch_name(entry.kind, entry.arch));
    if (arch && entry.arch != *arch) continue;
    (entry.kind == read::Entry::Kind::kCubin ? cubins_ : others_).push_back(&entry);
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  if (arch && cubins_.empty() && others_.empty()) {
    return Error{request_.file + ": contains no code for " + read::to_string(*arch) +
                 ", only for " + list_of(seen, seen.size())};
  }
  if (request_.needs_code && cubins_.empty()) {
    return Error{request_.file + ": contains no machine code, only " + list_of(seen, seen.size()) +
                 "; compile the PTX with ptxas first"};
  }
  return {};
}

Result<read::Image> OpenImages::load(std::size_t index) const {
  const Timed timed("load image");
  const read::Entry& entry = *cubins_[index];
  Result<read::Image> image = burin::read::load(entry);
  if (image) return image;
  if (container_.format == read::Container::Format::kCubin) return image.error();
  std::string where =
      "image " + std::to_string(index + 1) + " of " + std::to_string(cubins_.size());
  if (!entry.name.empty()) where += ", " + entry.name;
  return image.error().within(where + " (" + read::to_string(entry.arch) + ")");
}

// Finds the kernels that --kernel means, and keeps only the entries that hold one.
Result<void> OpenImages::choose(const Progress& progress) {
  const Timed timed("select kernels");
  choice_.emplace(*request_.kernel);
  std::vector<std::pair<int, const read::Entry*>> best;  // how well each entry's best function fits
  for (std::size_t i = 0; i < cubins_.size(); ++i) {
    progress.step("searching image", i + 1, cubins_.size());
    const Result<read::Image> image = load(i);
    if (!image) {
      problems_.push_back(image.error().message);
      continue;
    }
    int level = KernelNameMatcher::kNoFit;
    for (const read::Function& f : image->functions) level = std::min(level, choice_->offer(f));
    best.emplace_back(level, cubins_[i]);
  }
  progress.done();
  if (best.empty()) return Error{request_.file + ": " + problems_.front()};
  const Result<void> chosen = choice_->check(request_.needs_code ? KernelNameMatcher::Use::kView
                                                                 : KernelNameMatcher::Use::kTable);
  if (!chosen) return chosen.error().within(request_.file);
  cubins_.clear();
  for (const auto& [level, entry] : best) {
    if (level == choice_->level()) cubins_.push_back(entry);
  }
  return {};
}

// The table shows PTX as what it is; for its code it is compiled, as CUDA source is.
Result<read::Container> OpenImages::read() {
  if (is_cuda_source(request_.file) || request_.needs_code || !request_.flags.empty()) {
    return open_source({.file = request_.file, .arch = request_.arch, .flags = request_.flags},
                       bytes_);
  }
  const Timed timed("open file");
  return read::open_path(request_.file);
}

Result<std::unique_ptr<OpenImages>> OpenImages::open(const ImagesRequest& request,
                                                     const Progress& progress) {
  if (const auto arch = parse_arch_option(request.arch); !arch) return arch.error();
  std::unique_ptr<OpenImages> images(new OpenImages(request));
  Result<read::Container> container = images->read();
  if (!container) return container.error();
  images->container_ = std::move(*container);
  images->problems_ = images->container_.problems;
  if (Result<void> selected = images->select(); !selected) return selected.error();
  if (request.kernel) {
    if (Result<void> chosen = images->choose(progress); !chosen) return chosen.error();
  }
  return images;
}

}  // namespace burin::jobs
