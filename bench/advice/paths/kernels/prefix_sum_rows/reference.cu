// CUB's block-wide scan: one block per row, 1024 elements at a time with float4 loads, the sum so far carried over.
#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    scan_row(const float4 *__restrict__ in, float4 *__restrict__ out, int quads) {
  using Scan = cub::BlockScan<float, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage[2];
  in += (size_t)blockIdx.x * quads;
  out += (size_t)blockIdx.x * quads;
  float carried = 0;
  float4 value = threadIdx.x < quads ? __ldcs(&in[threadIdx.x]) : float4{};
  for (int first = 0, turn = 0; first < quads; first += kThreads, turn ^= 1) {
    const int i = first + threadIdx.x, next = i + kThreads;
    const float4 ahead = next < quads ? __ldcs(&in[next]) : float4{};
    value.y += value.x;
    value.z += value.y;
    value.w += value.z;
    float before, total;
    Scan(storage[turn]).ExclusiveSum(value.w, before, total);
    before += carried;
    if (i < quads) {
      __stcs(&out[i], make_float4(value.x + before, value.y + before, value.z + before, value.w + before));
    }
    carried += total;
    value = ahead;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *in = *(const float4 **)arguments[0];
  float4 *out = *(float4 **)arguments[1];
  const int rows = *(int *)arguments[2], cols = *(int *)arguments[3];
  scan_row<<<rows, kThreads, 0, stream>>>(in, out, cols / 4);
}
