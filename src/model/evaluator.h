#pragma once
// Expressions of a model as graphs: names looked up, shapes checked, functions inlined, loops
// unrolled, parameters folded into numbers.
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "expression/equation_set.h"
#include "model/ast.h"
#include "model/diagnostic.h"
#include "problem/switching.h"

namespace daedalus::model {

using Shape = std::vector<int>;  ///< empty: a scalar

struct ArrayValue {
  Shape shape;
  std::vector<NodeId> elements;  ///< last index fastest
};

/// A scalar, or an array of any rank.
struct Value {
  NodeId scalar = -1;
  std::shared_ptr<const ArrayValue> array;

  Value() = default;
  Value(NodeId node) : scalar(node) {}
  Value(ArrayValue value) : array(std::make_shared<const ArrayValue>(std::move(value))) {}
  bool is_array() const { return array != nullptr; }
};

struct Symbol {
  enum class Kind { parameter, variable, discrete };
  enum class Progress { untouched, busy, done };
  Kind kind = Kind::variable;
  const Declaration* declaration = nullptr;
  Shape shape;
  int base = 0;                ///< first scalar number among variables or discrete values
  int shown = 0;               ///< first of the variables that show it in the output
  std::vector<double> values;  ///< of a parameter
  Progress progress = Progress::untouched;
  int order = 1;        ///< highest derivative that occurs
  int hidden_base = 0;  ///< first of the variables that stand for its lower derivatives
};

/// Offsets of all combinations of picks (counted from 1), last subscript fastest.
std::vector<int> offsets_of_picks(const std::vector<std::vector<int>>& picks, const Shape& shape);
std::string shape_text(const Shape& shape);
int size_of(const Shape& shape);

class Evaluator {
 public:
  Evaluator(const Source& source, const std::vector<Function>& functions,
            std::unordered_map<std::string, Symbol>& symbols);

  EquationBuilder* builder = nullptr;  ///< where nodes are made
  bool relations_are_events = false;
  double start_time = 0, final_time = 0;
  /// [x > 0], [x >= 0], floor(x) or ceil(x), which the run must watch; gives the node of its value.
  std::function<NodeId(Relation::Kind kind, NodeId x, const Span& at)> on_relation;
  /// The value of a parameter that has not been computed yet.
  std::function<void(Symbol&)> on_parameter;
  /// Set in the constraint section: the number of a point in time, where variable j is variable
  /// `point * point_stride + j` of the builder.
  std::function<int(double t, const Span& at)> on_time;
  int point_stride = 0;
  /// The discrete value `pre(v)`.
  std::function<NodeId(int which)> on_pre;

  Value evaluate(const Expression& expression);
  NodeId scalar(const Expression& expression);
  /// A number known before the run.
  double number(const Expression& expression, const char* what);
  int integer(const Expression& expression, const char* what);
  /// Elements of the range of an iterator.
  std::vector<double> range_of(const Iterator& iterator);

  void push(const std::string& name, Value value) { scope_.emplace_back(name, std::move(value)); }
  void pop(std::size_t count = 1) { scope_.resize(scope_.size() - count); }
  /// Calls body for every combination of the iterators, bound in the scope.
  void for_each(const std::vector<Iterator>& iterators, const std::function<void()>& body);

  /// After EquationBuilder::begin inside a loop: nodes of the loop indices are void, makes new
  /// ones.
  void renew_loop_values();

  [[noreturn]] void fail(const Span& at, std::string message, std::string hint = {}) const;
  Graph& graph() { return builder->graph(); }
  /// Scalar number of a reference to a variable (base + offset of the subscripts).
  struct Place {
    Symbol* symbol = nullptr;
    std::vector<int> offsets;  ///< all elements that are meant
    Shape shape;
  };
  Place place_of(const Expression& reference);
  Value elementwise(const Value& a, const Value& b, const Span& at,
                    const std::function<NodeId(NodeId, NodeId)>& op, const char* name);
  Value map(const Value& a, const std::function<NodeId(NodeId)>& op);
  NodeId variable(const Symbol& symbol, int offset, int order);

 private:
  Value evaluate_reference(const Expression& expression, const Reference& reference);
  Value evaluate_chain(const Chain& chain, const Span& whole);
  Value evaluate_link(const Value& left, BinaryOperator op, const Value& right, const Span& at);
  Value evaluate_call(const Expression& expression, const Call& call);
  Value evaluate_if(const If& node);
  Value evaluate_user_function(const Expression& expression, const Call& call,
                               const Function& function);
  void execute(const Statements& statements);
  void execute_if(const IfStatement& statement, std::size_t branch);
  void assign(const Assignment& assignment, const Span& at);
  Value multiply(const Value& a, const Value& b, const Span& at);
  NodeId relation(BinaryOperator op, NodeId a, NodeId b, const Span& at);
  Value derivative(const Expression& argument, int order, const Span& at);
  NodeId total_derivative(NodeId node);
  Value at_time(const Expression& value, const Expression& time, const Span& at);
  std::vector<std::vector<int>> subscripts(const std::vector<Expression>& list, const Shape& shape,
                                           const std::string& name, const Span& at, Shape& result);
  Value select(const Shape& shape, const std::vector<int>& offsets,
               const std::function<NodeId(int)>& element);
  [[noreturn]] void unknown_name(const Span& at, const std::string& name);

  const Source& source_;
  std::unordered_map<std::string, const Function*> functions_;
  std::unordered_map<std::string, Symbol>& symbols_;
  std::vector<std::pair<std::string, Value>> scope_;
  std::size_t scope_floor_ = 0;  ///< functions do not see what lies below
  bool inside_function_ = false;
  std::vector<int> end_values_;
  std::vector<std::pair<std::size_t, double>> loop_values_;  ///< position in the scope, value
  int depth_ = 0;
  int point_ = -1;  ///< at which variables are taken; only in the constraint section
};

/// Functions of the language; null if there is none of that name.
using Builtin = Value (*)(Evaluator&, const Call&, const Span&);
Builtin find_builtin(const std::string& name);
std::vector<std::string> builtin_names();

}  // namespace daedalus::model
