#pragma once
// The state of a flattening; see flatten.cpp (declarations) and flatten_equations.cpp.
#include "model/evaluator.h"
#include "model/flat_model.h"

namespace daedalus::model {

class Flattener {
 public:
  Flattener(const Ast& ast, const FlattenOptions& options);
  FlatModel run();

 private:
  // declarations
  void declare_symbols();
  void compute_parameter(Symbol& symbol);
  void check_overrides();
  void read_experiment();
  void place_variables();
  void read_attributes(const Declaration& declaration);
  Shape shape_of(const Declaration& declaration);
  std::vector<double> numbers(const Expression& expression, const Shape& shape, const char* what,
                              const std::string& name);
  static std::string element_name(const std::string& name, const Shape& shape, int offset);

  // equations
  void find_orders();
  void add_binding(const Declaration& declaration);
  void add_equations(const Equations& equations);
  void add_equation(const Equation& equation);
  void add_equality(const Equation& equation, const Equality& equality);
  void add_if(const Equation& equation, const IfEquation& branches);
  void add_when(const Equation& equation, const WhenEquation& when);
  void add_assertion(const Assert& assertion);
  void add_hidden_equations();
  bool take_as_start(NodeId residual);
  void note_definition(int row, int variable);
  void add_rows(const Value& residual, const Equation& equation);
  /// Residuals of the equalities of a branch, in order.
  std::vector<NodeId> residuals(const Equations& equations);
  void check_counts();
  void find_shared_lines();
  std::string label_of(const Equation& equation) const;

  // boundary conditions
  void add_conditions();
  void add_guess(const Declaration& declaration, const Symbol& symbol);

  // events
  NodeId watch(Relation::Kind kind, NodeId x, const Span& at);
  /// Copies an expression of the current builder into another one.
  NodeId transfer(NodeId node, EquationBuilder& to);
  /// Equal text: the same expression of the same variables.
  std::string identity(NodeId node);
  int event_value(NodeId node);
  void define_discrete(const Symbol& symbol, const std::vector<int>& offsets, const Value& value,
                       const Span& at);
  Action make_action(const Equation& equation);
  void check_discrete();
  std::string quoted(const Span& at) const;

  void begin_equation();
  void guarded(const std::function<void()>& work);

  const Ast& ast_;
  const FlattenOptions& options_;
  FlatModel flat_;
  Diagnostics errors_;
  std::unordered_map<std::string, Symbol> symbols_;
  Evaluator evaluator_;
  EquationBuilder scratch_, equations_, initial_, crossings_, event_values_, conditions_, guesses_;
  std::unordered_map<std::string, int> relation_of_;  ///< identity -> mode
  std::vector<Span> relation_at_;
  std::map<int, int> equations_on_line_;
  /// Of each discrete variable: 0 never gets a value, 1 in a when clause, 2 by an equation.
  std::vector<char> defined_;
  bool in_initial_section_ = false;
  bool in_constraint_section_ = false;
};

}  // namespace daedalus::model
