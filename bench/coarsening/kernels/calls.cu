// Functions that stay functions: recursion, pointers, virtual calls, printf, assert, malloc,
// alloca.
#include <cassert>
#include <cstdio>

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area(float scale) const = 0;
};
struct Square : Shape {
  float side = 2;
  __device__ float area(float scale) const override { return side * side * scale; }
};
struct Circle : Shape {
  double radius = 1;
  __device__ float area(float scale) const override {
    return static_cast<float>(radius * radius * 3.14159) * scale;
  }
};

struct Large {
  double values[5];
  int count;
};

__device__ int calls_so_far = 3;
__device__ const char* const kNames[] = {"square", "circle"};
__constant__ float kScales[2][3] = {{1, 2, 3}, {0.5f, 0.25f, 0}};
__managed__ unsigned long long total;

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ Large widen(Large large, char tag) {
  large.values[tag % 5] *= 2;
  large.count += tag;
  return large;
}
__device__ int twice(int x) {
  return 2 * x;
}
__device__ int thrice(int x) {
  return 3 * x;
}
__device__ int (*const kFunctions[2])(int) = {twice, thrice};

__global__ void __launch_bounds__(256, 2) calls(float* out, int which, Large large) {
  Shape* shape = which % 2 == 0 ? static_cast<Shape*>(new Square) : new Circle;
  out[0] = shape->area(kScales[which & 1][which % 3]);
  delete shape;
  out[1] = fibonacci(which) + kFunctions[which & 1](which);
  const Large wide = widen(large, static_cast<char>(which));
  printf("%s of %d: %f and 100 %% of \"%s\"\n", kNames[which & 1], which, wide.values[0], "it");
  assert(wide.count > 0);
  float* dynamic = static_cast<float*>(alloca(which * sizeof(float)));
  for (int i = 0; i < which; ++i) dynamic[i] = out[i];
  switch (which) {
    case 0:
      out[2] = dynamic[1];
      break;
    case 1:
      out[2] = dynamic[2] * 2;
      break;
    case 2:
      out[2] = sinf(dynamic[3]);
      break;
    case 3:
      out[2] = powf(dynamic[3], out[1]);
      break;
    case 4:
      out[2] = tgammaf(dynamic[4]);
      break;
    case 5:
      out[2] = static_cast<float>(fmod(double{dynamic[5]}, 3.0));
      break;
    default:
      __trap();
  }
  atomicAdd(&total, static_cast<unsigned long long>(++calls_so_far));
}
