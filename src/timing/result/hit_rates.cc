#include "timing/result/hit_rates.h"

namespace burin::timing {

std::optional<double> given_l2_hit(const read::Kernel& kernel, std::uint32_t instruction,
                                   const PredictOptions& options) {
  const read::Image& image = *kernel.image;
  for (std::int32_t at = kernel.location_at(16 * instruction); at >= 0;
       at = image.locations[static_cast<std::size_t>(at)].inlined_from) {
    const read::Location& location = image.locations[static_cast<std::size_t>(at)];
    for (const LineRate& rate : options.line_l2_hit) {
      if (location.line == rate.line && location.file < image.files.size() &&
          image.files[location.file].ends_with(rate.file)) {
        return rate.rate;
      }
    }
  }
  return options.l2_hit;
}

}  // namespace burin::timing
