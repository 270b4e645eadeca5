// `burin inspect FILE`: the selected images of a file, loaded one at a time. CUDA source is
// compiled first.
//
//   Result<std::unique_ptr<OpenImages>> images = OpenImages::open(request, progress);
//   for (std::size_t i = 0; i < (*images)->cubins().size(); ++i) (*images)->load(i);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/input/choose_kernel.h"
#include "jobs/input/load_kernel.h"
#include "jobs/input/progress.h"
#include "read/binary/container.h"

namespace burin::jobs {

struct ImagesRequest {
  std::string file;
  std::string arch{};                   // "": all
  std::optional<std::string> kernel{};  // only images with this kernel; empty: all
  std::vector<std::string> flags{};     // for nvcc, if the file is CUDA source
  bool needs_code = false;              // an Error if there is no machine code
};

class OpenImages {
 public:
  static Result<std::unique_ptr<OpenImages>> open(const ImagesRequest& request,
                                                  const Progress& progress);

  const read::Container& container() const { return container_; }
  const std::vector<const read::Entry*>& cubins() const { return cubins_; }  // the selected ones
  const std::vector<const read::Entry*>& others() const { return others_; }  // PTX and other kinds
  bool chose_kernel() const { return choice_.has_value(); }
  bool means(const read::Function& f) const { return !choice_ || choice_->has(f); }

  // Loads image `index` of cubins(). The Error names the image.
  Result<read::Image> load(std::size_t index) const;

  // Returns what could not be read, in the file itself and during the search for the kernel.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  explicit OpenImages(const ImagesRequest& request) : request_(request) {}
  Result<read::Container> read();
  Result<void> select();
  Result<void> choose(const Progress& progress);

  ImagesRequest request_;
  ChosenKernel bytes_;  // of the file, or of the code compiled from it
  read::Container container_;
  std::vector<const read::Entry*> cubins_;
  std::vector<const read::Entry*> others_;
  std::optional<KernelNameMatcher> choice_;
  std::vector<std::string> problems_;
};

}  // namespace burin::jobs
