// Tracks of aircraft by Kalman's filter, one a thread: from the echoes of a radar, one in each
// turn, where an aircraft is and how fast it goes, with the uncertainty of both. Echoes that are
// too far off are not believed. What the filter knows after each turn is written for the display.

struct Radar {
  float turn, jitter, noise;  // seconds; variances of speeds for a turn, and of echoes
  float gate;                 // squared standard deviations
};

struct Track {
  float place, speed;
  float pp, ps, ss;  // covariances of the two
};

__device__ __forceinline__ void predict(Track& track, const Radar& radar) {
  track.place += radar.turn * track.speed;
  track.pp += radar.turn * (2.0f * track.ps + radar.turn * track.ss);
  track.ps += radar.turn * track.ss;
  track.ss += radar.jitter;
}

// Echoes lie turn by turn; so do the places that are shown.
__global__ void __launch_bounds__(128)
    filter_tracks(const float* echoes, float2* shown, int tracks, int turns, Radar radar) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tracks) return;
  Track track = {0.5f, 0.0f, 1.0f, 0.0f, 0.1f};
  float next_echo = echoes[i];
  for (int turn = 0; turn < turns; ++turn) {
    float echo = next_echo;
    if (turn + 1 < turns) next_echo = echoes[static_cast<size_t>(turn + 1) * tracks + i];
    predict(track, radar);
    float variance = track.pp + radar.noise;
    float gain = track.pp / variance, speed_gain = track.ps / variance;
    float off = echo - track.place;
    if (off * off < radar.gate * variance) {
      track.place += gain * off;
      track.speed += speed_gain * off;
      track.ss -= speed_gain * track.ps;
      track.ps -= gain * track.ps;
      track.pp -= gain * track.pp;
    }
    shown[static_cast<size_t>(turn) * tracks + i] = {track.place, sqrtf(track.pp)};
  }
}
