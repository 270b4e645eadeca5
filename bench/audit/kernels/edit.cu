// edit distance of a query with many strings of 32 bytes, thread per string, a local row
#define L 32
extern "C" __global__ void edit(const unsigned char* query, const unsigned char* db, int* dist, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row[L + 1];
  for (int j = 0; j <= L; j++) row[j] = j;
  for (int a = 0; a < L; a++) {
    int diag = row[0];
    row[0] = a + 1;
    unsigned char q = query[a] & 3;
    for (int j = 1; j <= L; j++) {
      int up = row[j];
      int c = diag + ((db[i * L + j - 1] & 3) != q);
      row[j] = min(min(row[j - 1] + 1, up + 1), c);
      diag = up;
    }
  }
  dist[i] = row[L];
}
