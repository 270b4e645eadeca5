// Lift and drag of wing sections by two small neural networks, which were trained on simulations;
// their weights are compiled in. A section is given by eight numbers: its shape and the flow.

constexpr int kInputs = 8, kHidden = 42;

enum Force { kLift, kDrag };

// A weight, between −0.25 and 0.25: layer, row and column are known to the compiler.
__device__ __forceinline__ constexpr float weight(int force, int layer, int row, int column) {
  return static_cast<float>((force * 911 + layer * 577 + row * 1237 + column * 337) % 2003) *
             0.00025f -
         0.25f;
}

template <Force force>
__device__ __forceinline__ float network(const float (&inputs)[kInputs]) {
  float first[kHidden];
#pragma unroll
  for (int i = 0; i < kHidden; ++i) {
    float sum = weight(force, 0, i, kInputs);
#pragma unroll
    for (int k = 0; k < kInputs; ++k) sum += weight(force, 0, i, k) * inputs[k];
    first[i] = fmaxf(sum, 0.0f);
  }
  float result = 0;
#pragma unroll
  for (int i = 0; i < kHidden; ++i) {
    float sum = weight(force, 1, i, kHidden);
#pragma unroll
    for (int k = 0; k < kHidden; ++k) sum += weight(force, 1, i, k) * first[k];
    result += weight(force, 2, 0, i) * fmaxf(sum, 0.0f);
  }
  return result;
}

__device__ __forceinline__ void load_section(const float4* sections, int section,
                                             float (&inputs)[kInputs]) {
  float4 shape = sections[2 * section], flow = sections[2 * section + 1];
  inputs[0] = shape.x, inputs[1] = shape.y, inputs[2] = shape.z, inputs[3] = shape.w;
  inputs[4] = flow.x, inputs[5] = flow.y, inputs[6] = flow.z, inputs[7] = flow.w;
}

__global__ void __launch_bounds__(256)
    wing_forces(const float4* __restrict__ sections, float* __restrict__ lifts,
                float* __restrict__ drags, int count) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  float inputs[kInputs];
  for (int section = thread; section < count; section += stride) {
    load_section(sections, section, inputs);
    lifts[section] = network<kLift>(inputs);
  }
  for (int section = thread; section < count; section += stride) {
    load_section(sections, section, inputs);
    drags[section] = network<kDrag>(inputs);
  }
}
