#pragma once
// A run over the initial value problem: consistent start, then steps with events, output,
// monitors and limits. `Integrator` and `solve` are thin covers of it.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/consistent_start.h"
#include "daedalus/solve.h"
#include "ivp/dense_output.h"
#include "ivp/event_finder.h"
#include "ivp/singularity_monitor.h"
#include "ivp/step_bounds.h"
#include "ivp/step_projection.h"
#include "linear/kept_block.h"
#include "problem/expansion.h"
#include "problem/switch_board.h"
#include "stepper/bdf_stepper.h"
#include "stepper/explicit_stepper.h"
#include "stepper/half_explicit_extrapolation.h"
#include "stepper/implicit_stepper.h"
#include "stepper/linearly_implicit_extrapolation.h"
#include "stepper/manifold_stepper.h"
#include "stepper/motion_rosenbrock.h"
#include "stepper/rosenbrock_stepper.h"

namespace daedalus {

/// How far a run has come. A run that is made again begins with all of this as it is here, so
/// whatever a run changes on its way belongs here, unless `Run::forget` sees to it.
struct RunCourse {
  std::string branch_note_;                   ///< where the motion is not unique
  std::vector<double> hidden_index_;          ///< variables of index 2 that structure did not show
  std::optional<std::uint64_t> prepared_as_;  ///< fingerprint, if another method was chosen first
  bool takes_turns_ = false, implicit_turn_ = false;
  int ask_again_ = 0;  ///< after so many steps, for another turn
  bool interpolant_known_ = true;
  bool anchor_has_moved_ = true;  ///< since the last step was recorded
  int steps_since_anchor_ = 0;
  std::size_t next_output_ = 0;
  bool limit_is_pulse_ = false;  ///< of the present step, and no event
  bool over_ = false;
  int pending_reset_ = -1;       ///< event of the user at the end of this step
  bool pending_switch_ = false;  ///< a mode changes there
  bool at_the_start_ = false;    ///< it changes at the beginning of the step instead
  std::vector<char> rate_known_;
  std::vector<int> fired_;                   ///< relations that change
  std::optional<BeforeEvent> before_event_;  ///< while modes settle
  /// Rates of all event functions towards the event, along the run; empty: not known.
  std::vector<double> approach_;
  std::vector<EventFinder::AtZero> at_zero_;  ///< what happens now, as it goes on behind it
  double covering_h_ = 0;                     ///< of the step before it was cut
  double last_switch_ = 0;
  double last_interval_ = 0;
  double restarted_at_ = 0;          ///< the start, or the last event
  int leaps_ = 0;                    ///< made there
  std::optional<double> turned_at_;  ///< where a relation turned lest the run ended
  int creeping_ = 0;                 ///< so many steps that lead nowhere, one after the other
  bool is_left_alone_ = false;       ///< nobody has a hand in it between steps
  bool translated_ = false;          ///< the equations were to become code
  int closer_looks_ = 0;             ///< of the present step, that were shorter than the one before
  bool looks_closer_ = false;        ///< it is to be made anew
  std::optional<State> leap_;        ///< the end of such a step until it is committed
  int switches_at_once_ = 0, shrinking_ = 0;
  std::chrono::steady_clock::time_point started_;
  std::optional<double> cpu_started_;
  double last_look_ = 0;             ///< at the clock, for the sake of the time limit
  std::int64_t coarse_at_look_ = 0;  ///< what a coarse one showed then
  int steps_between_looks_ = 1, steps_to_look_ = 1;
};

class Integrator::Run : public KeptBlock<Integrator::Run>, private RunCourse {
 public:
  /// With `at_start` false the state is to come from `restore`. `chooses`: options.method was not
  /// asked for by the user.
  Run(const Problem& problem, Options options, bool at_start, bool chooses = false);

  /// Resolves method "auto".
  static std::unique_ptr<Run> make(const Problem& problem, const Options& options, bool at_start);
  /// Leaves it with the problem for the next one that is the same, if that can be.
  static void put_to_rest(std::unique_ptr<Run> run) noexcept;

  bool step();
  /// Nobody changes between steps what functions hold.
  void step_to_end();
  void finish();

  double t() const { return stepper_->state().t; }
  double step_size() const { return stepper_->step(); }
  Input y() const { return shown(stepper_->state().t, stepper_->state().y.data()); }
  void interpolate(double time, Output y);
  const Solution& solution() const { return solution_; }
  Solution take_solution() { return std::move(solution_); }

  void save(std::ostream& stream) const;
  void restore(std::istream& stream);

 private:
  /// Of settling what depends on each other at one instant.
  static constexpr int most_rounds = 30;
  /// Of the speed before the event; less is rest, and rounding.
  static constexpr double least_bounce = 1e-4;

  /// One that was put to rest, at its start again; null: there is none that fits.
  static std::unique_ptr<Run> again(const Problem& problem, const Options& options,
                                    std::string_view method, bool chooses);
  bool may_rest();
  bool motion_may_rest();
  bool forget();
  void clear_solution();
  void drop_long_lists();
  /// That of an earlier run on the same constraints, if there is one.
  void use_known_system();
  void leave_system(Findings::Store& store);
  void prepare();
  void place_start();
  void name_solution();
  void prepare_implicit(const State& start);
  void prepare_manifold(const State& start);
  bool output_may_wait() const;
  void use_manifold_output(const ProjectedField& at_start);
  std::shared_ptr<StepRefiner> manifold_refiner(const ManifoldStepper& stepper);
  std::unique_ptr<Stepper> make_implicit_turn();
  const RosenbrockTable& rosenbrock() const;
  double cost_of_implicit_step() const;
  bool stability_allows(double h) const;
  void consider_turn();
  void take_turn();
  bool turn_back();
  void save_turn(std::vector<double>& memory) const;
  void restore_turn(SavedState& memory);
  std::unique_ptr<Stepper> make_stepper(const State& start);
  void use_output(std::shared_ptr<StepOutput> output);
  /// Most runs ask for mesh points only, and never for these.
  StepOutput& output();
  OutputProjection& projection();
  void use_refined_output();
  Jacobian& jacobian(const State& at);
  void note_shift(const State& state);
  void watch_constraints();
  System& equations();
  bool needs_interpolant() const;
  struct Refusal {
    std::string_view why = {};
    bool is_lasting = false;  ///< it holds for all options
  };
  static std::unique_ptr<Run> make_explicit(const Problem& problem, const Options& options,
                                            bool at_start, Refusal& refusal);
  bool shows_stiffness() const;
  bool stability_asks_little() const;
  bool may_take_turns() const;
  static double fastest_rate(ProjectedField& field, const State& at);
  void prepare_graph();
  void follow_sources(double fastest);
  void look_for_pulses();
  double next_limit();
  bool leaves_domain() const;
  void begin();
  /// The user's variables at a point of the system.
  Input shown(double t, const double* y) const;
  void find_hidden_index(const State& state);
  void count_as_index_2(const std::vector<int>& variables, const State& state);
  void avoid_dear_factors(const State& state);
  double first_step(const State& state) const;
  bool stands_beside_solution();
  bool leap_from_start(double limit);
  bool turn_at_threshold();
  bool turn_what_is_at_zero();
  bool creeps();
  void restart_behind_leap();
  void translate_equations();
  bool within_limits();
  bool time_is_up();
  double wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  void ask_for_processor_time();
  void check_assertions();
  void calibrate_switches(const State& state);
  void choose_branch(State& state);
  void look_for_events();
  void project_step();
  void keep_within_bounds();
  double polished(const EventFinder::Found& found);
  double enclosed(const EventFinder::Found& found, double time);
  /// The function of an event where it was asked last.
  struct Secant {
    double t = 0, value = 0;
    bool known = false;
  };
  static constexpr int most_corrections = 10;  ///< of the time of an event
  double distance_to(const EventFinder::Found& found, double time, double value, Secant& secant);
  bool land_on(const EventFinder::Found& found);
  void look_closer(std::size_t events_before);
  void come_back_at_once(const EventFinder::Found& found, std::size_t events_before);
  void note_approach(double time);
  void pass_event();
  void reset_by(const Event& event, State& state);
  bool settle(State& state);
  bool settle_modes(State& state);
  void rest_between_opposites(const State& state);
  void enter_branch(State& state);
  bool solve_with_relations(State& state, const std::vector<double>& keep);
  bool assign_definitions(State& state, const std::vector<double>& keep);
  bool follow_definitions(State& state) const;
  bool settle_once(State& state, const std::vector<double>& keep);
  double instant(double time) const;
  std::vector<double> blur(const State& state) const;
  std::vector<int> about_to_turn(const State& state, const std::vector<double>& keep);
  bool too_many_at_once(double time);
  void note_turns(const std::vector<int>& turns, const std::vector<double>& keep, bool agreed);
  double rate_of(int event, const State& state);
  double rounding_of(int event, const State& state);
  bool is_not_back(int event) const;
  void stop_accumulating(double time, std::string why);
  void take_rates_of_field(State& state);
  bool is_on_manifold(const State& state, const std::vector<char>& fixed);
  /// Moves `state`.
  StartReport consistent(State& state, const std::vector<char>& fixed, bool at_start);
  bool moves_what_was_given(const State& state) const;
  bool begin_with_relations(State& state, bool only_as_given);
  bool reinitialize(State& state, const std::vector<char>& fixed, bool at_start, Message& message);
  void record_step();
  void record_inside_of_step();
  void record_other_side();
  void move_anchor(bool now);
  void record_mesh_point(double t, const std::vector<double>& y);
  void record_row(double t, Input y);
  void monitor_constraints(double t, const double* y);
  bool constraints_contradict();
  void stop(Status status, Reason reason, Message message = {});
  std::uint64_t fingerprint() const;
  void restore_hidden_index(const std::vector<double>& variables);

  Problem problem_;
  Options options_;
  bool chooses_;  ///< another method where this one would spend its time on factors
  std::shared_ptr<Expansion> expansion_;  ///< to the user's variables; null: they are first
  std::string note_;                      ///< what was done to the equations
  Vector given_start_;                    ///< of all variables
  Formulation formulation_ = Formulation::direct;  ///< in the end
  std::shared_ptr<System> system_;
  std::shared_ptr<System> equations_;  ///< of an outline, made when first asked for
  std::shared_ptr<Jacobian> jacobian_;
  const ExplicitTable* explicit_ = nullptr;           ///< the method, if it is one
  const ExtrapolationTable* extrapolated_ = nullptr;  ///< likewise
  /// Makes steps on the constraints themselves.
  bool works_on_constraints() const {
    return explicit_ || (extrapolated_ && extrapolated_->is_half_explicit());
  }
  /// On the manifold of the constraints: what explicit methods integrate, others if asked to.
  std::shared_ptr<ProjectedField> field_;
  ManifoldStepper* implicit_on_manifold_ = nullptr;  ///< stepper_, if it is one
  std::vector<double> field_at_start_;               ///< output uses the scales known there
  std::shared_ptr<ManifoldOutput> manifold_output_;  ///< output_, if it is one
  std::unique_ptr<Stepper> stepper_;
  /// Explicit and implicit steps may take turns: the stepper that has none now, if it is made.
  std::unique_ptr<Stepper> resting_;
  using LevelResidual = std::function<void(double t, const double* y, double* r)>;
  std::vector<LevelResidual> replaced_;  ///< of the first levels, by what the field knows
  State start_, found_start_;            ///< where the problem says, consistent
  std::vector<char> fixed_;              ///< variables whose start must not move
  std::optional<AlgebraicProjection> start_projection_;  ///< of a consistent start
  std::unique_ptr<SingularityMonitor> singularities_;    ///< null: the stepper sees to it, or none
  std::optional<SwitchBoard> switches_;
  std::optional<EventFinder> events_;
  StepBounds bounds_;
  std::unique_ptr<StepProjection> step_projection_;  ///< of the ends of steps, or null
  bool projects_output_ = false;                     ///< of implicit methods
  bool mesh_points_need_none_ = true;                ///< as the algebraic rows hold there
  std::shared_ptr<OutputProjection> projection_;
  std::shared_ptr<StepOutput> output_;
  std::shared_ptr<DenseOutput> dense_;
  Solution solution_;
  Vector atol_;
  std::vector<double> scale_;
  Interpolant interpolant_;
  Anchor anchor_, step_anchor_;  ///< of the next step, of the last one
  std::vector<double> row_, landed_, residual_, level_maximum_;
  std::vector<std::size_t> worst_equation_;  ///< by level; names are filled in at the end
  std::vector<double> outputs_;  ///< output times in the direction of the run; empty: every step
  std::shared_ptr<const std::vector<double>> pulses_;  ///< no step leaps over these times
};

}  // namespace daedalus
