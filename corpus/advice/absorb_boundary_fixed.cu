// A step of an acoustic wave in an absorbing layer (convolutional PML): derivatives along the three
// axes, each with a memory variable that damps it, then the new pressure from the old ones. A
// thread goes along z.

struct Grid {
  int width, height, depth;
  float inverse;  // of the spacing
};

// Of order eight, at half points.
__device__ __forceinline__ float derivative(const float* field, size_t place, size_t stride) {
  constexpr float weights[4] = {1.196289f, -0.0797526f, 0.00957031f, -0.000697545f};
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    sum += weights[k] * (field[place + (k + 1) * stride] - field[place - k * stride]);
  }
  return sum;
}

// The profiles hold (damping, gain) along each axis.
__global__ void __launch_bounds__(128)
    absorb_boundary(const float* now, const float* speed, const float2* profile_x,
                    const float2* profile_y, const float2* profile_z, float* memory_x,
                    float* memory_y, float* memory_z, float* pressure, Grid grid) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 4;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 4;
  if (x >= grid.width - 4 || y >= grid.height - 4) return;
  size_t row = grid.width, plane = row * grid.height;
  for (int z = 4; z < grid.depth - 4; ++z) {
    size_t place = z * plane + y * row + x;

    float along_x = grid.inverse * derivative(now, place, 1);
    float along_y = grid.inverse * derivative(now, place, row);
    float along_z = grid.inverse * derivative(now, place, plane);
    float2 px = profile_x[x], py = profile_y[y], pz = profile_z[z];
    float mx = px.x * memory_x[place] + px.y * along_x;
    float my = py.x * memory_y[place] + py.y * along_y;
    float mz = pz.x * memory_z[place] + pz.y * along_z;
    float centre = now[place], before = pressure[place];
    float v = speed[place];
    memory_x[place] = mx;
    memory_y[place] = my;
    memory_z[place] = mz;
    float total = along_x + mx;
    total += along_y + my;
    total += along_z + mz;
    pressure[place] = 2.0f * centre - before + v * v * total;
  }
}
