// Streaming through global memory: every element is read and written once.

// A copy, one word per thread and step: coalesced loads and stores in a grid-stride loop.
__global__ void copy(const float* __restrict__ in, float* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[i];
  }
}

// y = a·x + y, one element per thread: the bounds check leaves a partly filled last warp.
__global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// a = b + s·c in double precision: 64-bit loads and stores, grid-stride.
__global__ void triad(double* __restrict__ a, const double* __restrict__ b,
                      const double* __restrict__ c, double s, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    a[i] = b[i] + s * c[i];
  }
}

// Four floats at a time: 128-bit loads and stores, and a scalar rest where n is no multiple of 4.
__global__ void scale_float4(const float* __restrict__ in, float* __restrict__ out, float factor,
                             int n) {
  int stride = gridDim.x * blockDim.x;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = reinterpret_cast<float4*>(out);
  for (int i = first; i < n / 4; i += stride) {
    float4 v = in4[i];
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
    out4[i] = v;
  }
  for (int i = n / 4 * 4 + first; i < n; i += stride) out[i] = in[i] * factor;
}

// A gather through an index array: uncoalesced loads whose addresses come from memory.
__global__ void gather(const int* __restrict__ index, const float* __restrict__ in,
                       float* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = in[index[i]];
  }
}

// A scatter through a permutation: uncoalesced stores, each place written once.
__global__ void scatter(const int* __restrict__ index, const int* __restrict__ in,
                        int* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[index[i]] = in[i];
  }
}

// A structure of arrays made from an array of structures: strided 12-byte records.
__global__ void unpack_records(const float3* __restrict__ records, float* __restrict__ x,
                               float* __restrict__ y, float* __restrict__ z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 r = records[i];
  x[i] = r.x;
  y[i] = r.y;
  z[i] = r.z;
}

// A polynomial of degree 32 by Horner's rule: one load, 32 dependent FFMAs, one store.
__global__ void polynomial(const float* __restrict__ in, const float* __restrict__ coefficients,
                           float* __restrict__ out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = in[i];
    float y = coefficients[32];
#pragma unroll
    for (int k = 31; k >= 0; --k) y = y * x + coefficients[k];
    out[i] = y;
  }
}
