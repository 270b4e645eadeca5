#include "gpu/buffer_contents.h"

#include <cstring>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/hash.h"

namespace burin::gpu {

BufferPlan plan_buffers(const measure::DeviceRequest& request,
                        const std::function<std::string(measure::BufferPlace)>& text_at) {
  BufferPlan plan;
  for (std::size_t step = 0; step < request.steps.size(); ++step) {
    const std::vector<launch::Argument>& arguments = request.steps[step].launch.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].buffer() == nullptr) continue;
      const measure::BufferPlace place{step, i};
      if (text_at(place) == arguments[i].text) {
        plan.kept.push_back(place);
      } else {
        plan.missing.push_back({place, &arguments[i]});
      }
    }
  }
  return plan;
}

// By all cores: gigabytes of random numbers would else take longer than what the device is to do
// with them.
void make_contents(const launch::Buffer& buffer, std::uint64_t offset,
                   std::span<std::uint8_t> out) {
  constexpr std::size_t kPiece = 1 << 20;
  const std::size_t pieces = (out.size() + kPiece - 1) / kPiece;
  const std::size_t threads = std::min<std::size_t>(pieces, std::thread::hardware_concurrency());
  const auto make_from = [&](std::size_t first) {
    for (std::size_t piece = first; piece < pieces; piece += std::max<std::size_t>(threads, 1)) {
      const std::size_t at = piece * kPiece;
      buffer.fill(offset + at, out.subspan(at, std::min(kPiece, out.size() - at)));
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(make_from, thread);
  make_from(0);
}

bool holds_zeros(const launch::Buffer& buffer) {
  return buffer.kind == launch::Fill::kZero || buffer.contents() != launch::Contents::kKnown;
}

std::string output_path(const std::string& folder, measure::BufferPlace place) {
  if (place.step == 0) return fmt::format("{}/{}.bin", folder, place.argument);
  return fmt::format("{}/{}.{}.bin", folder, place.step, place.argument);
}

std::uint64_t digest_of(Bytes bytes, std::uint64_t first_word) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    sum += splitmix64(word + fibonacci_hash(first_word + at / 8 + 1));
  }
  return sum;
}

}  // namespace burin::gpu
