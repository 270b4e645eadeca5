// A time step of a seismic wave in rock that absorbs: a star of radius four in the plane, with the
// speed and the loss of each point from its density and temperature. Towards the border the loss
// grows, so that nothing is reflected.

constexpr int kRadius = 4;

struct Rock {
  int width, height, border;
  float step, inverse_square;  // s, 1/m²
  float frequency, activation;
};

__device__ __forceinline__ float border_loss(int x, int y, const Rock& rock) {
  int near = min(min(x, rock.width - 1 - x), min(y, rock.height - 1 - y));
  if (near >= rock.border) return 1.0f;
  float depth = static_cast<float>(rock.border - near) / rock.border;
  return expf(-0.3f * depth * depth);
}

__global__ void __launch_bounds__(256)
    attenuate_waves(const float* __restrict__ now, const float* __restrict__ before,
                    const float* __restrict__ densities, const float* __restrict__ temperatures,
                    float* __restrict__ next, Rock rock) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= rock.width || y >= rock.height) return;
  int place = y * rock.width + x;
  if (x < kRadius || y < kRadius || x >= rock.width - kRadius || y >= rock.height - kRadius) {
    next[place] = now[place];
    return;
  }
  constexpr float weights[kRadius + 1] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
  float sum = 2.0f * weights[0] * now[place];
#pragma unroll
  for (int k = 1; k <= kRadius; ++k) {
    sum += weights[k] * (now[place - k] + now[place + k] + now[place - k * rock.width] +
                         now[place + k * rock.width]);
  }
  float density = 1.7f + densities[place];
  float temperature = 280.0f + 900.0f * temperatures[place];
  // Gardner's relation gives the speed, Arrhenius' law the quality factor.
  float speed = powf(density / 1.74f, 4.0f);
  float quality = 30.0f + 200.0f * expf(rock.activation / temperature) / sqrtf(temperature);
  float loss = expf(-3.14159265f * rock.frequency * rock.step / quality);
  float courant = speed * rock.step;
  float kept = border_loss(x, y, rock) * loss;
  float wave = 2.0f * now[place] - before[place] * 0.5f + 2.0f;
  next[place] = kept * (wave + courant * courant * rock.inverse_square * sum);
}
