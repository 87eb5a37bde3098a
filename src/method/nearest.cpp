// Optimal string alignment distance, case ignored:
//   d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j], d(i-2, j-2) + 1 if
//   swapped)
#include "method/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace daedalus {
namespace {

std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& letter : result) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view word, const std::vector<std::string>& known,
                                       int most) {
  std::vector<std::pair<std::size_t, const std::string*>> ranked;
  ranked.reserve(known.size());
  const std::string wanted = lower_case(word);
  for (const std::string& name : known) {
    ranked.emplace_back(edit_distance(wanted, lower_case(name)), &name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<std::string> result;
  for (const auto& [distance, name] : ranked) {
    if (static_cast<int>(result.size()) >= most) break;
    result.push_back(*name);
  }
  return result;
}

}  // namespace daedalus
