#pragma once
// Problems by which codes are compared: the public test set and a few larger ones, each in the form
// in which it is best told to Daedalus, and as M y' = f(t, y) with a constant M, or otherwise, for
// codes that know no other. Reference values are those of models/references.json.
#include <map>
#include <optional>

#include "daedalus/bvp.h"
#include "daedalus/solve.h"

namespace daedalus::reproduce {

/// What one code is given, and where it keeps the variables whose reference values are known.
struct Statement {
  Problem problem = {};
  std::vector<int> place = {};  ///< of each reference value among the unknowns; -1: not there
  bool start_is_guess = false;  ///< algebraic values at the start have to be found
  int lower = -1, upper = -1;   ///< bandwidths of df/dy; -1: full
  bool is_sparse = false;       ///< `problem.sparsity` says where
  int per_point = 1;            ///< consecutive unknowns that belong to one point of a grid
  int highest_index = 1;
  Values nominal = {};  ///< of the unknowns: their atol is that much larger; empty: 1
};

struct TestProblem {
  std::string name = {};
  std::string title = {};
  Statement statement = {};  ///< for Daedalus; no unknowns: only the model is known
  std::optional<Statement> first_order = {};  ///< M y' = f; absent: no other code can be asked
  /// For codes by backward differentiation, if they can do more with another form: F(t, y, y') = 0,
  /// or index 1.
  std::optional<Statement> for_bdf = {};
  Options suggested = {};
  double atol_factor = 1;              ///< atol = atol_factor * rtol
  Values nominal = {};                 ///< of the reference values, a further factor; empty: 1
  Names names = {};                    ///< of the reference values, as in the model
  Vector reference = {};               ///< at the end; NaN where it is not known
  double reference_digits = 16;        ///< more of them cannot be told from the reference
  std::vector<int> differential = {};  ///< reference values that `digits` compares
  std::vector<int> algebraic = {};     ///< and `digits_algebraic`
  std::string model = {};              ///< the same as text: models/NAME.mo; empty: none
  std::map<std::string, double> parameters = {};  ///< of the model
};

/// -log10 of the largest |y - reference| / (atol/rtol + |reference|) of the chosen values; NaN if
/// there is none.
double significant_digits(const TestProblem& problem, const std::vector<int>& chosen,
                          const std::function<double(int)>& value);

/// The reference values of a shipped model, with no statement yet.
TestProblem shipped(const std::string& model);
/// One that Daedalus is asked as text (testset_models.cpp); others get the equations of the model
/// as M y' = f in the variables whose reference values are known. `index_2` names variables of that
/// index where structure alone does not tell.
TestProblem text_only(const std::string& model, const Names& index_2 = {});

// Kinetics (testset_kinetics.cpp). The end of Robertson's problem: 40, 4e10 or 1e11.
TestProblem robertson(double t_end);
TestProblem chemical_akzo();
TestProblem amplifier(int transistors);
TestProblem ring_modulator_problem(double storage);

// Small circuits (testset_circuits.cpp).
TestProblem diode_bridge();
TestProblem series_circuit();
TestProblem circuit_index_2();

// F(t, y, y') = 0 (testset_implicit.cpp).
TestProblem brenan();
TestProblem kvaerno();
TestProblem weissinger();
TestProblem kamke();

// Small problems with closed solutions (testset_small.cpp).
TestProblem jay_index_2();
TestProblem ascher_petzold_index_2();
TestProblem arevalo(int index);
TestProblem pendulum_index_3();
TestProblem pendulum_stabilized();
TestProblem van_der_pol_limit();

/// Which form of a mechanism Daedalus is given.
enum class Told {
  as_mechanism,  ///< mass, forces and constraints
  as_published,  ///< the same M y' = f as everybody
};
// Mechanisms (testset_mechanics.cpp, testset_andrews.cpp).
TestProblem rod_pendulum();
TestProblem car_axis(Told told);
TestProblem fekete(Told told);
TestProblem andrews(Told told);
TestProblem hanging_chain(int links);

// Mechanisms of few bodies (testset_linkages.cpp).
TestProblem double_pendulum();
TestProblem slider_crank_linkage();
TestProblem four_bar_linkage();
TestProblem skate();

// Fields (testset_fields.cpp).
TestProblem food_web(int columns, int rows);
TestProblem heat(int columns, int rows);
TestProblem heat_between_cold_walls();

struct BoundaryTestProblem {
  std::string name = {};
  std::string title = {};
  BoundaryProblem problem = {};
  int differential = 0;  ///< the first so many variables are compared
  double coldae = 0;     ///< time of COLDAE for six digits in units of RADAU5's for Robertson's
};
// testset_boundary.cpp
std::vector<BoundaryTestProblem> boundary_test_problems();

}  // namespace daedalus::reproduce
