#include "expression/stage_tape.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>
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
  Writer(const MotionTapes& motion, const SlopeTerms& terms)
      : motion_(motion), a_(motion.accelerate), n_(motion.n), terms_(terms) {
    places_.further = places_.state + 3 * n_;
    inputs_ = places_.further + a_.inputs() - 1 - 2 * n_;
    for (const Tape* tape : {&a_, &motion.correct, &motion.arrive, &motion.watch})
      for (const double value : tape->constants()) add_constant(value);
    for (const std::vector<double>* list : {&terms.time, &terms.weight})
      for (const double value : *list) add_constant(value);
    registers_ = inputs_ + static_cast<int>(constants_.size());
    places_.slopes = take(2 * n_ * (terms.stages - 1));
    places_.point = take(n_), places_.end = take(2 * n_);
    places_.estimates = take(2 * n_ * terms.estimates());
    places_.most = take(motion.most), places_.least = take(motion.least);
    places_.correct = take(outputs_of(motion.correct));
    places_.arrive = take(outputs_of(motion.arrive));
    places_.accelerate = take(outputs_of(a_));
    places_.watch = take(outputs_of(motion.watch));
    passing_ = take(a_.registers());
    times_ = take(terms.stages);
    find_functions_of_time();
    for (int i = 0; i < terms.stages; ++i) placed_.push_back(places_of_stage(i));
    add_times();
    add_functions_of_time();
    for (int i = 1; i < terms.stages; ++i) add_stage(i);
    add_sums(terms.end(), places_.state, [&](int r) { return places_.end + r; });
    for (int e = 0; e < terms.estimates(); ++e)
      if (needs_only_stages(terms.rows[at(terms.stages + 1 + e)]))
        add_sums(terms.rows[at(terms.stages + 1 + e)], nowhere,
                 [&](int r) { return places_.estimates + 2 * n_ * e + r; });
    add_end();
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
  static int outputs_of(const Tape& tape) { return static_cast<int>(tape.outputs().size()); }
  int take(int count) { return std::exchange(registers_, registers_ + count); }
  void add_constant(double value) {
    const int next = inputs_ + static_cast<int>(constants_.size());
    if (constant_.emplace(std::bit_cast<std::uint64_t>(value), next).second)
      constants_.push_back(value);
  }
  int constant(double value) const { return constant_.at(std::bit_cast<std::uint64_t>(value)); }
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
    list[0] = times_ + i;
    for (int j = 0; j < n_; ++j) {
      list[at(1 + j)] = places_.point + j;
      list[at(1 + n_ + j)] = slope(i, j);
    }
    for (int k = 1 + 2 * n_; k < a_.inputs(); ++k) list[at(k)] = places_.further + k - 1 - 2 * n_;
    place_constants(a_, list);
    for (int j = 0; j < n_; ++j) list[at(a_.outputs()[at(j)])] = slope(i, n_ + j);
    return list;
  }
  void place_constants(const Tape& tape, std::vector<int>& list) const {
    for (std::size_t k = 0; k < tape.constants().size(); ++k)
      list[at(tape.inputs()) + k] = constant(tape.constants()[k]);
  }

  Instruction moved(const Instruction& in, const std::vector<int>& place) const {
    Instruction result = in;
    result.target = place[at(in.target)];
    result.a = place[at(in.a)], result.b = place[at(in.b)], result.c = place[at(in.c)];
    return result;
  }

  void add_times() {
    for (int i = 1; i < terms_.stages; ++i) {
      const int time = times_ + i;
      list_.push_back({Op::mul, Kind::plain, time, constant(terms_.time[at(i)]), places_.h, 0});
      list_.push_back({Op::add, Kind::plain, time, places_.t, time, 0});
    }
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
    add_sums(terms_.rows[at(i)], places_.state,
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
    for (int k = 0; k < motion_.most + motion_.least; ++k) {
      const int from = place[at(a_.outputs()[at(n_ + k)])];
      const int to = places_.most + k;
      if (i == 1)
        copy(from, to);
      else
        list_.push_back({k < motion_.most ? Op::max : Op::min, Kind::plain, to, from, to, 0});
    }
  }

  void copy(int from, int to) {
    if (from != to) list_.push_back({Op::max, Kind::plain, to, from, from, 0});
  }

  /// As the kernel for vectors does it: every other term in a sum of its own. A few components
  /// together, so that weights are read once and sums stay in registers.
  template <class Target>
  void add_sums(const SlopeTerms::Row& row, int from, Target target) {
    constexpr int together = 4;
    const bool scaled = row.first < terms_.scaled();
    std::vector<int> weight;
    for (int k = 0; k < row.count; ++k)
      weight.push_back(scaled ? take(1) : constant(terms_.weight[at(row.first + k)]));
    for (int first = 0; first < 2 * n_; first += together) {
      const int count = std::min(together, 2 * n_ - first);
      for (int k = 0; k < row.count; ++k) {
        const int j = terms_.slope[at(row.first + k)];
        if (scaled && first == 0)
          list_.push_back({Op::mul, Kind::plain, weight[at(k)], places_.h,
                           constant(terms_.weight[at(row.first + k)]), 0});
        for (int r = first; r < first + count; ++r) {
          const int sum = partial_sum(2 * (r - first) + k % 2);
          const int before = k > 1 ? sum : k == 0 && from != nowhere ? from + r : nowhere;
          add_product(weight[at(k)], slope(j, r), before, sum);
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

  /// As a tape of its own does it, each result in a place of its own: what is equal to an earlier
  /// one is that one. The places of its outputs.
  std::vector<int> add_once(const Tape& tape, const std::vector<int>& q,
                            const std::vector<int>& v) {
    std::vector<int> place(at(tape.registers()), nowhere);
    place[0] = places_.end_time;
    std::copy_n(q.begin(), n_, place.begin() + 1);
    std::copy_n(v.begin(), n_, place.begin() + 1 + n_);
    for (int k = 1 + 2 * n_; k < tape.inputs(); ++k)
      place[at(k)] = places_.further + k - 1 - 2 * n_;
    place_constants(tape, place);
    for (const Instruction& in : tape.instructions()) {
      const int read[] = {in.a, in.b, in.c};
      Instruction own{in.op, in.kind, registers_, 0, 0, 0};
      int* const operand[] = {&own.a, &own.b, &own.c};
      for (int i = 0; i < in.operands(); ++i) *operand[i] = place[at(read[i])];
      const std::array<int, 5> what = {static_cast<int>(in.op), static_cast<int>(in.kind), own.a,
                                       own.b, own.c};
      const auto [known, fresh] = made_once_.try_emplace(what, own.target);
      if (fresh) {
        take(in.is_turn() ? 2 : 1);
        if (in.is_turn()) own.b = own.target + 1;
        list_.push_back(own);
      }
      place[at(in.target)] = known->second;
      if (in.is_turn()) place[at(in.b)] = known->second + 1;
    }
    std::vector<int> outputs;
    for (const int k : tape.outputs()) outputs.push_back(place[at(k)]);
    return outputs;
  }

  void add_end() {
    const auto begin = list_.size();
    const int first = registers_;
    std::vector<int> q(at(n_)), v(at(n_));
    std::iota(q.begin(), q.end(), places_.end), std::iota(v.begin(), v.end(), places_.end + n_);
    const std::vector<int> corrected = add_once(motion_.correct, q, v),
                           arrived = add_once(motion_.arrive, corrected, v),
                           accelerated = add_once(a_, corrected, arrived),
                           watched = add_once(motion_.watch, corrected, arrived);
    // Where they are wanted from the beginning; copies of what is wanted twice.
    std::vector<int> name(at(registers_));
    std::iota(name.begin(), name.end(), 0);
    std::vector<std::pair<int, int>> copies;
    int to = places_.correct;
    for (const std::vector<int>* list : {&corrected, &arrived, &accelerated, &watched})
      for (const int from : *list) {
        int& place = name[at(from)];
        if (from >= first && place == from)
          place = to++;
        else
          copies.emplace_back(place, to++);
      }
    for (auto in = list_.begin() + static_cast<std::ptrdiff_t>(begin); in != list_.end(); ++in)
      for (int* place : {&in->target, &in->a, &in->b, &in->c}) *place = name[at(*place)];
    for (const auto& [from, copied] : copies) copy(from, copied);
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

  const MotionTapes& motion_;
  const Tape& a_;
  int n_;
  const SlopeTerms& terms_;
  StagePlaces places_;
  int inputs_ = 0, registers_ = 0, passing_ = 0, times_ = 0, product_ = nowhere;
  bool fused_ = is_available(InstructionSet::avx2);
  std::vector<char> of_time_;                    ///< by instruction of `a`
  std::vector<std::vector<int>> placed_;         ///< by stage and register of `a`
  std::vector<std::pair<int, int>> own_places_;  ///< of results of the time alone, by stage
  std::map<std::array<int, 5>, int> made_once_;  ///< place by operation, kind and operands
  std::unordered_map<std::uint64_t, int> constant_;
  std::vector<int> partial_sums_;
  std::vector<Instruction> list_;
  std::vector<double> constants_;
  std::vector<int> outputs_;
};

}  // namespace

StageTape::StageTape(const MotionTapes& motion, const SlopeTerms& terms) {
  Writer writer(motion, terms);
  places_ = writer.places();
  tape_ = std::move(writer).tape();
}

}  // namespace daedalus
