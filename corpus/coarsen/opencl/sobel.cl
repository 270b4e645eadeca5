// Sobel's edge filter on an image of four channels. The ids are used in functions.

int column(void);
#define ROW ((int)get_global_id(1))

float4 pixel(__global const uchar4* in, int dx, int dy) {
  return convert_float4(in[(ROW + dy) * (int)get_global_size(0) + column() + dx]);
}

bool inside() {
  return column() > 0 && column() < (int)get_global_size(0) - 1 && ROW > 0 &&
         ROW < (int)get_global_size(1) - 1;
}

int column(void) { return get_global_id(0); }

#define SIDE(dx) (pixel(in, dx, -1) + 2.0f * pixel(in, dx, 0) + pixel(in, dx, 1))

__kernel void sobel(__global const uchar4* in, __global uchar4* out) {
  int i = column() + ROW * get_global_size(0);
  if (!inside()) {
    out[i] = (uchar4)(0);
    return;
  }
  float4 across = SIDE(1) - SIDE(-1);
  float4 down = pixel(in, -1, 1) + 2.0f * pixel(in, 0, 1) + pixel(in, 1, 1) -
                (pixel(in, -1, -1) + 2.0f * pixel(in, 0, -1) + pixel(in, 1, -1));
  out[i] = convert_uchar4_sat(hypot(across, down) / 2.0f);
}
