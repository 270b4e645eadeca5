// Measurement update of a particle filter (Monte Carlo localisation) with the likelihood
// field model: log-weight of every particle for one lidar scan.

struct Particle {
    float x, y;         // fraction of the map's width
    float turn;         // heading, in turns
    float speed, yaw_rate;
    float log_weight;
};

static __device__ float field_lookup(const float *field, int w, int h, float x, float y)
{
    int cx = (int)floorf(x), cy = (int)floorf(y);
    if (cx < 0 || cy < 0 || cx >= w || cy >= h)
        return -1.0f;
    return field[cy * w + cx];
}

extern "C" __global__ void lidar_likelihood(Particle *__restrict__ particles,
                                            const float *__restrict__ ranges, // fraction of max
                                            const float *__restrict__ field,  // P(hit) per cell
                                            int nparticles, int nbeams,
                                            int map_w, int map_h,
                                            float resolution, float max_range)
{
    // the beams that returned, turned by the beam's angle; the same for all particles
    __shared__ float2 dir[1024];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (int b = threadIdx.x; b < nbeams; b += blockDim.x)
        if (!(ranges[b] > 0.97f)) {
            double s, c;
            sincospi(2.0 * b / nbeams, &s, &c);
            float r = ranges[b] * max_range;
            dir[atomicAdd(&count, 1)] = make_float2(r * c, r * s);
        }
    __syncthreads();
    const int beams = count;

    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= nparticles)
        return;

    const float inv = 1.0f / resolution;
    float px = particles[p].x * map_w;                  // cells
    float py = particles[p].y * map_h;
    float sn, cs;
    sincospif(2.0f * particles[p].turn, &sn, &cs);
    sn *= inv;
    cs *= inv;

    float logw = 0.0f;
    for (int b = 0; b < beams; ++b) {
        const float2 d = dir[b];
        float hit = field_lookup(field, map_w, map_h, px + cs * d.x - sn * d.y, py + sn * d.x + cs * d.y);
        logw += logf(hit < 0.0f ? 0.01f : 0.9f * hit + 0.05f);
    }

    particles[p].log_weight += logw;
}
