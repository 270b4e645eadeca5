// Kernels whose arithmetic is expensive in code that the line table does not show, or that the
// source cannot change (tests/advise).

// A product of 64 bits is divided, in a routine that the compiler adds after the last line.
extern "C" __global__ void residues(const unsigned* __restrict__ x, unsigned* __restrict__ out,
                                    unsigned long long m, int steps, unsigned* __restrict__ found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long r = x[i] | 1;
  for (int k = 0; k < steps; ++k) {
    r = r * (x[i] + 7ull * k) % m;
  }
  out[i] = (unsigned)r;
  if (r == 1) atomicAdd(found, 1u);
}

// The index is another one in each step: no conversion can go.
extern "C" __global__ void march(const float* __restrict__ field, float* __restrict__ out, int n,
                                 float step, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float position = i * 0.25f;
  float sum = 0;
  for (int k = 0; k < steps; ++k) {
    sum += field[min((int)position, n - 1)];
    position += step * sum;
  }
  out[i] = sum;
}

// cos and log in double precision, for floats. The slow path of cos is never called.
extern "C" __global__ void bearings(const float* __restrict__ turns, float* __restrict__ out,
                                    int beams) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double start = turns[i];
  double sum = 0;
  for (int b = 0; b < beams; ++b) {
    sum += log(2.0 + cos(start + 0.1 * b));
  }
  out[i] = sum;
}

// The load of `level` stands after the slow paths of the division and the root.
extern "C" __global__ void relax(float* __restrict__ level, const float* __restrict__ flow,
                                 float* __restrict__ mean, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float l = level[i];
    float m = 0.9f * mean[i] + flow[i];
    level[i] = l - 0.1f * (flow[i] / (sqrtf(m) + 1.0f));
    mean[i] = m;
  }
}

// One division for each thread; exp2f in the loop has tests for denormal results.
extern "C" __global__ void decays(const float* __restrict__ rate, float* __restrict__ out,
                                  int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float step = rate[i] / steps;
  float sum = 0;
  for (int k = 0; k < steps; ++k) {
    sum += exp2f(-step * k);
  }
  out[i] = sum;
}
