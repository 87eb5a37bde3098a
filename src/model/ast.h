#pragma once
// What a model text says, as plain data, before any name is looked up. Trees are immutable and
// shared, so copies are cheap. No tree is higher than max_depth allows (chains of operators are
// flat), so visitors may recurse.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace daedalus::model {

/// A piece of the text. Lines and columns count from 1, columns in characters (a tab is one).
struct Span {
  std::size_t offset = 0;  ///< in bytes
  std::size_t length = 0;  ///< in bytes
  int line = 1;
  int column = 1;
};

/// A text and where it came from; diagnostics quote it.
struct Source {
  std::string file;
  std::string text;
};

struct Node;
using Expression = std::shared_ptr<const Node>;

/// `is_integer`: written without point and exponent.
struct Number {
  double value = 0;
  bool is_integer = false;
};
struct Boolean {
  bool value = false;
};
/// A string literal, escapes resolved.
struct Text {
  std::string value;
};

enum class TimeKind { time, start_time, final_time };
/// `time`, `startTime` or `finalTime`.
struct TimeSymbol {
  TimeKind kind = TimeKind::time;
};

/// The subscript `:`. Only as a subscript, or as a dimension of a function's variable.
struct All {};
/// `end`. Only inside a subscript: the size of the innermost subscripted array there.
struct End {};

/// A variable, loop index or enumeration literal. The name is canonical: dotted names without
/// spaces (`a.b`), literal subscripts before a dot inside the name (`pipe[2].p`), and quoted
/// identifiers with their quotes (`'body.r[1]'`), since 'x' and x are two names in Modelica.
struct Reference {
  std::string name;
  std::vector<Expression> subscripts;  ///< empty: none; each may be All or a Range
};

enum class UnaryOperator { plus, minus, logical_not };
struct Unary {
  UnaryOperator op = UnaryOperator::minus;
  Expression operand;
};

enum class BinaryOperator {
  add,
  subtract,
  multiply,
  divide,
  power,
  elementwise_multiply,
  elementwise_divide,
  elementwise_power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
};
/// first op operand op operand ..., evaluated from the left. Operators of one chain have the same
/// precedence: `a - b + c` is one chain, `a - b*c` holds another. Powers and comparisons have
/// exactly one link.
struct Chain {
  struct Link {
    BinaryOperator op = BinaryOperator::add;
    Expression operand;
    Span at;  ///< of the operator
  };
  Expression first;
  std::vector<Link> links;  ///< never empty
};

/// `function(arguments)`: built in, the user's, `der(x)`, `der(x, 2)`, or, in the constraint
/// section, a variable at a time `x(finalTime)`. A reduction `sum(e for i in r)` has a
/// Comprehension as its only argument.
struct Call {
  std::string function;
  std::vector<Expression> arguments;
};

/// `x[2](finalTime)`, `der(x)(startTime)`: a value at a time; only in the constraint section.
/// (`x(finalTime)` is a Call: the parser cannot tell it from a function.)
struct AtTime {
  Expression value;  ///< a Reference with subscripts, or a Call of der
  Expression time;
};

/// `{a, b}`
struct Array {
  std::vector<Expression> elements;  ///< never empty
};

struct Iterator {
  std::string name;
  Expression range;  ///< a Range or any expression with a vector value
  Span at;           ///< of the name
};
/// `{body for i in r, j in s}`
struct Comprehension {
  Expression body;
  std::vector<Iterator> iterators;  ///< never empty
};

/// `[1, 2; 3, 4]`
struct Matrix {
  std::vector<std::vector<Expression>> rows;  ///< no row is empty; lengths may differ
};

/// `first:last` or `first:step:last`
struct Range {
  Expression first;
  Expression step;  ///< null: 1
  Expression last;
};

/// `if c then a elseif d then b else e`
struct If {
  struct Branch {
    Expression condition;
    Expression value;
  };
  std::vector<Branch> branches;  ///< never empty
  Expression otherwise;          ///< never null
};

struct Node {
  using Value = std::variant<Number, Boolean, Text, TimeSymbol, All, End, Reference, Unary, Chain,
                             Call, AtTime, Array, Comprehension, Matrix, Range, If>;
  Value value;
  Span at;
};

template <class T>
Expression make(T value, const Span& at) {
  return std::make_shared<const Node>(Node{std::move(value), at});
}

/// The node as a `T`, or null: `if (const auto* call = as<Call>(e))`.
template <class T>
const T* as(const Expression& expression) {
  return expression ? std::get_if<T>(&expression->value) : nullptr;
}

struct Attribute {
  std::string name;
  bool each = false;
  Expression value;  ///< never null for start, fixed, min, max, nominal, unit; else may be null
  std::string text;  ///< the value as written, for all attributes
  Span at;
};

enum class Prefix { none, parameter, constant, discrete };
enum class Type { real, integer, boolean };
enum class Causality { none, input, output };

struct Declaration {
  Prefix prefix = Prefix::none;
  Type type = Type::real;
  Causality causality = Causality::none;  ///< input, output: only in functions
  bool is_final = false;
  bool is_protected = false;
  std::string name;  ///< canonical, as in Reference
  std::vector<Expression> dimensions;
  std::vector<Attribute> attributes;  ///< in the order written, no name twice
  Expression binding;                 ///< null: none
  std::string description;
  Span at;  ///< of the name

  const Attribute* attribute(std::string_view wanted) const {
    for (const Attribute& each : attributes) {
      if (each.name == wanted) return &each;
    }
    return nullptr;
  }
};

struct Equation;
using Equations = std::vector<Equation>;

/// `left = right`. Inside `when` the left side is a Reference.
struct Equality {
  Expression left;
  Expression right;
};
struct ForEquation {
  std::vector<Iterator> iterators;  ///< never empty, the first is the outermost
  Equations body;
};
struct IfEquation {
  struct Branch {
    Expression condition;
    Equations body;
  };
  std::vector<Branch> branches;  ///< never empty
  Equations otherwise;
  bool has_else = false;
};
/// `when`, `elsewhen`, ...: not inside another when or if, not in initial equations or constraints.
struct WhenEquation {
  struct Branch {
    Expression condition;
    Equations body;
  };
  std::vector<Branch> branches;  ///< never empty
};
/// `reinit(variable, value)`; only inside when.
struct Reinit {
  Expression variable;  ///< a Reference
  Expression value;
};
struct Assert {
  Expression condition;
  Expression message;
};
struct Terminate {
  Expression message;
};

struct Equation {
  std::variant<Equality, ForEquation, IfEquation, WhenEquation, Reinit, Assert, Terminate> value;
  std::string label;  ///< the string after the equation, or empty
  Span at;
};

struct Statement;
using Statements = std::vector<Statement>;

struct Assignment {
  Expression target;  ///< a Reference
  Expression value;
};
struct ForStatement {
  std::vector<Iterator> iterators;  ///< never empty, the first is the outermost
  Statements body;
};
struct IfStatement {
  struct Branch {
    Expression condition;
    Statements body;
  };
  std::vector<Branch> branches;  ///< never empty
  Statements otherwise;
};

struct Statement {
  std::variant<Assignment, ForStatement, IfStatement> value;
  Span at;
};

/// Inputs, outputs and protected variables in the order written; see Declaration::causality.
struct Function {
  std::string name;
  std::string description;
  std::vector<Declaration> declarations;
  Statements statements;
  Span at;  ///< of the name
};

/// annotation(experiment(...)); what is not given is null.
struct Experiment {
  Expression start_time;
  Expression stop_time;
  Expression tolerance;
  Expression interval;
  Span at;
};

struct Model {
  std::string name;
  std::string description;
  std::vector<Declaration> declarations;
  Equations equations;
  Equations initial_equations;
  Equations constraints;
  std::optional<Experiment> experiment;
  Span at;  ///< of the name
};

struct Ast {
  std::shared_ptr<const Source> source;
  Model model;
  std::vector<Function> functions;
};

}  // namespace daedalus::model
