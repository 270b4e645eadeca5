// Item response theory: the logarithms of the likelihoods of each student's answers to a test, for
// 32 levels of ability. An item has a discrimination, a difficulty and a chance of guessing it
// right (the model with three parameters).

#define MAX_ITEMS 128

struct Item {
  float discrimination, difficulty, guessing;
};

__global__ void ability_likelihoods(const float* __restrict__ parameters,
                                    const unsigned char* __restrict__ answers,
                                    float* __restrict__ likelihoods, int students, int items) {
  __shared__ Item test[MAX_ITEMS];
  for (int j = threadIdx.y * 32 + threadIdx.x; j < items; j += 32 * blockDim.y) {
    test[j].discrimination = 0.5f + 1.5f * parameters[j];
    test[j].difficulty = 4.0f * parameters[items + j] - 2.0f;
    test[j].guessing = 0.05f + 0.25f * parameters[2 * items + j];
  }
  __syncthreads();

  int student = blockIdx.x * blockDim.y + threadIdx.y;
  if (student >= students) return;
  float ability = (static_cast<float>(threadIdx.x) - 15.5f) * 0.25f;
  const unsigned char* row = answers + student * items;

  float sum = 0.0f;
  for (int j = 0; j < items; ++j) {
    Item item = test[j];
    float odds = __expf(item.discrimination * (item.difficulty - ability));
    float right = item.guessing + __fdividef(1.0f - item.guessing, 1.0f + odds);
    bool solved = (row[j] & 1) != 0;
    sum += __logf(solved ? right : 1.0f - right);
  }
  likelihoods[student * 32 + threadIdx.x] = sum;
}
