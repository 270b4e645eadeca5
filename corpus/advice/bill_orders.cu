// The amounts to be billed for the lines of many orders. Every order has eight lines, some of which
// may be empty; the discount is that of the customer who ordered.

constexpr int kLines = 8;

struct Tariff {
  float tax;
  float handling;  // for each line that is not empty
};

struct Line {
  float price;
  int quantity;

  __device__ __forceinline__ float amount(float discount, const Tariff& tariff) const {
    float net = price * static_cast<float>(quantity) * (1.0f - discount);
    float handling = quantity > 0 ? tariff.handling : 0.0f;
    return net * (1.0f + tariff.tax) + handling;
  }
};

__global__ void bill_orders(const float* __restrict__ prices,
                            const unsigned char* __restrict__ quantities,
                            const int* __restrict__ customers, const float* __restrict__ discounts,
                            float* __restrict__ amounts, int lines, Tariff tariff) {
  int place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= lines) return;
  Line line{prices[place], quantities[place]};
  int customer = customers[place / kLines];
  float discount = 0.5f * discounts[customer];
  amounts[place] = line.amount(discount, tariff);
}
