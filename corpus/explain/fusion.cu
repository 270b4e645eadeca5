// The divergence of the fluxes of a compressible gas on a grid of nx·ny·nz points, x fastest, by
// central differences of fourth order: five results (mass, three momenta, energy) in three
// directions, fifteen stencils. As six kernels, each of which makes one or two results in x or adds
// what y and z give; as three, a kernel for the results that share inputs; as one. The rim of two
// points is left alone. A block is 32×8 threads, a thread has one point; the grid covers x, y and
// z.

struct Grid {
  int nx, ny, nz;
  double scale;  // 1 / (12·distance of points)
};

struct Point {
  int index, step_y, step_z;
  bool inside;
};

__device__ Point point_of_thread(const Grid& grid) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  bool inside = x >= 2 && x < grid.nx - 2 && y >= 2 && y < grid.ny - 2 && z >= 2 && z < grid.nz - 2;
  return {(z * grid.ny + y) * grid.nx + x, grid.nx, grid.nx * grid.ny, inside};
}

// The derivative of a function of the point's index along one direction.
template <typename Function>
__device__ double derivative(int index, int step, const Grid& grid, Function value) {
  double near = value(index + step) - value(index - step);
  double far = value(index + 2 * step) - value(index - 2 * step);
  return grid.scale * (8.0 * near - far);
}

using In = const double* __restrict__;
using Out = double* __restrict__;

// What flows through the faces of one direction, where `speed` is the velocity along it: of a
// quantity that is only carried, of the momentum along the direction, of the energy.
__device__ double carried(int i, int step, const Grid& grid, In quantity, In speed) {
  return derivative(i, step, grid, [&](int at) { return quantity[at] * speed[at]; });
}

__device__ double pushed(int i, int step, const Grid& grid, In momentum, In speed, In pressure) {
  return derivative(i, step, grid, [&](int at) { return momentum[at] * speed[at] + pressure[at]; });
}

__device__ double heated(int i, int step, const Grid& grid, In energy, In speed, In pressure) {
  return derivative(i, step, grid, [&](int at) { return (energy[at] + pressure[at]) * speed[at]; });
}

__device__ double plain(int i, int step, const Grid& grid, In quantity) {
  return derivative(i, step, grid, [&](int at) { return quantity[at]; });
}

// ---- six kernels

__global__ void mass_energy_x(In mx, In energy, In u, In pressure, Out mass_out, Out energy_out,
                              int nx, int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index;
  mass_out[i] = -plain(i, 1, grid, mx);
  energy_out[i] = -heated(i, 1, grid, energy, u, pressure);
}

__global__ void mass_energy_yz(In my, In mz, In energy, In v, In w, In pressure, Out mass_out,
                               Out energy_out, int nx, int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index;
  mass_out[i] -= plain(i, at.step_y, grid, my) + plain(i, at.step_z, grid, mz);
  energy_out[i] -= heated(i, at.step_y, grid, energy, v, pressure) +
                   heated(i, at.step_z, grid, energy, w, pressure);
}

__global__ void momentum_x_x(In mx, In u, In pressure, Out mx_out, int nx, int ny, int nz,
                             double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (at.inside) mx_out[at.index] = -pushed(at.index, 1, grid, mx, u, pressure);
}

__global__ void momentum_x_yz(In mx, In v, In w, Out mx_out, int nx, int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index;
  mx_out[i] -= carried(i, at.step_y, grid, mx, v) + carried(i, at.step_z, grid, mx, w);
}

__global__ void momentum_yz_x(In my, In mz, In u, Out my_out, Out mz_out, int nx, int ny, int nz,
                              double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index;
  my_out[i] = -carried(i, 1, grid, my, u);
  mz_out[i] = -carried(i, 1, grid, mz, u);
}

__global__ void momentum_yz_yz(In my, In mz, In v, In w, In pressure, Out my_out, Out mz_out,
                               int nx, int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index, y = at.step_y, z = at.step_z;
  my_out[i] -= pushed(i, y, grid, my, v, pressure) + carried(i, z, grid, my, w);
  mz_out[i] -= carried(i, y, grid, mz, v) + pushed(i, z, grid, mz, w, pressure);
}

// ---- three kernels

__global__ void mass_energy(In mx, In my, In mz, In energy, In u, In v, In w, In pressure,
                            Out mass_out, Out energy_out, int nx, int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index, y = at.step_y, z = at.step_z;
  mass_out[i] = -(plain(i, 1, grid, mx) + plain(i, y, grid, my) + plain(i, z, grid, mz));
  energy_out[i] =
      -(heated(i, 1, grid, energy, u, pressure) + heated(i, y, grid, energy, v, pressure) +
        heated(i, z, grid, energy, w, pressure));
}

__global__ void momentum_x(In mx, In u, In v, In w, In pressure, Out mx_out, int nx, int ny, int nz,
                           double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index, y = at.step_y, z = at.step_z;
  mx_out[i] = -(pushed(i, 1, grid, mx, u, pressure) + carried(i, y, grid, mx, v) +
                carried(i, z, grid, mx, w));
}

__global__ void momentum_yz(In my, In mz, In u, In v, In w, In pressure, Out my_out, Out mz_out,
                            int nx, int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index, y = at.step_y, z = at.step_z;
  my_out[i] = -(carried(i, 1, grid, my, u) + pushed(i, y, grid, my, v, pressure) +
                carried(i, z, grid, my, w));
  mz_out[i] = -(carried(i, 1, grid, mz, u) + carried(i, y, grid, mz, v) +
                pushed(i, z, grid, mz, w, pressure));
}

// ---- one kernel, at a lower occupancy: so much is held in registers

__global__ __launch_bounds__(256, 3) void all_fluxes(In mx, In my, In mz, In energy, In u, In v,
                                                     In w, In pressure, Out mass_out, Out mx_out,
                                                     Out my_out, Out mz_out, Out energy_out, int nx,
                                                     int ny, int nz, double scale) {
  Grid grid = {nx, ny, nz, scale};
  Point at = point_of_thread(grid);
  if (!at.inside) return;
  int i = at.index, y = at.step_y, z = at.step_z;
  mass_out[i] = -(plain(i, 1, grid, mx) + plain(i, y, grid, my) + plain(i, z, grid, mz));
  mx_out[i] = -(pushed(i, 1, grid, mx, u, pressure) + carried(i, y, grid, mx, v) +
                carried(i, z, grid, mx, w));
  my_out[i] = -(carried(i, 1, grid, my, u) + pushed(i, y, grid, my, v, pressure) +
                carried(i, z, grid, my, w));
  mz_out[i] = -(carried(i, 1, grid, mz, u) + carried(i, y, grid, mz, v) +
                pushed(i, z, grid, mz, w, pressure));
  energy_out[i] =
      -(heated(i, 1, grid, energy, u, pressure) + heated(i, y, grid, energy, v, pressure) +
        heated(i, z, grid, energy, w, pressure));
}
