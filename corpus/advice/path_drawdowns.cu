// The deepest fall from a peak on each of many simulated price paths, how many days it lasted, and
// the final return. A path is a column of a table with a row per day.

// What lies `step` apart, to be gone through like a container.
template <typename T>
class Strided {
 public:
  struct Iterator {
    const T* place;
    size_t step;
    __device__ const T& operator*() const { return *place; }
    __device__ Iterator& operator++() {
      place += step;
      return *this;
    }
    __device__ bool operator!=(const Iterator& other) const { return place != other.place; }
  };
  __device__ Strided(const T* first, size_t count, size_t step)
      : first_(first), count_(count), step_(step) {}
  __device__ Iterator begin() const { return {first_, step_}; }
  __device__ Iterator end() const { return {first_ + count_ * step_, step_}; }
  __device__ const T& operator[](size_t k) const { return first_[k * step_]; }
  __device__ size_t size() const { return count_; }

 private:
  const T* first_;
  size_t count_, step_;
};

struct Drawdown {
  float depth, gain;
  int days, recovered;
};

__global__ void path_drawdowns(const float* __restrict__ prices, Drawdown* __restrict__ drawdowns,
                               int paths, int days) {
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths) return;
  Strided<float> column(prices + path, days, paths);
  float start = 0.5f + column[0], peak = start, deepest = 0, price = start;
  int since = 0, longest = 0, recovered = 0;

  for (float quote : column) {
    price = 0.5f + quote;
    ++since;
    if (price >= peak) {
      peak = price;
      since = 0;
      ++recovered;
    }
    float fall = peak - price;
    if (fall > deepest) {
      deepest = fall;
      longest = since;
    }
  }
  drawdowns[path] = {deepest, price / start - 1.0f, longest, recovered};
}
