// The reflectance of a stack of thin optical layers (a mirror coating) for many wavelengths and
// angles, with the method of characteristic matrices. The layers absorb a little: their refractive
// indices are complex.

struct Complex {
  float re, im;
};

struct Layer {
  float index, loss, thickness;
};

__device__ __forceinline__ Complex product(Complex a, Complex b) {
  return Complex{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

__device__ __forceinline__ Complex reciprocal(Complex a) {
  float scale = __fdividef(1.0f, a.re * a.re + a.im * a.im);
  return Complex{a.re * scale, -a.im * scale};
}

__device__ float squared(Complex a) { return a.re * a.re + a.im * a.im; }

__global__ void coating_reflectances(const float4* __restrict__ stack,
                                     float* __restrict__ reflectances, int wavelengths, int angles,
                                     int layers) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  int a = blockIdx.y * blockDim.y + threadIdx.y;
  if (w >= wavelengths || a >= angles) return;
  float wave = 6.2831853f / (400.0f + 400.0f * w / wavelengths);  // per nanometre
  float sine = 0.9f * a / angles;

  // The fields behind the last layer, in the substrate.
  Complex electric{1.0f, 0.0f}, magnetic{1.52f, 0.0f};
  for (int k = layers - 1; k >= 0; --k) {
    float4 made = stack[k];
    Layer layer{1.3f + made.x, 0.01f * made.y, 50.0f + 100.0f * made.z};
    float rest = 1.0f - __fdividef(sine * sine, layer.index * layer.index);
    float cosine = rest * rsqrtf(rest);
    float s, c;
    __sincosf(wave * layer.index * layer.thickness * cosine, &s, &c);
    Complex admittance{layer.index * cosine, -layer.loss};
    Complex inverse = reciprocal(admittance);

    Complex across = product(Complex{-s * inverse.im, s * inverse.re}, magnetic);
    Complex along = product(Complex{-s * admittance.im, s * admittance.re}, electric);
    electric = Complex{c * electric.re + across.re, c * electric.im + across.im};
    magnetic = Complex{c * magnetic.re + along.re, c * magnetic.im + along.im};
  }

  Complex difference{electric.re - magnetic.re, electric.im - magnetic.im};
  Complex sum{electric.re + magnetic.re, electric.im + magnetic.im};
  reflectances[a * wavelengths + w] = __fdividef(squared(difference), squared(sum));
}
