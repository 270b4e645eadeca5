// The potential of molecules at the points of a set, and how steep it is: each molecule has four
// charged atoms.

constexpr int kAtoms = 4;

__global__ void field_potentials(const float2* points, const float4* atoms, float* potentials,
                                 float2* gradients, int count, int molecules, float soft) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float2 point = points[i];
  float potential_sum = 0;
  float2 gradient_sum = make_float2(0, 0);

  for (int molecule = 0; molecule < molecules; ++molecule) {
    float potential = 0;
    float2 gradient = make_float2(0, 0);
#pragma unroll
    for (int k = 0; k < kAtoms; ++k) {
      float4 atom = atoms[molecule * kAtoms + k];
      float dx = point.x - atom.x;
      float dy = point.y - atom.y;
      float inverse = rsqrtf(dx * dx + dy * dy + soft);
      float share = (atom.z - 0.5f) * inverse;
      float steepness = share * inverse * inverse;
      potential += share;
      gradient.x -= dx * steepness;
      gradient.y -= dy * steepness;
    }
    potential_sum += potential;
    gradient_sum.x += gradient.x;
    gradient_sum.y += gradient.y;
  }
  potentials[i] = potential_sum;
  gradients[i] = gradient_sum;
}
