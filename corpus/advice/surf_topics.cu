// What a random surfer of the web reads about. Every walk starts on some page and follows one of its
// eight links in each step, or now and then goes back to where it began. The weights of the 32
// topics of the pages on the way are added up; a thread has one topic of one walk.

constexpr int topics = 32, links_of_page = 8;

struct Choice {
  unsigned state;

  __device__ __forceinline__ void draw() { state = state * 1664525u + 1013904223u; }
  __device__ __forceinline__ int link() const { return state >> 29; }
  __device__ __forceinline__ bool tired() const { return (state >> 24 & 31u) == 0u; }
};

__global__ void surf_topics(const int* __restrict__ links, const unsigned char* __restrict__ weights,
                            const int* __restrict__ starts, int* __restrict__ interests,
                            int* __restrict__ last_pages, int walks, int steps) {
  int reader = blockIdx.x * blockDim.x + threadIdx.x;
  int walk = reader / topics, topic = reader % topics;
  if (walk >= walks) return;

  int start = starts[walk], page = start;
  Choice choice{2654435761u * walk + 12345u};
  int interest = 0;
  for (int step = 0; step < steps; ++step) {
    interest += weights[page * topics + topic];
    choice.draw();
    page = choice.tired() ? start : links[page * links_of_page + choice.link()];
  }

  interests[walk * topics + topic] = interest;
  if (topic == 0) last_pages[walk] = page;
}
