// out[i] = MUFU.RCP of the bits first + i * stride. bench_mufu_sweep exchanges the function in the one
// MUFU of this kernel's cubin, which was made with
//   nvcc -arch=sm_90 -cubin -o sweep.sm_90.cubin sweep.cu
extern "C" __global__ void sweep(unsigned* out, unsigned first, unsigned stride) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  float result;
  asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(__uint_as_float(first + i * stride)));
  out[i] = __float_as_uint(result);
}
