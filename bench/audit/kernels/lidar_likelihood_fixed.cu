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
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= nparticles)
        return;

    float px = particles[p].x * map_w * resolution;     // metres
    float py = particles[p].y * map_h * resolution;
    double theta = 2.0 * 3.14159265358979 * particles[p].turn;

    double logw = 0.0;
    // hit of beam b; -2: no return
    auto beam = [&](int b) -> float {
        if (ranges[b] > 0.97f)
            return -2.0f;
        float r = ranges[b] * max_range;
        double angle = theta + 2.0 * 3.14159265358979 * b / nbeams;
        float ex = px + r * cos(angle);
        float ey = py + r * sin(angle);
        return field_lookup(field, map_w, map_h, ex / resolution, ey / resolution);
    };
    float hit = nbeams > 0 ? beam(0) : -2.0f;
    for (int b = 0; b < nbeams; ++b) {
        float next = -2.0f;
        if (b + 1 < nbeams)
            next = beam(b + 1);
        if (hit > -1.5f) {
            if (hit < 0.0f)
                logw += log(0.01);              // off the map
            else
                logw += log(0.9 * hit + 0.05);
        }
        hit = next;
    }

    particles[p].log_weight += logw;
}
