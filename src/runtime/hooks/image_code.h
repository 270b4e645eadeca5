// The code of kernels inside an image that a program hands to the driver: a cubin, a fatbin or the
// wrapper that nvcc puts around one, compressed or not. PTX has no code yet.
//
//   ImageCode code = read_image_code(image, {"_Z5saxpyifPKfPf"});
//   code.hashes       {"_Z5saxpyifPKfPf", "3f0a…"}: SHA-256 of its code, per architecture
//   code.complete     all cubins of the image could be read (zstd needs the system's library)
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace burin::runtime {

struct ImageCode {
  std::vector<std::pair<std::string, std::string>> hashes{};  // kernel, SHA-256 in hexadecimal
  bool complete = true;
};

// `image` has the length that its own headers say, as for the driver; null is an empty image.
ImageCode read_image_code(const void* image, std::span<const std::string> kernels);

}  // namespace burin::runtime
