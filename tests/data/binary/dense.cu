// A switch that becomes indirect branches.
__global__ void dense(int* a, int k) {
  int i = threadIdx.x;
  int v = a[i];
  switch (k) {
    case 0: v = v * 3 + a[i + 1]; break;
    case 1: v ^= a[i * 2]; break;
    case 2: v = __popc(v); break;
    case 3: v = __clz(v) + a[7]; break;
    case 4: v = v / 7; break;
    case 5: v = v % 11; break;
    case 6: v = a[v]; break;
    case 7: v = __brev(v); break;
    case 8: atomicAdd(a + 3, v); break;
    case 9: v = a[v + 1] * 5; break;
    default: v = 0;
  }
  a[i] = v;
}
