// Products of a few columns, for the instruction set of the file that includes this one.
namespace daedalus {
namespace {

template <int rows>
void subtract_in_rows(int stride, int columns, const double* c, const double* t_re,
                      const double* t_im, double* re, double* im) {
  constexpr int registers = rows / width;
  Lanes x[registers], y[registers];
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r) {
    x[r] = load_unaligned(re + r * width);
    y[r] = im ? load_unaligned(im + r * width) : Lanes{};
  }
  for (int k = 0; k < columns; ++k, c += stride) {
    const Lanes s = spread(t_re[k]), t = im ? spread(t_im[k]) : Lanes{};
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      const Lanes column = load_unaligned(c + r * width);
      x[r] -= column * s;
      y[r] -= column * t;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r) {
    store_upto(re + r * width, x[r], width);
    if (im) store_upto(im + r * width, y[r], width);
  }
}

void subtract_columns(int stride, int columns, const double* c, const double* t_re,
                      const double* t_im, double* re, double* im) {
  int first = 0;
  for (; first + 16 <= stride; first += 16)
    subtract_in_rows<16>(stride, columns, c + first, t_re, t_im, re + first,
                         im ? im + first : nullptr);
  if (first < stride)
    subtract_in_rows<8>(stride, columns, c + first, t_re, t_im, re + first,
                        im ? im + first : nullptr);
}

}  // namespace
}  // namespace daedalus
