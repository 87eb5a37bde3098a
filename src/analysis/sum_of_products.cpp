#include "analysis/sum_of_products.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace daedalus {
namespace {

// A product of longer sums is easier to read as it stands.
constexpr std::size_t most_terms = 12;

bool is_sum_or_product(Op op) {
  return op == Op::add || op == Op::sub || op == Op::neg || op == Op::mul || op == Op::div;
}

}  // namespace

SumOfProducts::Term SumOfProducts::times(const Term& a, const Term& b) {
  Term result{a.coefficient * b.coefficient, a.factors};
  for (const Factor& f : b.factors) {
    const auto at = std::find_if(result.factors.begin(), result.factors.end(),
                                 [&](const Factor& x) { return x.base == f.base; });
    if (at == result.factors.end())
      result.factors.push_back(f);
    else if ((at->power += f.power) == 0)
      result.factors.erase(at);
  }
  std::sort(result.factors.begin(), result.factors.end(),
            [](const Factor& x, const Factor& y) { return x.base < y.base; });
  return result;
}

void SumOfProducts::add(Sum& sum, const Term& term) {
  const auto at = std::find_if(sum.begin(), sum.end(),
                               [&](const Term& x) { return x.factors == term.factors; });
  if (at == sum.end()) {
    if (term.coefficient != 0) sum.push_back(term);
    return;
  }
  const double largest = std::max(std::abs(at->coefficient), std::abs(term.coefficient));
  at->coefficient += term.coefficient;
  // What is left of numbers that cancel is their rounding.
  if (std::abs(at->coefficient) <= 1e-14 * largest) sum.erase(at);
}

SumOfProducts::Sum SumOfProducts::product(const Sum& a, const Sum& b, NodeId id_a,
                                          NodeId id_b) const {
  if (a.size() * b.size() > most_terms) {
    const auto whole = [](const Sum& s, NodeId id) {
      return s.size() == 1 ? s[0] : Term{1, {{id, 1}}};
    };
    return {times(whole(a, id_a), whole(b, id_b))};
  }
  Sum result;
  for (const Term& x : a)
    for (const Term& y : b) add(result, times(x, y));
  return result;
}

SumOfProducts::Sum SumOfProducts::make_sum(NodeId id) {
  const Node& n = graph_[id];
  switch (n.op) {
    case Op::constant:
      return n.value == 0 ? Sum{} : Sum{{n.value, {}}};
    case Op::neg: {
      Sum result = sum_of(n.a);
      for (Term& term : result) term.coefficient = -term.coefficient;
      return result;
    }
    case Op::add:
    case Op::sub: {
      Sum result = sum_of(n.a);
      for (Term term : sum_of(n.b)) {
        if (n.op == Op::sub) term.coefficient = -term.coefficient;
        add(result, term);
      }
      return result;
    }
    case Op::mul:
      return product(sum_of(n.a), sum_of(n.b), n.a, n.b);
    case Op::div: {
      const Sum& below = sum_of(n.b);
      Term inverse{1, {{n.b, -1}}};
      if (below.size() == 1) {
        inverse = {1 / below[0].coefficient, below[0].factors};
        for (Factor& f : inverse.factors) f.power = -f.power;
      }
      return product(sum_of(n.a), {inverse}, n.a, n.b);
    }
    default:
      return {{1, {{id, 1}}}};
  }
}

const SumOfProducts::Sum& SumOfProducts::sum_of(NodeId id) {
  if (const auto at = known_.find(id); at != known_.end()) return at->second;
  Sum sum = make_sum(id);
  return known_[id] = std::move(sum);
}

NodeId SumOfProducts::collected(Graph& graph, NodeId root) {
  const Sum sum = sum_of(root);
  NodeId result = graph.constant(0);
  for (const Term& term : sum) {
    NodeId above = graph.constant(std::abs(term.coefficient)), below = graph.constant(1);
    for (const Factor& f : term.factors) {
      NodeId& side = f.power > 0 ? above : below;
      for (int k = 0; k < std::abs(f.power); ++k) side = graph.mul(side, f.base);
    }
    const NodeId product = graph.div(above, below);
    result = term.coefficient > 0 ? graph.add(result, product) : graph.sub(result, product);
  }
  return result;
}

std::string SumOfProducts::base_text(NodeId id) {
  const Node& n = graph_[id];
  if (n.op == Op::input) return names_[static_cast<std::size_t>(n.a)];
  if (is_sum_or_product(n.op)) return fmt::format("({})", text(sum_of(id)));
  if (n.op == Op::pow) {
    const auto part = [&](NodeId x) {
      const Op op = graph_[x].op;
      const std::string inside = text(sum_of(x));
      const bool simple = op == Op::input || (op == Op::constant && graph_[x].value >= 0);
      return simple ? inside : fmt::format("({})", inside);
    };
    return fmt::format("{}^{}", part(n.a), part(n.b));
  }
  if (n.op == Op::atan2 || n.op == Op::min || n.op == Op::max || n.op == Op::mod || n.op == Op::rem)
    return fmt::format("{}({}, {})", name_of(n.op), text(sum_of(n.a)), text(sum_of(n.b)));
  if (operands_of(n.op) == 1 && n.op != Op::logical_not)
    return fmt::format("{}({})", name_of(n.op), text(sum_of(n.a)));
  return fmt::format("({})", to_text(graph_, id, names_));
}

std::string SumOfProducts::product_text(const Term& term) {
  std::string above, below;
  int divisors = 0;
  const double c = std::abs(term.coefficient);
  const bool has_numerator = std::any_of(term.factors.begin(), term.factors.end(),
                                         [](const Factor& f) { return f.power > 0; });
  if (c != 1 || !has_numerator) above = fmt::format("{:.15g}", c);
  for (const Factor& f : term.factors) {
    std::string part = base_text(f.base);
    const bool power = graph_[f.base].op == Op::pow;
    if (std::abs(f.power) > 1)
      part = fmt::format("{}^{}", power ? fmt::format("({})", part) : part, std::abs(f.power));
    std::string& side = f.power > 0 ? above : below;
    if (f.power < 0) ++divisors;
    if (!side.empty()) side += '*';
    side += part;
  }
  if (below.empty()) return above;
  return divisors > 1 ? fmt::format("{}/({})", above, below) : fmt::format("{}/{}", above, below);
}

std::string SumOfProducts::text(const Sum& sum) {
  if (sum.empty()) return "0";
  std::string result;
  for (const Term& term : sum) {
    const bool minus = term.coefficient < 0;
    result += result.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    result += product_text(term);
  }
  return result;
}

std::string SumOfProducts::text(NodeId root) {
  return text(sum_of(root));
}

std::string SumOfProducts::equation_text(NodeId root) {
  Sum sum = sum_of(root);
  if (sum.empty()) return "";
  // 2*x*u + 2*y*v = 0 is  x*u + y*v = 0.
  const double first = std::abs(sum[0].coefficient);
  const auto ones = [&](double divisor) {
    return std::count_if(sum.begin(), sum.end(),
                         [&](const Term& term) { return std::abs(term.coefficient) == divisor; });
  };
  const double divisor = std::copysign(ones(first) > ones(1) ? first : 1.0, sum[0].coefficient);
  for (Term& term : sum) term.coefficient /= divisor;
  return fmt::format("{} = 0", text(sum));
}

}  // namespace daedalus
