// The matrix Q of a magnetic resonance image: every voxel sums over the samples in k-space, which
// are in constant memory.

#define TWO_PI 6.2831853071795864769252867665590058f
#define SAMPLES_AT_ONCE 64

typedef struct {
  float kx;
  float ky;
  float kz;
  float magnitude;
} sample;

__kernel void compute_q(int samples_n, int first, __constant sample* samples,
                        __global const float* x, __global const float* y,
                        __global const float* z, __global float* q_real, __global float* q_imag) {
  int voxel = get_group_id(0) * get_local_size(0) + get_local_id(0);
  float sx = x[voxel], sy = y[voxel], sz = z[voxel];
  float real = q_real[voxel], imag = q_imag[voxel];
  for (int i = 0; i < SAMPLES_AT_ONCE && first + i < samples_n; ++i) {
    float angle = TWO_PI * (samples[i].kx * sx + samples[i].ky * sy + samples[i].kz * sz);
    real += samples[i].magnitude * cos(angle);
    imag += samples[i].magnitude * sin(angle);
  }
  q_real[voxel] = real;
  q_imag[voxel] = imag;
}
