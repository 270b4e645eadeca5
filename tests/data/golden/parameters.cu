// Parameters: every alignment, and a block of them beyond 4 KB.
struct Table {
  int entries[1500];
};

__global__ void mixed(char a, short b, char c, int d, double e, float3 f, int2 g, void* h,
                      long long* out) {
  *out = a + b + c + d + static_cast<long long>(e) + static_cast<int>(f.z) + g.y + (h != nullptr);
}

__global__ void large(const __grid_constant__ Table table, int* out) {
  out[threadIdx.x] = table.entries[threadIdx.x] + table.entries[1499];
}

__global__ void none() {}
