#include "expression/stage_tape.h"

#include <algorithm>
#include <utility>

#include "linear/dense_kernels.h"

namespace daedalus {
namespace {

using Instruction = Tape::Instruction;
using Kind = Instruction::Kind;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class Writer {
 public:
  Writer(const Tape& a, int n, int most, int least, const SlopeTerms& terms)
      : a_(a), n_(n), most_(most), least_(least), terms_(terms) {
    const int further = a.inputs() - 1 - 2 * n;
    places_.weights = terms.stages;
    places_.state = places_.weights + terms.scaled();
    places_.further = places_.state + 3 * n;
    inputs_ = places_.further + further;
    constants_ = a.constants();
    constants_.insert(constants_.end(), terms.weight.begin() + terms.scaled(), terms.weight.end());
    estimate_weights_ = inputs_ + static_cast<int>(a.constants().size());
    registers_ = inputs_ + static_cast<int>(constants_.size());
    places_.slopes = take(2 * n * (terms.stages - 1));
    places_.point = take(n), places_.end = take(2 * n);
    places_.estimates = take(2 * n * terms.estimates());
    places_.most = take(most), places_.least = take(least);
    passing_ = take(a.registers());
    find_functions_of_time();
    for (int i = 0; i < terms.stages; ++i) placed_.push_back(places_of_stage(i));
    add_functions_of_time();
    for (int i = 1; i < terms.stages; ++i) add_stage(i);
    add_sums(terms.end(), places_.weights, places_.state, [&](int r) { return places_.end + r; });
    for (int e = 0; e < terms.estimates(); ++e)
      if (needs_only_stages(terms.rows[at(terms.stages + 1 + e)]))
        add_sums(terms.rows[at(terms.stages + 1 + e)], estimate_weights_ - terms.scaled(), nowhere,
                 [&](int r) { return places_.estimates + 2 * n_ * e + r; });
    for (int k = places_.slopes; k < passing_; ++k) outputs_.push_back(k);
    leave_out_unused();
  }

  StagePlaces places() const { return places_; }
  Tape tape() && {
    return Tape(inputs_, registers_, std::move(list_), std::move(constants_), std::move(outputs_));
  }

 private:
  static constexpr int nowhere = -1;

  bool needs_only_stages(const SlopeTerms::Row& row) const {
    const auto first = terms_.slope.begin() + row.first;
    return std::all_of(first, first + row.count, [&](int j) { return j < terms_.stages; });
  }
  int take(int count) { return std::exchange(registers_, registers_ + count); }
  /// Component r of a slope: v and a side by side, also those of the first stage.
  int slope(int j, int r) const {
    return j == 0 ? places_.state + n_ + r : places_.slopes + 2 * n_ * (j - 1) + r;
  }

  /// Marks results that depend on the time, constants and further inputs alone.
  void find_functions_of_time() {
    std::vector<char> varies(at(a_.registers()), 0);
    std::fill(varies.begin() + 1, varies.begin() + 1 + 2 * n_, char{1});
    for (const Instruction& in : a_.instructions()) {
      const int read[] = {in.a, in.b, in.c};
      char own = 0;
      for (int i = 0; i < in.operands(); ++i) own |= varies[at(read[i])];
      varies[at(in.target)] = own;
      if (in.is_turn()) varies[at(in.b)] = own;
      of_time_.push_back(own == 0);
    }
  }

  /// Of the registers of `a`, before the first instruction.
  std::vector<int> places_of_stage(int i) const {
    std::vector<int> list(at(a_.registers()));
    for (int k = 0; k < a_.registers(); ++k) list[at(k)] = passing_ + k;
    list[0] = i;
    for (int j = 0; j < n_; ++j) {
      list[at(1 + j)] = places_.point + j;
      list[at(1 + n_ + j)] = slope(i, j);
    }
    for (int k = 1 + 2 * n_; k < a_.inputs(); ++k) list[at(k)] = places_.further + k - 1 - 2 * n_;
    for (int k = 0; k < std::ssize(a_.constants()); ++k) list[at(a_.inputs() + k)] = inputs_ + k;
    for (int j = 0; j < n_; ++j) list[at(a_.outputs()[at(j)])] = slope(i, n_ + j);
    return list;
  }

  Instruction moved(const Instruction& in, const std::vector<int>& place) const {
    Instruction result = in;
    result.target = place[at(in.target)];
    result.a = place[at(in.a)], result.b = place[at(in.b)], result.c = place[at(in.c)];
    return result;
  }

  /// Each has a place of its own, and knows where its operands are: registers are used again.
  void add_functions_of_time() {
    std::vector<std::vector<int>> place = placed_;
    for (std::size_t k = 0; k < of_time_.size(); ++k) {
      const Instruction& in = a_.instructions()[k];
      if (!of_time_[k]) continue;
      for (int i = 1; i < terms_.stages; ++i) {
        Instruction own = moved(in, place[at(i)]);
        own.target = place[at(i)][at(in.target)] = take(1);
        if (in.is_turn()) own.b = place[at(i)][at(in.b)] = take(1);
        own_places_.push_back({own.target, own.b});
        list_.push_back(own);
      }
    }
  }

  void add_stage(int i) {
    add_sums(terms_.rows[at(i)], places_.weights, places_.state,
             [&](int r) { return r < n_ ? places_.point + r : slope(i, r - n_); });
    std::vector<int>& place = placed_[at(i)];
    const std::vector<int> own = place;
    int functions = 0;
    for (std::size_t k = 0; k < of_time_.size(); ++k) {
      const Instruction& in = a_.instructions()[k];
      if (of_time_[k]) {
        const auto& made = own_places_[at(functions++ * (terms_.stages - 1) + i - 1)];
        place[at(in.target)] = made.first;
        if (in.is_turn()) place[at(in.b)] = made.second;
        continue;
      }
      Instruction next = moved(in, place);
      next.target = place[at(in.target)] = own[at(in.target)];
      if (in.is_turn()) next.b = place[at(in.b)] = own[at(in.b)];
      list_.push_back(next);
    }
    // An acceleration of the time alone lies elsewhere.
    for (int j = 0; j < n_; ++j) copy(place[at(a_.outputs()[at(j)])], slope(i, n_ + j));
    for (int k = 0; k < most_ + least_; ++k) {
      const int from = place[at(a_.outputs()[at(n_ + k)])];
      const int to = places_.most + k;
      if (i == 1)
        copy(from, to);
      else
        list_.push_back({k < most_ ? Op::max : Op::min, Kind::plain, to, from, to, 0});
    }
  }

  void copy(int from, int to) {
    if (from != to) list_.push_back({Op::max, Kind::plain, to, from, from, 0});
  }

  /// As the kernel for vectors does it: every other term in a sum of its own. A few components
  /// together, so that weights are read once and sums stay in registers.
  template <class Target>
  void add_sums(const SlopeTerms::Row& row, int weights, int from, Target target) {
    constexpr int together = 4;
    for (int first = 0; first < 2 * n_; first += together) {
      const int count = std::min(together, 2 * n_ - first);
      for (int k = 0; k < row.count; ++k) {
        const int weight = weights + row.first + k, j = terms_.slope[at(row.first + k)];
        for (int r = first; r < first + count; ++r) {
          const int sum = partial_sum(2 * (r - first) + k % 2);
          const int before = k > 1 ? sum : k == 0 && from != nowhere ? from + r : nowhere;
          add_product(weight, slope(j, r), before, sum);
        }
      }
      for (int r = first; r < first + count; ++r) {
        const int even = partial_sum(2 * (r - first)), odd = partial_sum(2 * (r - first) + 1);
        if (row.count > 1)
          list_.push_back({Op::add, Kind::plain, target(r), even, odd, 0});
        else
          copy(even, target(r));
      }
    }
  }
  int partial_sum(int k) {
    while (std::ssize(partial_sums_) <= k) partial_sums_.push_back(take(1));
    return partial_sums_[at(k)];
  }
  void add_product(int weight, int slope, int before, int target) {
    if (before == nowhere) {
      list_.push_back({Op::mul, Kind::plain, target, weight, slope, 0});
    } else if (fused_) {
      list_.push_back({Op::add, Kind::multiply_add, target, weight, slope, before});
    } else {
      if (product_ == nowhere) product_ = take(1);
      list_.push_back({Op::mul, Kind::plain, product_, weight, slope, 0});
      list_.push_back({Op::add, Kind::plain, target, before, product_, 0});
    }
  }

  void leave_out_unused() {
    std::vector<char> wanted(at(registers_), 0);
    for (const int k : outputs_) wanted[at(k)] = 1;
    std::vector<Instruction> kept;
    for (auto in = list_.rbegin(); in != list_.rend(); ++in) {
      if (!wanted[at(in->target)] && !(in->is_turn() && wanted[at(in->b)])) continue;
      wanted[at(in->target)] = 0;
      if (in->is_turn()) wanted[at(in->b)] = 0;
      const int read[] = {in->a, in->b, in->c};
      for (int i = 0; i < in->operands(); ++i) wanted[at(read[i])] = 1;
      kept.push_back(*in);
    }
    list_.assign(kept.rbegin(), kept.rend());
  }

  const Tape& a_;
  int n_, most_, least_;
  const SlopeTerms& terms_;
  StagePlaces places_;
  int inputs_ = 0, registers_ = 0, passing_ = 0, estimate_weights_ = 0, product_ = nowhere;
  bool fused_ = is_available(InstructionSet::avx2);
  std::vector<char> of_time_;                    ///< by instruction of `a`
  std::vector<std::vector<int>> placed_;         ///< by stage and register of `a`
  std::vector<std::pair<int, int>> own_places_;  ///< of results of the time alone, by stage
  std::vector<int> partial_sums_;
  std::vector<Instruction> list_;
  std::vector<double> constants_;
  std::vector<int> outputs_;
};

}  // namespace

StageTape::StageTape(const Tape& a, int n, int most, int least, const SlopeTerms& terms) {
  Writer writer(a, n, most, least, terms);
  places_ = writer.places();
  tape_ = std::move(writer).tape();
}

}  // namespace daedalus
