// The public covers: solve, Integrator, and what a Solution says of itself.
#include "daedalus/solve.h"

#include <algorithm>

#include <fmt/format.h>

#include "ivp/run.h"
#include "method/nearest.h"

namespace daedalus {

const char* name_of(Status status) {
  switch (status) {
    case Status::success:
      return "success";
    case Status::event:
      return "event";
    case Status::failed:
      return "failed";
  }
  return "";
}

const char* name_of(Reason reason) {
  switch (reason) {
    case Reason::finished:
      return "finished";
    case Reason::terminal_event:
      return "terminal_event";
    case Reason::inconsistent_start:
      return "inconsistent_start";
    case Reason::step_too_small:
      return "step_too_small";
    case Reason::newton_failed:
      return "newton_failed";
    case Reason::singular_matrix:
      return "singular_matrix";
    case Reason::not_finite:
      return "not_finite";
    case Reason::assertion_failed:
      return "assertion_failed";
    case Reason::too_many_events:
      return "too_many_events";
    case Reason::max_steps:
      return "max_steps";
    case Reason::time_limit:
      return "time_limit";
    case Reason::interrupted:
      return "interrupted";
  }
  return "";
}

const char* name_of(LinearAlgebra choice) {
  switch (choice) {
    case LinearAlgebra::automatic:
      return "automatic";
    case LinearAlgebra::dense:
      return "dense";
    case LinearAlgebra::banded:
      return "banded";
    case LinearAlgebra::sparse:
      return "sparse";
    case LinearAlgebra::krylov:
      return "krylov";
  }
  return "";
}

const char* name_of(Evaluation evaluation) {
  switch (evaluation) {
    case Evaluation::automatic:
      return "automatic";
    case Evaluation::interpreted:
      return "interpreted";
    case Evaluation::compiled:
      return "compiled";
  }
  return "";
}

std::string Message::text() const {
  if (what.empty()) return "";
  return fmt::format("{} {}; {}; try: {}", what, where, why, hint);
}

Input Solution::y(int i) const {
  const int row = i < 0 ? rows() + i : i;
  if (row < 0 || row >= rows())
    throw InvalidInput(fmt::format("row {} of a solution that has {} rows", i, rows()));
  return {values.data() + static_cast<std::ptrdiff_t>(row) * size(), size()};
}

double Solution::value(int i, const std::string& variable) const {
  const auto at = std::find(variables.begin(), variables.end(), variable);
  if (at == variables.end()) {
    std::string hint;
    for (const std::string& near : nearest_names(variable, variables))
      hint += (hint.empty() ? "; did you mean " : ", ") + near;
    throw InvalidInput(fmt::format("\"{}\" is no variable{}", variable, hint));
  }
  return y(i)[at - variables.begin()];
}

Vector Solution::operator()(double time) const {
  if (!dense)
    throw InvalidInput("dense output was not kept: set Options::dense, and the run needs a step");
  Vector y(size());
  dense->evaluate(time, y.data());
  return y;
}

Integrator::Integrator(const Problem& problem, const Options& options)
    : run_(Run::make(problem, options, true)) {}
Integrator::Integrator(std::unique_ptr<Run> run) : run_(std::move(run)) {}
Integrator::~Integrator() {
  Run::put_to_rest(std::move(run_));
}
Integrator::Integrator(Integrator&&) noexcept = default;
Integrator& Integrator::operator=(Integrator&&) noexcept = default;

bool Integrator::step() {
  return run_->step();
}
double Integrator::t() const {
  return run_->t();
}
double Integrator::step_size() const {
  return run_->step_size();
}
Input Integrator::y() const {
  return run_->y();
}
void Integrator::interpolate(double time, Output y) const {
  run_->interpolate(time, y);
}
const Solution& Integrator::solution() const {
  run_->finish();
  return run_->solution();
}
void Integrator::save(std::ostream& stream) const {
  run_->save(stream);
}

Integrator Integrator::resume(const Problem& problem, const Options& options,
                              std::istream& stream) {
  auto run = Run::make(problem, options, false);
  run->restore(stream);
  return Integrator(std::move(run));
}

std::optional<Options> sharper_attempt(const Options& options, const Solution& failed) {
  constexpr double crude = 2e-5, sharper = 0.1;
  constexpr std::int64_t short_run = 10'000;  // steps
  const Reason reason = failed.reason;
  if (failed.status != Status::failed || options.method != "auto" || options.rtol < crude ||
      options.fixed_step > 0 || failed.statistics.steps > short_run ||
      (reason != Reason::step_too_small && reason != Reason::not_finite &&
       reason != Reason::singular_matrix))
    return std::nullopt;
  // A reset may have changed what functions hold.
  for (const Event& event : options.events)
    if (event.reset) return std::nullopt;
  std::optional<Options> attempt = options;
  attempt->rtol *= sharper;
  attempt->atol = Vector(sharper * options.atol.vector());
  return attempt;
}

Solution solve(const Problem& problem, const Options& options) {
  const auto run_with = [&problem](const Options& asked) {
    Integrator integrator(problem, asked);
    integrator.run_->step_to_end();
    integrator.run_->finish();
    return integrator.run_->take_solution();
  };
  Solution first = run_with(options);
  for (auto attempt = sharper_attempt(options, first); attempt;) {
    Solution again = run_with(*attempt);
    if (again.status != Status::failed) {
      again.notes.push_back(fmt::format("rtol = {:.3g}, as no step was found with {:.3g}",
                                        attempt->rtol, options.rtol));
      return again;
    }
    attempt = sharper_attempt(*attempt, again);
  }
  return first;
}

}  // namespace daedalus
