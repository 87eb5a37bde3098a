#include "problem/right_hand_side_code.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "expression/rebuild.h"
#include "expression/tape.h"
#include "problem/findings.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace daedalus {
namespace {

constexpr int block = Tape::block;
/// Of what is recorded: sums over thousands of terms are better left to the compiler.
constexpr int most_nodes = 5'000;

/// memory[j][i] = y[i][j]. Vectors go over in squares of four, as code will read them: it would
/// wait for numbers that were written one by one. Lanes behind the last point repeat it.
void lay_side_by_side(int points, int apart, int n, const double* y, double* memory) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < points; ++i) memory[j * block + i] = y[i * apart + j];
}
void take_apart(int points, int apart, int n, const double* memory, const int* from, double* f) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < points; ++i) f[i * apart + j] = memory[from[j] * block + i];
}

#ifdef __x86_64__
struct Square {
  __m256d row[4];
};

[[gnu::target("avx2"), gnu::always_inline]] inline Square transposed(const Square& x) {
  const __m256d a = _mm256_unpacklo_pd(x.row[0], x.row[1]),
                b = _mm256_unpackhi_pd(x.row[0], x.row[1]),
                c = _mm256_unpacklo_pd(x.row[2], x.row[3]),
                d = _mm256_unpackhi_pd(x.row[2], x.row[3]);
  return {{_mm256_permute2f128_pd(a, c, 0x20), _mm256_permute2f128_pd(b, d, 0x20),
           _mm256_permute2f128_pd(a, c, 0x31), _mm256_permute2f128_pd(b, d, 0x31)}};
}

[[gnu::target("avx2")]] void lay_squares_side_by_side(int points, int apart, int n, const double* y,
                                                      double* memory) {
  for (int i = 0; i < points; i += 4)
    for (int j = 0; j < n; j += 4) {
      Square x;
      for (int k = 0; k < 4; ++k)
        x.row[k] = _mm256_loadu_pd(y + std::min(i + k, points - 1) * apart + j);
      x = transposed(x);
      double* const to = memory + j * block + i;
      for (int k = 0; k < 4 && j + k < n; ++k) _mm256_storeu_pd(to + k * block, x.row[k]);
    }
}

/// Zero behind the end of each vector.
[[gnu::target("avx2")]] void take_squares_apart(int points, int apart, int n, const double* memory,
                                                const int* from, double* f) {
  for (int i = 0; i < points; i += 4, f += 4 * apart)
    for (int j = 0; j < n; j += 4) {
      Square x;
      for (int k = 0; k < 4; ++k)
        x.row[k] =
            j + k < n ? _mm256_loadu_pd(memory + from[j + k] * block + i) : _mm256_setzero_pd();
      x = transposed(x);
      for (int k = 0; k < 4 && i + k < points; ++k) _mm256_storeu_pd(f + k * apart + j, x.row[k]);
    }
}
#endif

/// In additions.
double cost_of(const Tape& tape) {
  constexpr double cost_of_function = 200, cost_of_division = 5;
  double sum = 0;
  for (const Tape::Instruction& step : tape.instructions()) {
    const bool is_division = step.op == Op::div || step.op == Op::sqrt || step.op == Op::mod;
    const bool is_function = (step.op >= Op::exp && step.op <= Op::tanh) || step.op == Op::pow ||
                             step.op == Op::atan2 || step.is_turn();
    sum += step.is_fused() ? 1
           : is_function   ? cost_of_function
           : is_division   ? cost_of_division
                           : 1;
  }
  return sum;
}

using Roots = std::vector<NodeId>;

/// Inputs of the graph: the time, then y.
std::optional<Roots> recorded_roots(Graph& graph, int n, const RightHandSideCode::Record& f) {
  const Expr t(graph, graph.input(0));
  std::vector<Expr> y, out(static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) y.emplace_back(graph, graph.input(1 + j));
  try {
    f(t, y.data(), out.data());
    Roots roots;
    for (const Expr& e : out) roots.push_back(e.node_in(graph));
    return roots;
  } catch (...) {
    return std::nullopt;
  }
}

/// Expressions over y and, behind it, sources: the largest parts that depend on the time alone.
class Split {
 public:
  Split(const Graph& given, int n, const Roots& roots) : n_(n) {
    NodeId last = -1;
    for (const NodeId id : roots) last = std::max(last, id);
    const auto count = static_cast<std::size_t>(last) + 1;
    std::vector<char> needed(count, 0), of_time(count, 0), of_y(count, 0);
    for (const NodeId id : roots) needed[at(id)] = 1;
    for (NodeId id = last; id >= 0; --id)
      if (needed[at(id)]) for_operands(given[id], [&](NodeId operand) { needed[at(operand)] = 1; });
    made_.assign(count, -1), in_time_.assign(count, -1);
    for (NodeId id = 0; id <= last; ++id) {
      if (!needed[at(id)]) continue;
      const Node& node = given[id];
      if (node.op == Op::input) (node.a == 0 ? of_time : of_y)[at(id)] = 1;
      for_operands(node, [&](NodeId operand) {
        of_time[at(id)] |= of_time[at(operand)], of_y[at(id)] |= of_y[at(operand)];
      });
      if (!of_y[at(id)]) in_time_[at(id)] = copied(node, time, in_time_);
      if (of_time[at(id)] && !of_y[at(id)]) continue;
      for_operands(node, [&](NodeId operand) { take_source(operand); });
      made_[at(id)] = copied(node, graph, made_);
    }
    for (const NodeId id : roots) take_source(id), values.push_back(made_[at(id)]);
  }

  Graph graph, time;
  Roots values;   ///< in `graph`, whose inputs are y and the sources
  Roots sources;  ///< in `time`

 private:
  static std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

  void take_source(NodeId id) {
    if (made_[at(id)] >= 0) return;
    made_[at(id)] = graph.input(n_ + static_cast<int>(sources.size()));
    sources.push_back(in_time_[at(id)]);
  }

  static NodeId copied(const Node& node, Graph& to, const Roots& operands) {
    if (node.op == Op::constant) return to.constant(node.value);
    if (node.op == Op::input) return to.input(node.a == 0 ? 0 : node.a - 1);
    const int count = operands_of(node.op);
    return to.make(node.op, operands[at(node.a)], count > 1 ? operands[at(node.b)] : -1,
                   count > 2 ? operands[at(node.c)] : -1);
  }

  int n_;
  Roots made_, in_time_;
};

}  // namespace

struct RightHandSideCode::Tapes {
  int size = 0;
  std::shared_ptr<const void> statement;  ///< that said it; null: a function was recorded
  // What was recorded, to be compared; one thread at a time records into the graph.
  mutable Graph graph;
  Roots roots;
  mutable std::recursive_timed_mutex turn;

  Tape sources;  ///< of the time
  Tape values;   ///< of y and the sources, as the next one
  Tape derivatives;
  std::vector<int> places;  ///< of the derivatives, which are -df/dy without zeros
  bool values_pay = false;

  bool is_of(int n, const Record& function) const {
    const BriefTurn mine(turn);
    if (!mine || n != size || statement) return false;
    const PassingNodes passing(graph);
    return recorded_roots(graph, n, function) == roots;
  }

  static std::shared_ptr<const Tapes> make(int n, const Record& function) {
    auto result = std::make_shared<Tapes>();
    result->size = n;
    result->graph.limit(most_nodes);
    std::optional<Roots> roots = recorded_roots(result->graph, n, function);
    if (!roots) return nullptr;
    result->roots = std::move(*roots);
    Split split(result->graph, n, result->roots);
    result->take_values(split);
    const int inputs = n + static_cast<int>(split.sources.size());
    std::vector<int> y;
    for (int j = 0; j < n; ++j) y.push_back(j);
    Roots entries;
    for (int i = 0; i < n; ++i) {
      const Roots row =
          gradient(split.graph, split.graph.neg(split.values[static_cast<std::size_t>(i)]), y);
      for (int j = 0; j < n; ++j) {
        if (split.graph.is_constant(row[static_cast<std::size_t>(j)], 0)) continue;
        entries.push_back(row[static_cast<std::size_t>(j)]);
        result->places.push_back(i + j * n);
      }
    }
    result->derivatives = Tape(split.graph, inputs, entries, Tape::Products::fused);
    result->derivatives.translate();
    // Counted with callgrind: the way to and fro is some 30 additions for each of n unknowns.
    constexpr double cost_of_way = 30;
    result->values_pay = cost_of(result->values) + cost_of(result->sources) >= cost_of_way * n;
    if (result->values_pay) result->values.translate_block(Exponentials::four_at_once);
    return result;
  }

  static std::shared_ptr<const Tapes> make(std::shared_ptr<const void> statement, int n,
                                           const Build& build) {
    auto result = std::make_shared<Tapes>();
    result->size = n, result->statement = std::move(statement);
    Graph graph;
    graph.limit(most_nodes);
    try {
      result->take_values(Split(graph, n, build(graph)));
    } catch (const std::length_error&) {
      return nullptr;
    }
    // A tape that is run for each point alone has a way to go as well.
    result->values_pay = true;
    result->values.translate_block(Exponentials::four_at_once);
    return result;
  }

 private:
  void take_values(const Split& split) {
    sources = Tape(split.time, 1, split.sources);
    if (!split.sources.empty()) sources.translate();
    values = Tape(split.graph, size + static_cast<int>(split.sources.size()), split.values,
                  Tape::Products::fused);
  }
};

std::unique_ptr<RightHandSideCode> RightHandSideCode::of(int size, const Record& function,
                                                         const Findings& findings) {
  auto tapes = found_or_made<Tapes>(
      findings, [&](const Tapes& known) { return known.is_of(size, function); },
      [&] { return Tapes::make(size, function); });
  if (!tapes) return nullptr;
  return std::unique_ptr<RightHandSideCode>(new RightHandSideCode(std::move(tapes)));
}

std::unique_ptr<RightHandSideCode> RightHandSideCode::of(std::shared_ptr<const void> statement,
                                                         int size, const Build& build,
                                                         const Findings& findings) {
  auto tapes = found_or_made<Tapes>(
      findings, [&](const Tapes& known) { return known.statement == statement; },
      [&] { return Tapes::make(statement, size, build); });
  if (!tapes) return nullptr;
  return std::unique_ptr<RightHandSideCode>(new RightHandSideCode(std::move(tapes)));
}

RightHandSideCode::RightHandSideCode(std::shared_ptr<const Tapes> tapes)
    : tapes_(std::move(tapes)) {
  const auto prepare = [](const Tape& tape, int apart, std::vector<double>& memory) {
    memory.assign(static_cast<std::size_t>(tape.registers() * apart), 0.0);
    double* place = memory.data() + tape.inputs() * apart;
    for (const double x : tape.constants()) std::fill_n(place, apart, x), place += apart;
  };
  prepare(tapes_->values, block, side_by_side_);
  prepare(tapes_->derivatives, 1, single_);
  prepare(tapes_->sources, 1, source_);
#ifdef __x86_64__
  has_squares_ = __builtin_cpu_supports("avx2");
#endif
  times_.assign(most_points, std::numeric_limits<double>::quiet_NaN());
}

RightHandSideCode::~RightHandSideCode() = default;

bool RightHandSideCode::pays() const {
  return tapes_->values_pay;
}

void RightHandSideCode::find_sources(double t, double* out, int apart) {
  source_[0] = t;
  tapes_->sources.run_one(source_.data());
  for (const int place : tapes_->sources.outputs()) *out = source_[place], out += apart;
}

void RightHandSideCode::values(int points, int apart, const double* t, const double* y, double* f) {
  const int n = tapes_->size;
  double* const memory = side_by_side_.data();
  const bool by_squares = has_squares_ && apart >= (n + 3) / 4 * 4;
#ifdef __x86_64__
  if (by_squares) lay_squares_side_by_side(points, apart, n, y, memory);
#endif
  if (!by_squares) lay_side_by_side(points, apart, n, y, memory);
  const Tape& values = tapes_->values;
  if (values.inputs() > n) {
    double* const known = times_.data();
    for (int i = 0; i < points; ++i)
      if (known[i] != t[i]) known[i] = t[i], find_sources(t[i], memory + n * block + i, block);
  }
  values.run(memory, points);
  const int* const from = values.outputs().data();
#ifdef __x86_64__
  if (by_squares) return take_squares_apart(points, apart, n, memory, from, f);
#endif
  take_apart(points, apart, n, memory, from, f);
}

void RightHandSideCode::minus_derivatives(double t, const double* y, double* a) {
  const int n = tapes_->size;
  double* const memory = single_.data();
  std::copy_n(y, n, memory);
  if (tapes_->derivatives.inputs() > n) find_sources(t, memory + n, 1);
  tapes_->derivatives.run_one(memory);
  std::fill_n(a, n * n, 0.0);
  const int *from = tapes_->derivatives.outputs().data(), *to = tapes_->places.data();
  for (std::size_t k = 0; k < tapes_->places.size(); ++k) a[to[k]] = memory[from[k]];
}

}  // namespace daedalus
