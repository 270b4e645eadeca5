// Control flow: calls, recursion, tables of functions, switches, divergent loops, local arrays.

// Recursion: a noinline function that calls itself with a stack frame (CALL, RET, STL, LDL).
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recursion(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ackermann(in[i] % 3, i % 4);
}

// A chain of noinline calls with many live values across them.
__device__ __noinline__ float leaf(float x, float y) {
  return x * y + 0.5f;
}
__device__ __noinline__ float branch(float x, float y, int depth) {
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += leaf(x + k, y - k);
  return sum;
}
__device__ __noinline__ float trunk(float x, float y, int depth) {
  float a = branch(x, y, depth), b = branch(y, x, depth + 1), c = leaf(a, b);
  return a * 0.25f + b * 0.125f - c * 0.0625f;
}

__global__ void call_chain(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = trunk(in[i], in[n - 1 - i], 1 + i % 5);
}

// Calls through a table of functions chosen per lane: divergent indirect calls.
using Operation = int (*)(int, int);
__device__ int op_add(int a, int b) {
  return a + b;
}
__device__ int op_subtract(int a, int b) {
  return a - b;
}
__device__ int op_multiply(int a, int b) {
  return a * b;
}
__device__ int op_mix(int a, int b) {
  return (a ^ b) * 31 + (a & b);
}
__device__ Operation kOperations[4] = {op_add, op_subtract, op_multiply, op_mix};

__global__ void function_table(const int* __restrict__ codes, int* __restrict__ out, int rounds,
                               int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = i;
  for (int r = 0; r < rounds; ++r) value = kOperations[(codes[i] >> 2 * r) & 3](value, i + r);
  out[i] = value;
}

// A virtual function: objects made in local memory, called through their table.
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual float rim() const { return 0; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ float rim() const override { return 4 * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159265f * radius * radius; }
};

__global__ void virtual_calls(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Square square(in[i]);
  Circle circle(in[i]);
  const Shape* shape = &square;
  if (in[i] > 0.4f) shape = &circle;
  out[i] = shape->area() + shape->rim();
}

// A machine of eight instructions that runs a program per thread: a switch with a jump table (BRX)
// and a stack in a local array.
__global__ void interpreter(const unsigned char* __restrict__ programs, int* __restrict__ out,
                            int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int stack[16];
  int top = 0;
  stack[0] = i;
  for (int pc = 0; pc < length; ++pc) {
    unsigned char code = programs[i * length + pc];
    int& here = stack[top];
    switch (code % 8) {
      case 0:
        if (top < 15) stack[++top] = code;
        break;
      case 1:
        here = here * 3 + 1;
        break;
      case 2:
        if (top > 0) {
          stack[top - 1] += here;
          --top;
        }
        break;
      case 3:
        here ^= here << 5;
        break;
      case 4:
        if (top > 0) {
          int t = here;
          here = stack[top - 1];
          stack[top - 1] = t;
        }
        break;
      case 5:
        here = here / (1 + (code >> 4));
        break;
      case 6:
        if (here & 1) pc += 1;
        break;
      default:
        here -= pc * code;
        break;
    }
  }
  out[i] = stack[top] + top;
}

// Collatz sequences: each lane loops as long as its number needs, in 64 bits.
__global__ void collatz(int* __restrict__ steps, unsigned first, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long x = first + i;
    int count = 0;
    while (x != 1) {
      x = x % 2 == 0 ? x / 2 : 3 * x + 1;
      ++count;
    }
    steps[i] = count;
  }
}

// The Mandelbrot set: divergent loops of FFMA with an early exit.
__global__ void mandelbrot(unsigned char* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.2f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
  float x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  out[py * width + px] = static_cast<unsigned char>(k);
}

// Early exits at several places, nested branches, a loop with break and continue.
__global__ void early_exits(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  if (value % 11 == 0) return;
  int sum = 0;
  for (int k = 0; k < 64; ++k) {
    if ((value + k) % 13 == 0) break;
    if ((value ^ k) % 3 == 0) continue;
    if (value > 900 && k == 5) {
      out[i] = -sum;
      return;
    }
    sum += k % 2 == 0 ? value : -k;
  }
  out[i] = sum;
}

// Insertion sort in a local array with computed indices: STL and LDL.
__global__ void local_sort(const int* __restrict__ in, int* __restrict__ out, int each, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sorted[32];
  for (int k = 0; k < each; ++k) {
    int value = in[k * n + i], at = k;
    while (at > 0 && sorted[at - 1] > value) {
      sorted[at] = sorted[at - 1];
      --at;
    }
    sorted[at] = value;
  }
  for (int k = 0; k < each; ++k) out[k * n + i] = sorted[k];
}

// Eight queens and their like: backtracking with bit masks on an explicit stack; every thread
// starts from another pair of first rows.
__global__ void queens(int* __restrict__ solutions, int side) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start >= side * side) return;
  unsigned full = (1u << side) - 1;
  unsigned columns[16], left[16], right[16], choices[16];
  unsigned a = 1u << start / side, b = 1u << start % side;
  int found = 0;
  if (((a | a << 1 | a >> 1) & b) == 0) {
    int row = 2;
    columns[2] = a | b;
    left[2] = (a << 1 | b) << 1;
    right[2] = (a >> 1 | b) >> 1;
    choices[2] = full & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
      if (choices[row] == 0) {
        --row;
        continue;
      }
      unsigned queen = choices[row] & (0u - choices[row]);
      choices[row] ^= queen;
      if (row == side - 1) {
        ++found;
        continue;
      }
      columns[row + 1] = columns[row] | queen;
      left[row + 1] = (left[row] | queen) << 1;
      right[row + 1] = (right[row] | queen) >> 1;
      ++row;
      choices[row] = full & ~(columns[row] | left[row] | right[row]);
    }
  }
  solutions[start] = found;
}
