// The level of a drug in patients' blood, whose enzymes saturate (Michaelis and Menten): each hour is
// stepped implicitly, by Newton's method, and then the hour's dose is given. The highest level of each
// patient is kept, and the area under the curve.

struct Kinetics {
  float fastest;  // elimination at saturation, per step
  float half;     // the level with half of it
  float share;    // level per dose
};

constexpr int kSteps = 3;

// The level after a step: x with x + fastest * x / (half + x) = level.
__device__ __forceinline__ float eliminated(const Kinetics& drug, float level) {
  float x = level;
  for (int round = 0; round < 8; ++round) {
    float inverse = __fdividef(1.0f, drug.half + x);
    float error = x + drug.fastest * x * inverse - level;
    float slope = 1.0f + drug.fastest * drug.half * inverse * inverse;
    float change = __fdividef(error, slope);
    x -= change;
    if (fabsf(change) < 1e-5f) break;
  }
  return x;
}

__global__ void drug_levels(const float* __restrict__ doses, float* __restrict__ peaks,
                            float* __restrict__ areas, int patients, int hours, Kinetics drug) {
  int patient = blockIdx.x * blockDim.x + threadIdx.x;
  if (patient >= patients) return;
  float level = 1.0f;
  float peak = level;
  float area = 0;

  for (int hour = 0; hour < hours; ++hour) {
    float dose = doses[static_cast<size_t>(hour) * patients + patient];
#pragma unroll 1
    for (int step = 0; step < kSteps; ++step) {
      level = eliminated(drug, level);
      area += level;
    }
    level += drug.share * dose;
    peak = fmaxf(peak, level);
  }
  peaks[patient] = peak;
  areas[patient] = area;
}
