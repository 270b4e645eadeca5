// What CUB's templates compile to: block and warp algorithms, and the kernels of its device ones.
#include <cub/cub.cuh>
#include <cuda/functional>

template <int kThreads, int kItems>
__global__ void block_algorithms(const int* in, int* out, int n) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Sort = cub::BlockRadixSort<unsigned, kThreads, kItems>;
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Reduce::TempStorage reduce;
  } shared;
  int items[kItems];
  const int base = blockIdx.x * kThreads * kItems;
  Load(shared.load).Load(in + base, items, n - base, 0);
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(items, items);
  __syncthreads();
  unsigned keys[kItems];
  for (int i = 0; i < kItems; ++i) keys[i] = static_cast<unsigned>(items[i]);
  Sort(shared.sort).SortBlockedToStriped(keys);
  __syncthreads();
  const float sum = Reduce(shared.reduce).Sum(static_cast<float>(keys[0]));
  __syncthreads();
  for (int i = 0; i < kItems; ++i) items[i] = static_cast<int>(keys[i]) + (sum > 0.5f);
  Store(shared.store).Store(out + base, items, n - base);
}
template __global__ void block_algorithms<128, 4>(const int*, int*, int);
template __global__ void block_algorithms<256, 1>(const int*, int*, int);

__global__ void warp_algorithms(const float* in, float* out) {
  __shared__ cub::WarpReduce<float>::TempStorage reduce[4];
  __shared__ cub::WarpScan<float>::TempStorage scan[4];
  const int warp = threadIdx.x / 32;
  float x = in[threadIdx.x];
  const float sum = cub::WarpReduce<float>(reduce[warp]).Reduce(x, cuda::maximum<>{});
  cub::WarpScan<float>(scan[warp]).InclusiveSum(x, x);
  out[threadIdx.x] = x + sum;
}

// The library's own kernels are instantiated by calling them.
void device_algorithms(const int* in, int* out, unsigned* keys, int n, void* space, size_t bytes) {
  cub::DeviceReduce::Sum(space, bytes, in, out, n);
  cub::DeviceScan::ExclusiveSum(space, bytes, in, out, n);
  cub::DeviceRadixSort::SortKeys(space, bytes, keys, keys + n, n);
  cub::DeviceSelect::Flagged(space, bytes, in, in, out, out + n, n);
  cub::DeviceHistogram::HistogramEven(space, bytes, in, out, 257, 0, 256, n);
}
