#include "expression/c_source.h"

#include <cmath>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "expression/turns.h"

namespace daedalus {

struct MathFunctions {
  double (*exp)(double);
  double (*log)(double);
  double (*log10)(double);
  double (*sin)(double);
  double (*cos)(double);
  double (*tan)(double);
  double (*asin)(double);
  double (*acos)(double);
  double (*atan)(double);
  double (*sinh)(double);
  double (*cosh)(double);
  double (*tanh)(double);
  double (*floor)(double);
  double (*ceil)(double);
  double (*trunc)(double);
  double (*pow)(double, double);
  double (*atan2)(double, double);
  void (*sincos)(double, double*, double*);
};

const MathFunctions& math_functions() {
  using One = double (*)(double);
  using Two = double (*)(double, double);
  static const MathFunctions table{
      static_cast<One>(std::exp),   static_cast<One>(std::log),   static_cast<One>(std::log10),
      static_cast<One>(std::sin),   static_cast<One>(std::cos),   static_cast<One>(std::tan),
      static_cast<One>(std::asin),  static_cast<One>(std::acos),  static_cast<One>(std::atan),
      static_cast<One>(std::sinh),  static_cast<One>(std::cosh),  static_cast<One>(std::tanh),
      static_cast<One>(std::floor), static_cast<One>(std::ceil),  static_cast<One>(std::trunc),
      static_cast<Two>(std::pow),   static_cast<Two>(std::atan2), sine_and_cosine};
  return table;
}

namespace {

/// Beyond them compilation takes seconds: such units stay interpreted.
constexpr std::size_t most_operations = 3'000;
constexpr int most_in_all = 12'000;

// The same order as MathFunctions and Point.
constexpr const char* preamble = R"(/* Generated; see docs/guide/evaluation.md. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("tree-loop-vectorize", "vect-cost-model=dynamic")
#endif
struct math {
  double (*exp)(double), (*log)(double), (*log10)(double), (*sin)(double), (*cos)(double),
      (*tan)(double), (*asin)(double), (*acos)(double), (*atan)(double), (*sinh)(double),
      (*cosh)(double), (*tanh)(double), (*floor)(double), (*ceil)(double), (*trunc)(double),
      (*pow)(double, double), (*atan2)(double, double);
  void (*sincos)(double, double*, double*);
};
struct point {
  double t;
  const double* const* x;
  const double* discrete;
};
)";

constexpr const char* straight_arguments =
    "(const struct point* p, const double* restrict k, double* restrict out, "
    "const struct math* m)";
constexpr const char* loop_arguments =
    "(const double* const* in, const int* const* which, const double* restrict k, "
    "const int* restrict rows, double* restrict out, long count, const struct math* m)";

/// One operation as in `apply`.
std::string expression(Op op, const std::string& a, const std::string& b, const std::string& c) {
  switch (op) {
    case Op::neg:
      return fmt::format("-{}", a);
    case Op::sqrt:
      return fmt::format("__builtin_sqrt({})", a);
    case Op::abs:
      return fmt::format("__builtin_fabs({})", a);
    case Op::sign:
      return fmt::format("{} > 0 ? 1.0 : {} < 0 ? -1.0 : 0.0", a, a);
    case Op::logical_not:
      return fmt::format("{} == 0 ? 1.0 : 0.0", a);
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
      return fmt::format("{} {} {}", a, name_of(op), b);
    case Op::pow:
      return fmt::format("m->pow({}, {})", a, b);
    case Op::min:
      return fmt::format("{} < {} ? {} : {}", a, b, a, b);
    case Op::max:
      return fmt::format("{} > {} ? {} : {}", a, b, a, b);
    case Op::mod:
      return fmt::format("{} - m->floor({} / {}) * {}", a, a, b, b);
    case Op::rem:
      return fmt::format("{} - m->trunc({} / {}) * {}", a, a, b, b);
    case Op::less:
    case Op::less_equal:
    case Op::equal:
      return fmt::format("{} {} {} ? 1.0 : 0.0", a, name_of(op), b);
    case Op::logical_and:
      return fmt::format("{} != 0 && {} != 0 ? 1.0 : 0.0", a, b);
    case Op::logical_or:
      return fmt::format("{} != 0 || {} != 0 ? 1.0 : 0.0", a, b);
    case Op::select:
      return fmt::format("{} != 0 ? {} : {}", a, b, c);
    case Op::atan2:
      return fmt::format("m->atan2({}, {})", a, b);
    default:
      return fmt::format("m->{}({})", name_of(op), a);
  }
}

/// Small numbers belong to the formula; others are often parameters.
bool is_part_of_the_formula(double value) {
  return std::abs(value) <= 16 && 2 * value == std::floor(2 * value);
}

std::string body_of(const Unit& unit) {
  using Access = Unit::Source::Access;
  fmt::memory_buffer out;
  const auto line = [&out](fmt::string_view format, const auto&... values) {
    fmt::vformat_to(std::back_inserter(out), format, fmt::make_format_args(values...));
  };
  const Tape& tape = unit.tape;
  std::vector<std::string> value(static_cast<std::size_t>(tape.registers()));
  const bool loop = unit.is_loop();
  const auto inputs = static_cast<std::size_t>(tape.inputs());
  std::vector<char> used(value.size(), 0);
  for (const Tape::Instruction& in : tape.instructions()) {
    const int count = in.operands();
    used[static_cast<std::size_t>(in.a)] = 1;
    if (count > 1) used[static_cast<std::size_t>(in.b)] = 1;
    if (count > 2) used[static_cast<std::size_t>(in.c)] = 1;
  }
  for (const int r : tape.outputs()) used[static_cast<std::size_t>(r)] = 1;

  line("{}", loop ? loop_arguments : straight_arguments);
  line(" {{\n");
  std::string inside;
  for (std::size_t l = 0; l < inputs; ++l) {
    if (!used[l]) continue;
    const Unit::Source& source = unit.inputs[l];
    value[l] = fmt::format("a{}", l);
    if (!loop) {
      line("  const double a{} = {};\n", l,
           source.table == 0   ? std::string("p->t")
           : source.table == 1 ? fmt::format("p->discrete[{}]", source.index)
                               : fmt::format("p->x[{}][{}]", source.table - 2, source.index));
    } else if (source.access == Access::fixed) {
      line("  const double a{} = *in[{}];\n", l, l);
    } else {
      line("  const double* restrict p{} = in[{}];\n", l, l);
      if (source.access == Access::indexed) line("  const int* restrict w{} = which[{}];\n", l, l);
      inside += source.access == Access::indexed
                    ? fmt::format("    const double a{} = p{}[w{}[i]];\n", l, l, l)
                    : fmt::format("    const double a{} = p{}[i];\n", l, l);
    }
  }
  for (std::size_t k = 0; k < tape.constants().size(); ++k) {
    if (!used[inputs + k]) continue;
    const double number = tape.constants()[k];
    value[inputs + k] = fmt::format("k{}", k);
    if (is_part_of_the_formula(number))
      line("  const double k{} = {:a};\n", k, number);
    else
      line("  const double k{} = k[{}];\n", k, k);
  }
  if (loop) line("  for (long i = 0; i < count; ++i) {{\n{}", inside);
  int next = 0;
  for (const Tape::Instruction& in : tape.instructions()) {
    const int count = in.operands();
    const std::string a = value[static_cast<std::size_t>(in.a)];
    if (in.is_turn()) {
      line("  double v{}, v{};\n  m->sincos({}, &v{}, &v{});\n", next, next + 1, a, next, next + 1);
      value[static_cast<std::size_t>(in.target)] = fmt::format("v{}", next);
      value[static_cast<std::size_t>(in.b)] = fmt::format("v{}", next + 1);
      next += 2;
      continue;
    }
    const std::string& b = value[count > 1 ? static_cast<std::size_t>(in.b) : 0];
    const std::string& c = value[count > 2 ? static_cast<std::size_t>(in.c) : 0];
    line("  const double v{} = {};\n", next, expression(in.op, a, b, c));
    value[static_cast<std::size_t>(in.target)] = fmt::format("v{}", next++);
  }
  const std::size_t width = tape.outputs().size();
  for (std::size_t o = 0; o < width; ++o) {
    const std::string& from = value[static_cast<std::size_t>(tape.outputs()[o])];
    if (!loop)
      line("  out[{}] = {};\n", unit.places[o], from);
    else if (unit.rows)
      line("  out[rows[i]] = {};\n", from);
    else if (width == 1)
      line("  out[i] = {};\n", from);
    else
      line("  out[{} * i + {}] = {};\n", width, o, from);
  }
  line("{}}}\n", loop ? "  }\n" : "");
  return fmt::to_string(out);
}

}  // namespace

CSource c_source_of(const ProgramList& programs) {
  CSource source;
  source.text = preamble;
  std::unordered_map<std::string, int> known;
  for (const auto& program : programs) {
    std::vector<int>& numbers = source.units.emplace_back();
    for (const Unit& unit : program->units) {
      const std::size_t operations = unit.tape.instructions().size();
      if (operations > most_operations ||
          source.operations + static_cast<int>(operations) > most_in_all) {
        numbers.push_back(-1);
        continue;
      }
      const auto [at, fresh] = known.try_emplace(body_of(unit), source.functions);
      if (fresh) {
        source.text += fmt::format("void u{}", source.functions++);
        source.text += at->first;
        // Loads and stores count as well.
        source.operations +=
            static_cast<int>(operations + unit.inputs.size() + unit.tape.outputs().size());
      }
      numbers.push_back(at->second);
    }
  }
  return source;
}

}  // namespace daedalus
