/* Chooses the launch shape of CUDA kernels at run time, from rational programs (.rp files) that
 * `burin fit` made. docs/launch.md shows three ways to use it; this header is the third:
 *
 *   #include <burin_launch.h>
 *
 *   __global__ void saxpy(int n, float a, const float* x, float* y);
 *
 *   burin::launch(saxpy, n, n, 2.0f, x, y);                   // instead of <<<…>>>
 *   burin::launch(blur, {width, height}, in, out, width);     // 2-D
 *
 *   burin::Launch how(n);                                     // with a stream, a block of its own
 *   how.stream = stream;
 *   burin::launch(saxpy, how, n, 2.0f, x, y);
 *
 * `size` is the number of threads that the kernel needs in x, y and z. Without a rational program
 * for the kernel the block is the one in `Launch`, or 256 threads, and the grid covers the size.
 * Link with libburin_launch.a and the CUDA runtime.
 *
 * The C functions never throw. They may be called from several threads.
 */
#ifndef BURIN_LAUNCH_H
#define BURIN_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct burin_launch_shape {
  uint32_t grid[3];      /* blocks in x, y and z */
  uint32_t block[3];     /* threads in x, y and z */
  uint64_t shared_bytes; /* dynamic shared memory per block */
} burin_launch_shape;

/* Launches `kernel` (a __global__ function or a cudaKernel_t) on the current device with the shape
 * that is chosen for its arguments, or with `own`. `arguments` points to each argument, as
 * cudaLaunchKernel() takes them. Returns a cudaError_t. */
int burin_launch_kernel(const void* kernel, const burin_launch_shape* own, void** arguments,
                        void* stream);

/* The shape that burin_launch_kernel() would use. Returns 1 if it differs from `own`, else 0; then
 * `chosen` is a copy of `own`. Launches nothing. */
int burin_launch_choose(const void* kernel, const burin_launch_shape* own, void** arguments,
                        void* stream, burin_launch_shape* chosen);

#ifdef __cplusplus
}  // extern "C"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace burin {

struct LaunchSize {
  template <typename X, typename Y = int, typename Z = int,
            typename = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> &&
                                        std::is_integral_v<Z>>>
  LaunchSize(X x, Y y = 1, Z z = 1)
      : threads{static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y),
                static_cast<std::uint64_t>(z)} {}
  std::array<std::uint64_t, 3> threads;
};

struct Launch {
  explicit Launch(const LaunchSize& threads) : size(threads) {}
  LaunchSize size;
  std::array<std::uint32_t, 3> block = {0, 1, 1};  // 0: 256 threads in x, 16x16 or 8x8x4
  std::size_t shared_bytes = 0;
  void* stream = nullptr;
};

inline burin_launch_shape own_shape(const Launch& launch) {
  burin_launch_shape own = {};
  const auto& threads = launch.size.threads;
  std::array<std::uint32_t, 3> block = launch.block;
  if (block[0] == 0) {
    if (threads[2] > 1) {
      block = {8, 8, 4};
    } else if (threads[1] > 1) {
      block = {16, 16, 1};
    } else {
      block = {256, 1, 1};
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    own.block[i] = block[i];
    own.grid[i] = static_cast<std::uint32_t>((threads[i] + block[i] - 1) / block[i]);
  }
  own.shared_bytes = launch.shared_bytes;
  return own;
}

// Returns a cudaError_t as an int; 0 is success.
template <typename... Parameters, typename... Values>
int launch(void (*kernel)(Parameters...), const Launch& how, Values&&... values) {
  static_assert(sizeof...(Parameters) == sizeof...(Values), "one value per kernel parameter");
  const burin_launch_shape own = own_shape(how);
  return [&](std::remove_cv_t<Parameters>... arguments) {
    void* pointers[sizeof...(Parameters) + 1] = {
        const_cast<void*>(static_cast<const volatile void*>(std::addressof(arguments)))...,
        nullptr};
    return burin_launch_kernel(reinterpret_cast<const void*>(kernel), &own, pointers, how.stream);
  }(static_cast<Parameters>(static_cast<Values&&>(values))...);
}

template <typename... Parameters, typename... Values>
int launch(void (*kernel)(Parameters...), const LaunchSize& size, Values&&... values) {
  return launch(kernel, Launch{size}, static_cast<Values&&>(values)...);
}

}  // namespace burin
#endif
#endif
