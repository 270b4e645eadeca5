// How the tolerances of its parts change an amplifier: in each trial the parts have other values,
// and the equations of the circuit (modified nodal analysis: four nodes and the current of the
// source) are solved with Gaussian elimination and partial pivoting.

constexpr int kUnknowns = 5;
constexpr int kParts = 7;

struct Nominal {
  float parts[kParts];  // six conductances and a transconductance, in millisiemens
  float spread;
  float volts;
};

__device__ __forceinline__ void connect(float (&a)[kUnknowns][kUnknowns + 1], int i, int j,
                                        float conductance) {
  a[i][i] += conductance;
  a[j][j] += conductance;
  a[i][j] -= conductance;
  a[j][i] -= conductance;
}

__global__ void circuit_voltages(const float* __restrict__ draws, float* __restrict__ outputs,
                                 float* __restrict__ currents, int trials, Nominal nominal) {
  int trial = blockIdx.x * blockDim.x + threadIdx.x;
  if (trial >= trials) return;
  float g[kParts];
#pragma unroll
  for (int k = 0; k < kParts; ++k) {
    float draw = 2.0f * draws[static_cast<size_t>(k) * trials + trial] - 1.0f;
    g[k] = nominal.parts[k] * (1.0f + nominal.spread * draw);
  }

  float a[kUnknowns][kUnknowns + 1] = {};
  connect(a, 0, 1, g[0]);
  connect(a, 1, 2, g[1]);
  connect(a, 2, 3, g[2]);
  connect(a, 1, 3, g[3]);
  a[2][2] += g[4];
  a[3][3] += g[5];
  a[3][1] += g[6];  // the controlled source
  a[0][4] = a[4][0] = 1.0f;
  a[4][kUnknowns] = nominal.volts;

#pragma unroll
  for (int k = 0; k < kUnknowns; ++k) {
    int pivot = k;
    float largest = fabsf(a[k][k]);
#pragma unroll
    for (int row = k + 1; row < kUnknowns; ++row) {
      if (fabsf(a[row][k]) > largest) {
        largest = fabsf(a[row][k]);
        pivot = row;
      }
    }
#pragma unroll
    for (int row = k + 1; row < kUnknowns; ++row) {
#pragma unroll
      for (int j = k; j <= kUnknowns; ++j) {
        float upper = a[k][j], lower = a[row][j];
        a[k][j] = row == pivot ? lower : upper;
        a[row][j] = row == pivot ? upper : lower;
      }
    }
    float inverse = __fdividef(1.0f, a[k][k]);
#pragma unroll
    for (int row = k + 1; row < kUnknowns; ++row) {
      float factor = a[row][k] * inverse;
#pragma unroll
      for (int j = k + 1; j <= kUnknowns; ++j) a[row][j] -= factor * a[k][j];
    }
  }

  float x[kUnknowns];
#pragma unroll
  for (int k = kUnknowns - 1; k >= 0; --k) {
    float sum = a[k][kUnknowns];
#pragma unroll
    for (int j = k + 1; j < kUnknowns; ++j) sum -= a[k][j] * x[j];
    x[k] = __fdividef(sum, a[k][k]);
  }
  outputs[trial] = x[3];
  currents[trial] = x[4];
}
