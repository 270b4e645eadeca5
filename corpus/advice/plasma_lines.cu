// The spectrum that a hot plasma radiates: at each wave number the sum over many lines, each of
// which has a place, a strength and a width. Their shape is a mixture of a Gaussian (the motion of
// the atoms) and a Lorentzian (their collisions). The threads share the wave numbers.

constexpr int kMostLines = 512;

struct Line {
  float centre, strength, sharpness, mixture;
};

struct Axis {
  float first, step;
};

__device__ __forceinline__ float radiated(const Line& line, float number) {
  float distance = (number - line.centre) * line.sharpness;
  float square = distance * distance;
  float lorentzian = __fdividef(1.0f, 1.0f + square);
  float gaussian = __expf(-0.6931472f * square);
  return line.strength * (gaussian + line.mixture * (lorentzian - gaussian));
}

__global__ void __launch_bounds__(1024)
    plasma_lines(const float4* __restrict__ table, float* __restrict__ spectrum, int lines,
                 int numbers, Axis axis) {
  __shared__ float4 near[kMostLines];
  for (int k = threadIdx.x; k < lines; k += blockDim.x) near[k] = table[k];
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < numbers; i += stride) {
    float number = axis.first + i * axis.step, sum = 0.0f;
    for (int k = 0; k < lines; ++k) {
      float4 entry = near[k];
      Line line{entry.x, entry.y, 4.0f + 16.0f * entry.z, entry.w};
      sum += radiated(line, number);
    }
    spectrum[i] = sum;
  }
}
