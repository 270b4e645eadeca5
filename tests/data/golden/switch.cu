// A dense switch: an indirect branch through a table.
__global__ void interpret(const int* program, float* values, int n) {
  float a = values[threadIdx.x];
  float b = values[threadIdx.x + blockDim.x];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    switch (program[i]) {
      case 0:
        a += b;
        break;
      case 1:
        a -= b;
        break;
      case 2:
        a *= b;
        break;
      case 3:
        a = __fdividef(a, b);
        break;
      case 4:
        b = __sinf(a);
        break;
      case 5:
        b = sqrtf(fabsf(a));
        break;
      case 6:
        a = fminf(a, b);
        break;
      case 7:
        values[threadIdx.x] = a;
        break;
      case 8:
        return;
      default:
        a = b;
        break;
    }
  }
  values[threadIdx.x] = a;
}
