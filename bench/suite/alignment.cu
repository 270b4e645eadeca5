// Dynamic programming: global alignment of two sequences, tile by tile along the diagonals, and the
// cheapest path through a grid, several rows per launch.
#include "common.cuh"

constexpr int kTile = 32;
__constant__ int scores[4][4];

__global__ void align_tiles(int* table, const char* a, const char* b, int n, int diagonal, int gap) {
  __shared__ int tile[kTile + 1][kTile + 1];
  const int tiles = n / kTile;
  const int first = diagonal < tiles ? 0 : diagonal - tiles + 1;
  const int row = (first + blockIdx.x) * kTile, column = (diagonal - first - blockIdx.x) * kTile;
  const int t = threadIdx.x, pitch = n + 1;
  tile[0][t + 1] = table[row * pitch + column + t + 1];
  tile[t + 1][0] = table[(row + t + 1) * pitch + column];
  if (t == 0) tile[0][0] = table[row * pitch + column];
  const int mine = b[column + t];
  __syncthreads();
  for (int step = 0; step < 2 * kTile - 1; ++step) {
    const int y = step - t;
    if (y >= 0 && y < kTile) {
      const int match = tile[y][t] + scores[static_cast<int>(a[row + y])][mine];
      tile[y + 1][t + 1] = max(match, max(tile[y][t + 1], tile[y + 1][t]) - gap);
    }
    __syncthreads();
  }
  for (int y = 0; y < kTile; ++y) table[(row + y + 1) * pitch + column + t + 1] = tile[y + 1][t + 1];
}

__global__ void cheapest_path(const int* costs, const int* in, int* out, int n, int row, int rows) {
  __shared__ int line[2][256];
  const int halo = rows, width = 256 - 2 * halo;
  const int x = blockIdx.x * width + static_cast<int>(threadIdx.x) - halo;
  const bool inside = x >= 0 && x < n;
  line[0][threadIdx.x] = inside ? in[x] : 1 << 29;
  __syncthreads();
  int now = 0;
  for (int r = 0; r < rows; ++r, now ^= 1) {
    int best = line[now][threadIdx.x];
    if (threadIdx.x > 0) best = min(best, line[now][threadIdx.x - 1]);
    if (threadIdx.x < 255) best = min(best, line[now][threadIdx.x + 1]);
    line[now ^ 1][threadIdx.x] = inside ? best + costs[(row + r) * n + x] : 1 << 29;
    __syncthreads();
  }
  const int t = threadIdx.x;
  if (inside && t >= halo && t < halo + width) out[x] = line[now][t];
}

int main() {
  const int n = 1024;
  Random random{3};
  std::vector<char> a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = random.next() & 3, b[i] = random.next() & 3;
  int table[4][4];
  for (int i = 0; i < 16; ++i) table[i / 4][i % 4] = i / 4 == i % 4 ? 5 : -3;
  CHECK(cudaMemcpyToSymbol(scores, table, sizeof table));
  int* matrix = zeros<int>((n + 1) * (n + 1));
  char* first = upload(a);
  char* second = upload(b);
  const int tiles = n / kTile;
  for (int d = 0; d < 2 * tiles - 1; ++d) {
    const int blocks = d < tiles ? d + 1 : 2 * tiles - 1 - d;
    align_tiles<<<blocks, kTile>>>(matrix, first, second, n, d, 4);
  }
  const int wide = 1 << 16, rows = 20;
  std::vector<int> costs(wide * rows);
  for (int& cost : costs) cost = random.next() & 7;
  int* prices = upload(costs);
  int* in = zeros<int>(wide);
  int* out = zeros<int>(wide);
  for (int i = 0; i < 4; ++i)
    cheapest_path<<<(wide + 215) / 216, 256>>>(prices, i % 2 ? out : in, i % 2 ? in : out, wide, 0, rows);
  return finish();
}
