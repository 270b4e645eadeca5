// Transport of a pollutant in groundwater: diffusion, drift with the flow, decay and a source,
// several explicit steps per launch. A block keeps a tile of 32×32 cells in shared memory; each
// step invalidates the outermost ring, so blocks overlap by twice the number of steps.

constexpr int kSide = 32;

struct Soil {
  float diffusion, step;
  // Inverses of
  float dx, dy;       // cell size, m
  float porosity;     // share of the volume that water fills
  float retardation;  // how much slower than the water the pollutant moves
  float lifetime;     // s
};

struct Cell {
  float u, v, source;  // flow and source of the cell
};

__device__ __forceinline__ float advance(const float (*now)[kSide], int x, int y, const Cell& cell,
                                         const Soil& soil) {
  float centre = now[y][x];
  float slope_x = (centre - now[y][x - 1]) * soil.dx;
  float slope_y = (centre - now[y - 1][x]) * soil.dy;
  float bend_x = (now[y][x + 1] - 2.0f * centre + now[y][x - 1]) * (soil.dx * soil.dx);
  float bend_y = (now[y + 1][x] - 2.0f * centre + now[y - 1][x]) * (soil.dy * soil.dy);
  float drift = (cell.u * slope_x + cell.v * slope_y) * soil.porosity;
  float decay = centre * soil.lifetime;
  float change = soil.diffusion * (bend_x + bend_y) - drift - decay + cell.source;
  return centre + soil.step * change * soil.retardation;
}

// All arrays have rows of `pitch` cells and a frame of `steps` cells around what is computed.
__global__ void __launch_bounds__(kSide* kSide)
    leach_plume(const float* __restrict__ before, const float* __restrict__ flow_x,
                const float* __restrict__ flow_y, const float* __restrict__ sources,
                float* __restrict__ after, int pitch, int steps, Soil soil) {
  __shared__ float tile[2][kSide][kSide];
  int x = threadIdx.x, y = threadIdx.y, inner = kSide - 2 * steps;
  size_t place = static_cast<size_t>(blockIdx.y * inner + y) * pitch + blockIdx.x * inner + x;
  Cell cell = {flow_x[place], flow_y[place], sources[place]};
  tile[0][y][x] = tile[1][y][x] = before[place];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    if (x > step && x < kSide - 1 - step && y > step && y < kSide - 1 - step) {
      tile[(step + 1) % 2][y][x] = advance(tile[step % 2], x, y, cell, soil);
    }
    __syncthreads();
  }
  if (x >= steps && x < kSide - steps && y >= steps && y < kSide - steps) {
    after[place] = tile[steps % 2][y][x];
  }
}
