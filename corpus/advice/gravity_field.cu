// The Earth's gravity along orbits: potential and radial pull from a field of spherical harmonics
// up to degree 32, whose coefficients are compiled in. The solid harmonics follow from a recursion
// by Cunningham, order by order. A thread takes the positions of one satellite in turn.

constexpr int kDegree = 32;

// The coefficients of a term, as small as those of the Earth compared with the first.
__host__ __device__ constexpr unsigned mixed(unsigned x) {
  x = (x + 0x9e3779b9u) * 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

__host__ __device__ constexpr float coefficient(int degree, int order, int which) {
  int value = static_cast<int>(mixed(degree * 128 + order * 2 + which) % 2001u) - 1000;
  return degree == 0 ? 1.0f - which : value * 1e-4f / (degree + 1);
}

struct Point {
  float x, y, z, inverse;  // over the squared radius, and its inverse
};

struct Harmonic {
  float c, s;
};

struct Field {
  float potential = 0, pull = 0;
};

// The terms of one order; `last` is the harmonic whose degree is the order.
template <int order>
__device__ __forceinline__ void add_order(Field& field, const Point& p, Harmonic last) {
  Harmonic below = {};
#pragma unroll
  for (int degree = order; degree <= kDegree; ++degree) {
    float term = coefficient(degree, order, 0) * last.c + coefficient(degree, order, 1) * last.s;
    field.potential += term;
    field.pull += (degree + 1) * term;
    float a = (2.0f * degree + 1) / (degree + 1 - order);
    float b = (degree + order) / (degree + 1.0f - order);
    Harmonic next = {a * p.z * last.c - b * p.inverse * below.c,
                     a * p.z * last.s - b * p.inverse * below.s};
    below = last;
    last = next;
  }
}

// The next order's first harmonic, scaled so that numbers stay small.
__device__ __forceinline__ Harmonic turned(const Point& p, Harmonic h, int order) {
  float scale = __fdividef(1.0f, order + 1.0f);
  return {scale * (p.x * h.c - p.y * h.s), scale * (p.x * h.s + p.y * h.c)};
}

// The orders from `order` to `end`.
template <int order, int end>
__device__ __forceinline__ void add_orders(Field& field, const Point& p, Harmonic h) {
  add_order<order>(field, p, h);
  if constexpr (order + 1 < end) add_orders<order + 1, end>(field, p, turned(p, h, order));
}

__device__ __forceinline__ Point load_point(const float* __restrict__ places, int satellites) {
  float x = places[0] + 0.5f, y = places[satellites] + 0.5f, z = places[2 * satellites] + 0.5f;
  float inverse = __fdividef(1.0f, x * x + y * y + z * z);
  return {0.7f * x * inverse, 0.7f * y * inverse, 0.7f * z * inverse, 0.49f * inverse};
}

__global__ void __launch_bounds__(128)
    gravity_field(const float* __restrict__ places, float2* __restrict__ fields, int satellites,
                  int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= satellites) return;
  for (int step = 0; step < steps; ++step) {
    Point point = load_point(places + 3 * step * satellites + i, satellites);
    Field field;
    add_orders<0, kDegree + 1>(field, point, {sqrtf(point.inverse), 0.0f});
    fields[step * satellites + i] = {field.potential, field.pull};
  }
}
