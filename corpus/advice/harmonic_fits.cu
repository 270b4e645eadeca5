// How the green of each pixel of a satellite's pictures goes through the years: a line and waves of
// one year and its parts, fitted to the pictures of all dates by least squares. The dates are those
// of all pixels, so the matrix of the normal equations is factored once, by Cholesky, on the host.

constexpr int kMost = 8;  // terms of a fit

struct Fit {
  int pixels, dates, terms;
  float missing;  // below this, a cloud was in the way: what is there then comes from the mean
};

// terms[date * fit.terms + k] is term k on a date; factor has the rows of the lower triangle one
// after the other, with the inverse on its diagonal. Coefficients lie term by term.
__global__ void __launch_bounds__(128)
    harmonic_fits(const float* __restrict__ pictures, const float* __restrict__ terms,
                  const float* __restrict__ factor, float* __restrict__ coefficients, Fit fit) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= fit.pixels) return;

  float solution[kMost];
  for (int k = 0; k < fit.terms; ++k) solution[k] = 0;
  float mean = 0.5f;
  for (int date = 0; date < fit.dates; ++date) {
    float value = pictures[static_cast<size_t>(date) * fit.pixels + pixel];
    if (value < fit.missing) value = mean;
    mean += 0.1f * (value - mean);
    for (int k = 0; k < fit.terms; ++k) solution[k] += terms[date * fit.terms + k] * value;
  }

  for (int row = 0; row < fit.terms; ++row) {
    float sum = solution[row];
    for (int k = 0; k < row; ++k) sum -= factor[row * (row + 1) / 2 + k] * solution[k];
    solution[row] = sum * factor[row * (row + 1) / 2 + row];
  }
  for (int row = fit.terms - 1; row >= 0; --row) {
    float sum = solution[row];
    for (int k = row + 1; k < fit.terms; ++k) sum -= factor[k * (k + 1) / 2 + row] * solution[k];
    solution[row] = sum * factor[row * (row + 1) / 2 + row];
    coefficients[static_cast<size_t>(row) * fit.pixels + pixel] = solution[row];
  }
}
