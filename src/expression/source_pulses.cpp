#include "expression/source_pulses.h"

#include <algorithm>
#include <cmath>

#include "expression/rebuild.h"
#include "expression/tape.h"

namespace daedalus {
namespace {

constexpr int cells = 1000;         // of the interval
constexpr int most_instances = 64;  // of one shape that are looked at
constexpr int longest_pulse = 100;  // in cells; what lasts longer no step leaps over
constexpr int shortest_rest = 10;   // likewise, before the pulse and no shorter than it
constexpr double rests = 1e-4;      // of the whole range of a source, in a cell
constexpr double is_still = 1e-10;  // likewise: what a step that ends there sees of the pulse
constexpr int parts = 8;            // of what a pulse moves, each for one step at least

/// Calls `use` with the largest expressions of the time and of numbers alone; constants and the
/// time itself are none.
template <class Use>
void for_sources(const Kernel& kernel, Use use) {
  const std::vector<NodeId> nodes = needed(kernel.graph, kernel.residual);
  enum class Of : char { numbers, time, variables };
  std::vector<Of> of(nodes.size(), Of::numbers);
  const auto place = [&](NodeId node) { return static_cast<std::size_t>(place_in(nodes, node)); };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = kernel.graph[nodes[k]];
    if (node.op == Op::input) {
      const Leaf::Kind kind = kernel.leaves[static_cast<std::size_t>(node.a)].kind;
      of[k] = kind == Leaf::Kind::time   ? Of::time
              : kind == Leaf::Kind::data ? Of::numbers
                                         : Of::variables;
    }
    for_operands(node, [&](NodeId operand) { of[k] = std::max(of[k], of[place(operand)]); });
  }
  std::vector<char> is_source(nodes.size(), 0);
  const auto mark = [&](NodeId node) {
    const std::size_t k = place(node);
    is_source[k] = of[k] == Of::time && kernel.graph[node].op != Op::input;
  };
  mark(kernel.residual);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (of[k] == Of::variables) for_operands(kernel.graph[nodes[k]], mark);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (is_source[k]) use(nodes[k]);
}

/// All sources as expressions of the time alone, each of them once: a motion on a moving support
/// has the same one in most of its equations.
std::vector<NodeId> distinct_sources(const EquationSet& equations, Graph& graph) {
  std::vector<NodeId> list;
  for (const Kernel& kernel : equations.kernels()) {
    if (std::none_of(kernel.leaves.begin(), kernel.leaves.end(),
                     [](const Leaf& leaf) { return leaf.kind == Leaf::Kind::time; }))
      continue;
    for_sources(kernel, [&](NodeId source) {
      for (int i = 0; i < std::min(kernel.instances(), most_instances); ++i)
        list.push_back(rebuilt(kernel.graph, source, graph, [&](int input) {
          const auto leaf = static_cast<std::size_t>(input);
          return kernel.leaves[leaf].kind == Leaf::Kind::time
                     ? graph.input(0)
                     : graph.constant(kernel.data[leaf][static_cast<std::size_t>(i)]);
        }));
    });
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Of one source at all ends of cells.
class Samples {
 public:
  Samples(const std::vector<double>& times, const double* values)
      : times_(times), samples_(values, values + times.size()) {}

  void add_pulses(std::vector<double>& out) const {
    if (!std::all_of(samples_.begin(), samples_.end(), [](double x) { return std::isfinite(x); }))
      return;
    const auto [least, most] = std::minmax_element(samples_.begin(), samples_.end());
    const double range = *most - *least;
    if (range == 0) return;
    for (int first = 0, rest = 0; first < cells; ++first) {
      if (change(first) <= rests * range) {
        ++rest;
        continue;
      }
      int last = first;
      double moved = 0;
      for (; last < cells && change(last) > rests * range; ++last) moved += change(last);
      const int length = last - first;
      if (rest >= std::max(shortest_rest, length) && length <= longest_pulse)
        add(first, last, moved, is_still * range, out);
      first = last, rest = 1;
    }
  }

 private:
  double change(int cell) const {
    const auto k = static_cast<std::size_t>(cell);
    return std::abs(samples_[k + 1] - samples_[k]);
  }

  void add(int first, int last, double moved, double still, std::vector<double>& out) const {
    // The end of a long step is all of it that sees the foot of a pulse, and takes it for a slope.
    int foot = first;
    while (foot > 0 && first - foot < longest_pulse && change(foot - 1) > still) --foot;
    for (const int cell : {foot, first}) out.push_back(times_[static_cast<std::size_t>(cell)]);
    double so_far = 0;
    for (int cell = first, part = 1; cell < last; ++cell) {
      so_far += change(cell);
      if (so_far * parts < part * moved && cell + 1 < last) continue;
      out.push_back(times_[static_cast<std::size_t>(cell) + 1]);
      part = static_cast<int>(so_far * parts / moved) + 1;
    }
  }

  const std::vector<double>& times_;
  std::vector<double> samples_;
};

}  // namespace

std::vector<double> pulse_times(const EquationSet& equations, double begin, double end) {
  Graph graph;
  const std::vector<NodeId> sources = distinct_sources(equations, graph);
  if (sources.empty()) return {};
  const Tape tape(graph, 1, sources);
  std::vector<double> memory(static_cast<std::size_t>(tape.registers()) * Tape::block), ends, times;
  const auto lanes = [&memory](int r) { return memory.data() + r * Tape::block; };
  for (std::size_t k = 0; k < tape.constants().size(); ++k)
    std::fill_n(lanes(1 + static_cast<int>(k)), Tape::block, tape.constants()[k]);
  for (int i = 0; i <= cells; ++i) ends.push_back(begin + (end - begin) * i / cells);
  std::vector<double> values(sources.size() * ends.size());
  for (int first = 0; first <= cells; first += Tape::block) {
    const int count = std::min(Tape::block, cells + 1 - first);
    std::copy_n(ends.begin() + first, count, lanes(0));
    tape.interpret(memory.data(), count);
    for (std::size_t k = 0; k < sources.size(); ++k)
      std::copy_n(lanes(tape.outputs()[k]), count,
                  values.data() + k * ends.size() + static_cast<std::size_t>(first));
  }
  for (std::size_t k = 0; k < sources.size(); ++k)
    Samples(ends, values.data() + k * ends.size()).add_pulses(times);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (begin > end) std::reverse(times.begin(), times.end());
  // Where a step ends without its help.
  if (!times.empty() && times.back() == end) times.pop_back();
  return times;
}

}  // namespace daedalus
