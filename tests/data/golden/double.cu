// Double precision: multiply-add, division, square root, compare, an atomic.
__global__ void normalise(const double* in, double* out, double* worst, int n) {
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum = fma(in[i], in[i], sum);
  double length = sqrt(sum);
  double v = length > 1e-30 ? in[threadIdx.x] / length : 0.0;
  out[threadIdx.x] = v;
  if (fabs(v) > *worst) atomicAdd(worst, fabs(v));
}
