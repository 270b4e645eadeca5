// What discounts cost, by a query over a table of sales: the sum of price times discount over the
// rows of some days with a small quantity and a middling discount. Money is in cents, percent
// whole, so that the sum is exact. Columns are stored one by one.

using Money = unsigned long long;

struct Query {
  int first_day, last_day;
  int low_discount, high_discount;
  int quantity;
};

__device__ __forceinline__ Money block_sum(Money sum, Money* scratch) {
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(~0u, sum, away);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) scratch[warp] = sum;
  __syncthreads();
  if (warp != 0) return 0;
  sum = lane < blockDim.x / 32 ? scratch[lane] : 0;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(~0u, sum, away);
  return sum;
}

__global__ void sum_revenue(const int* __restrict__ days, const int* __restrict__ discounts,
                            const int* __restrict__ quantities, const int* __restrict__ prices,
                            Money* __restrict__ total, Query query, long long rows) {
  __shared__ Money scratch[32];
  Money sum = 0;
  long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long row = thread; row < rows; row += stride) {
    int day = days[row], discount = discounts[row], quantity = quantities[row];
    int price = prices[row];
    bool wanted = day >= query.first_day && day < query.last_day &&
                  discount >= query.low_discount && discount <= query.high_discount &&
                  quantity < query.quantity;
    if (wanted) sum += static_cast<Money>(price) * discount;
  }
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}
