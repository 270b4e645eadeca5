// Random walks on a periodic body-centred lattice: how often each walker comes back to the site where
// it began, and how far from there it is in the end (the squared distance, the shorter way round).

__device__ __forceinline__ unsigned drawn(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ __forceinline__ int wrapped(int place, int size) {
  return place < 0 ? place + size : place >= size ? place - size : place;
}

__device__ __forceinline__ int apart(int a, int b, int size) {
  int way = abs(a - b);
  return min(way, size - way);
}

__global__ void lattice_returns(const unsigned* __restrict__ seeds, int* __restrict__ returns,
                                int* __restrict__ spreads, int walkers, int steps, int width,
                                int height, int depth) {
  int walker = blockIdx.x * blockDim.x + threadIdx.x;
  if (walker >= walkers) return;

  unsigned state = seeds[walker] | 1u;
  int home_x = width / 2, home_y = height / 2, home_z = depth / 2;
  int x = home_x, y = home_y, z = home_z;
  int visits = 0;
  for (int step = 0; step < steps; ++step) {
    unsigned bits = drawn(state) >> 16;
    x = wrapped(x + static_cast<int>(bits & 2u) - 1, width);
    y = wrapped(y + static_cast<int>(bits >> 3 & 2u) - 1, height);
    z = wrapped(z + static_cast<int>(bits >> 6 & 2u) - 1, depth);
    if (x == home_x && y == home_y && z == home_z) ++visits;
  }

  int dx = apart(x, home_x, width), dy = apart(y, home_y, height), dz = apart(z, home_z, depth);
  returns[walker] = visits;
  spreads[walker] = dx * dx + dy * dy + dz * dz;
}
