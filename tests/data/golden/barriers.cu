// Shared memory, static and dynamic, named barriers, and launch bounds.
__global__ void __launch_bounds__(256, 4) produce_consume(const float4* in, float4* out, int n) {
  __shared__ float4 stage[2][128];
  extern __shared__ float scratch[];

  int lane = threadIdx.x & 127;
  bool producer = threadIdx.x < 128;
  for (int i = 0; i < n; ++i) {
    if (producer) {
      asm volatile("bar.sync 1, 256;");
      stage[i & 1][lane] = in[i * 128 + lane];
      asm volatile("bar.arrive 2, 256;");
    } else {
      asm volatile("bar.arrive 1, 256;");
      asm volatile("bar.sync 2, 256;");
      float4 v = stage[i & 1][lane];
      scratch[lane] = v.x + v.y;
      out[i * 128 + lane] = v;
    }
  }
  int positive = __syncthreads_count(scratch[lane] > 0);
  if (__syncthreads_or(positive & 1)) out[lane].x = scratch[lane ^ 1];
}
