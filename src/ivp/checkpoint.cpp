// Checkpoints: everything that later steps depend on, as raw doubles, so that a resumed run has
// the bits of the uninterrupted one. A fingerprint refuses a checkpoint of another problem.
#include <cstring>
#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "ivp/run.h"

namespace daedalus {
namespace {

constexpr char magic[8] = {'D', 'A', 'E', 'D', 'C', 'P', '0', '1'};

void put_flag(std::vector<double>& memory, bool flag) {
  memory.push_back(flag ? 1 : 0);
}
bool take_flag(const double*& memory) {
  return *memory++ != 0;
}

void put(std::vector<double>& memory, const std::vector<double>& values) {
  memory.push_back(static_cast<double>(values.size()));
  memory.insert(memory.end(), values.begin(), values.end());
}
std::vector<double> take(const double*& memory) {
  const auto count = static_cast<std::ptrdiff_t>(*memory++);
  std::vector<double> values(memory, memory + count);
  memory += count;
  return values;
}

void put(std::vector<double>& memory, const State& state) {
  memory.push_back(state.t);
  put(memory, state.y), put(memory, state.yp);
}
void take(const double*& memory, State& state) {
  state.t = *memory++;
  state.y = take(memory), state.yp = take(memory);
}

void put(std::vector<double>& memory, const Statistics& s) {
  for (const std::int64_t count : {s.steps, s.rejected, s.newton_failures, s.rhs, s.jacobians,
                                   s.factorizations, s.solves, s.newton})
    memory.push_back(static_cast<double>(count));
}
void take(const double*& memory, Statistics& s) {
  for (std::int64_t* count : {&s.steps, &s.rejected, &s.newton_failures, &s.rhs, &s.jacobians,
                              &s.factorizations, &s.solves, &s.newton})
    *count = static_cast<std::int64_t>(*memory++);
}

void mix(std::uint64_t& hash, const void* data, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
}

}  // namespace

void ImplicitStepper::save(std::vector<double>& memory) const {
  put(memory, state_), put(memory, next_);
  for (const double x : {h_, h_used_, factored_h_, last_h_, static_cast<double>(active_),
                         control_.accepted_h, control_.accepted_error, order_.smoothed_rate,
                         static_cast<double>(order_.factorizations_since_change),
                         static_cast<double>(last_newton_.iterations), last_newton_.rate})
    memory.push_back(x);
  for (const bool flag : {order_.newton_failed, order_.newton_was_slow, jacobian_valid_,
                          jacobian_current_, factors_valid_, first_, rejected_, extrapolate_})
    put_flag(memory, flag);
  put(memory, pencil_.a), put(memory, pencil_.e);
  for (const auto& solver : solvers_) {
    put_flag(memory, solver != nullptr);
    if (!solver) continue;
    solver->save(memory);
    put(memory, solver->pivots());
  }
}

void ImplicitStepper::restore(const double*& memory) {
  take(memory, state_), take(memory, next_);
  double active = 0, since = 0, iterations = 0;
  for (double* x :
       {&h_, &h_used_, &factored_h_, &last_h_, &active, &control_.accepted_h,
        &control_.accepted_error, &order_.smoothed_rate, &since, &iterations, &last_newton_.rate})
    *x = *memory++;
  for (bool* flag : {&order_.newton_failed, &order_.newton_was_slow, &jacobian_valid_,
                     &jacobian_current_, &factors_valid_, &first_, &rejected_, &extrapolate_})
    *flag = take_flag(memory);
  order_.factorizations_since_change = static_cast<int>(since);
  last_newton_.iterations = static_cast<int>(iterations);
  pencil_.a = take(memory), pencil_.e = take(memory);
  for (std::size_t k = 0; k < solvers_.size(); ++k) {
    if (!take_flag(memory)) continue;
    use(static_cast<int>(k));
    current()->restore(memory);
    current()->restore_pivots(pencil_, take(memory));
  }
  use(static_cast<int>(active));
  norm_.set_reference(state_.y.data());
  if (factors_valid_) factors_valid_ = current()->factor(pencil_, factored_h_);
}

std::uint64_t Integrator::Run::fingerprint() const {
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::string& name : system_->variables) mix(hash, name.data(), name.size());
  mix(hash, options_.method.data(), options_.method.size());
  for (const double x :
       {problem_.t_span.begin, problem_.t_span.end, options_.rtol, options_.fixed_step,
        static_cast<double>(system_->size), static_cast<double>(options_.formulation),
        static_cast<double>(jacobian_->storage()), static_cast<double>(options_.events.size())})
    mix(hash, &x, sizeof x);
  mix(hash, atol_.data(), sizeof(double) * static_cast<std::size_t>(atol_.size()));
  return hash;
}

void Integrator::Run::save(std::ostream& stream) const {
  std::vector<double> memory;
  stepper_->save(memory);
  events_->save(memory);
  put(memory, solution_.statistics);
  put(memory, solution_.start_shift);
  for (const ConstraintResidual& level : solution_.constraint_residual)
    memory.push_back(level.maximum), memory.push_back(level.t);
  memory.push_back(static_cast<double>(next_output_));
  put_flag(memory, over_);
  const std::uint64_t header[2] = {fingerprint(), memory.size()};
  stream.write(magic, sizeof magic);
  stream.write(reinterpret_cast<const char*>(header), sizeof header);
  stream.write(reinterpret_cast<const char*>(memory.data()),
               static_cast<std::streamsize>(memory.size() * sizeof(double)));
  if (!stream) throw std::runtime_error("checkpoint: writing failed");
}

void Integrator::Run::restore(std::istream& stream) {
  char found[sizeof magic] = {};
  std::uint64_t header[2] = {};
  stream.read(found, sizeof found);
  stream.read(reinterpret_cast<char*>(header), sizeof header);
  if (!stream || std::memcmp(found, magic, sizeof magic) != 0)
    throw InvalidInput("checkpoint: this is no checkpoint of this version");
  if (header[0] != fingerprint())
    throw InvalidInput(
        "checkpoint: it belongs to another problem or other options (variables, "
        "t_span, method, formulation, rtol, atol and events must be the same)");
  std::vector<double> memory;
  // Read in pieces: a damaged length must not ask for absurd memory.
  for (std::uint64_t left = header[1]; left > 0;) {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, 1 << 16));
    const std::size_t size = memory.size();
    memory.resize(size + piece);
    stream.read(reinterpret_cast<char*>(memory.data() + size),
                static_cast<std::streamsize>(piece * sizeof(double)));
    if (!stream) throw InvalidInput("checkpoint: the file is cut short");
    left -= piece;
  }
  const double* next = memory.data();
  stepper_->restore(next);
  events_->restore(next);
  take(next, solution_.statistics);
  solution_.start_shift = take(next);
  for (ConstraintResidual& level : solution_.constraint_residual)
    level.maximum = *next++, level.t = *next++;
  next_output_ = static_cast<std::size_t>(*next++);
  over_ = take_flag(next);
  if (outputs_.empty() && options_.record) record_mesh_point(t(), stepper_->state().y);
}

}  // namespace daedalus
