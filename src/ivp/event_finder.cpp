#include "ivp/event_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

// Of a polynomial whose degree is at most 10; two more sit close to the ends of the step, where
// a dip would otherwise hide between an end and the first inner sample.
constexpr int samples = 18;
constexpr double next_to_end = 1e-3;
constexpr double rounding = 1e-12;  // of an event function, relative to its size in the step

double sample_at(int i) {
  if (i == 1) return next_to_end;
  if (i == samples - 1) return 1 - next_to_end;
  return i == 0 ? 0.0 : i == samples ? 1.0 : static_cast<double>(i - 1) / (samples - 2);
}

}  // namespace

EventFinder::EventFinder(const std::vector<Event>& events, const std::vector<double>& slack,
                         int size, Functions functions)
    : events_(&events), slack_(&slack), functions_(std::move(functions)) {
  last_.assign(events.size() + slack.size(), 0.0);
  if (empty()) return;
  y_.resize(static_cast<std::size_t>(size));
  end_ = size_ = g_ = last_;
  sample_t_.resize(samples + 1), sample_.resize((samples + 1) * last_.size());
}

bool EventFinder::matches(int event, double before, double after) const {
  const Direction direction =
      is_indicator(event) ? Direction::falling : (*events_)[event].direction;
  if (direction == Direction::rising) return before < 0 && after >= 0;
  if (direction == Direction::falling) return before > 0 && after <= 0;
  return true;
}

double EventFinder::value(int event, double t, const double* y) {
  functions_(t, y, g_.data());
  return g_[event];
}

void EventFinder::start(double t, const double* y, const std::vector<int>& happened) {
  functions_(t, y, last_.data());
  const int count = static_cast<int>(last_.size());
  // A start on the zero itself, up to rounding, is no crossing.
  for (int e = 0; e < count; ++e)
    if (!is_indicator(e) && std::abs(last_[e]) <= std::max(rounding, rounding * size_[e]))
      last_[e] = 0;
  for (const int e : happened)
    if (std::abs(last_[e]) <= std::max(is_indicator(e) ? 0 : rounding, 1e-6 * size_[e]))
      last_[e] = 0;
}

double EventFinder::at(int event, double t, const Evaluate& y_at) {
  y_at(t, y_.data());
  return value(event, t, y_.data());
}

void EventFinder::bracket(int event, double a, double fa, double b, double fb,
                          const Evaluate& y_at) {
  if (!matches(event, fa, fb)) return;
  // Bisection safeguarded secant (Illinois): halves the weight of an end that stays.
  double lo = a, f_lo = fa, hi = b, f_hi = fb;
  int side = 0;
  for (int i = 0; i < 200 && f_hi != 0; ++i) {
    const double width = hi - lo;
    if (std::abs(width) <=
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(lo), std::abs(hi)))
      break;
    double t = i % 4 == 3 ? 0.5 * (lo + hi) : hi - f_hi * width / (f_hi - f_lo);
    if (!((t - lo) * (t - hi) < 0)) t = 0.5 * (lo + hi);
    const double f = at(event, t, y_at);
    if (f == 0) {
      hi = t;
      break;
    }
    if ((f > 0) == (fb > 0)) {
      hi = t, f_hi = f;
      if (side == 1) f_lo *= 0.5;
      side = 1;
    } else {
      lo = t, f_lo = f;
      if (side == -1) f_hi *= 0.5;
      side = -1;
    }
  }
  found_.push_back({hi, event});
}

void EventFinder::sample(double t0, double t1, const Evaluate& y_at) {
  const std::size_t count = last_.size();
  sample_t_[0] = t0;
  std::copy(last_.begin(), last_.end(), sample_.begin());
  for (int i = 1; i <= samples; ++i) {
    sample_t_[i] = i == samples ? t1 : t0 + (t1 - t0) * sample_at(i);
    y_at(sample_t_[i], y_.data());
    functions_(sample_t_[i], y_.data(), sample_.data() + static_cast<std::size_t>(i) * count);
  }
  for (std::size_t e = 0; e < count; ++e) {
    size_[e] = 0;
    for (std::size_t i = 0; i <= samples; ++i)
      size_[e] = std::max(size_[e], std::abs(sample_[i * count + e]));
    // Signs are followed from sample to sample, across mesh points too: one that is zero exactly
    // on a mesh point, or differs from the state there by rounding, happens once.
    end_[e] = sample_[samples * count + e];
  }
}

void EventFinder::search_one(int event, const Evaluate& y_at) {
  const auto g = [&](int i) { return sampled(event, i); };
  int first = 0;
  while (first < samples && g(first) == 0) ++first;  // not yet left the zero of the start
  for (int i = first; i < samples; ++i) {
    const double fa = g(i), fb = g(i + 1);
    if (fa != 0 && (fb == 0 || (fa > 0) != (fb > 0))) {
      bracket(event, sample_t_[i], fa, sample_t_[i + 1], fb, y_at);
      continue;
    }
    if (i > first && dips(event, i)) look_for_dip(event, i, y_at);
  }
}

void EventFinder::search_indicator(int event, const Evaluate& y_at) {
  const double slack = (*slack_)[static_cast<std::size_t>(event) - events_->size()];
  int right = sampled(event, 0) >= 0 ? 0 : -1;  // last sample known to be on the right side
  for (int i = 0; i <= samples; ++i) {
    const double g = sampled(event, i);
    if (g > 0) right = i;
    if (!(g < -slack)) continue;
    if (right < 0 || sampled(event, right) <= 0)
      found_.push_back({sample_t_[0], event});
    else
      bracket(event, sample_t_[right], sampled(event, right), sample_t_[i], g, y_at);
    return;
  }
  for (int i = 1; i < samples; ++i)
    if (sampled(event, i) > 0 && dips(event, i)) look_for_dip(event, i, y_at);
}

/// Same sign on three samples with the middle one nearest to zero: perhaps a double crossing.
bool EventFinder::dips(int event, int i) const {
  const double before = sampled(event, i - 1), here = sampled(event, i),
               after = sampled(event, i + 1);
  // Of a parabola that reaches zero between equidistant samples, one neighbour is nine times as
  // large as the middle.
  const bool equidistant = i > 1 && i < samples - 1;
  const double deep = equidistant ? 0.5 * std::max(std::abs(before), std::abs(after)) : 1e300;
  return here != 0 && (before > 0) == (here > 0) && std::abs(here) <= std::abs(before) &&
         std::abs(here) <= std::abs(after) && std::abs(here) <= deep &&
         !(here == before && here == after);
}

/// Minimises towards zero between the samples i - 1 and i + 1 until the other side is seen.
void EventFinder::look_for_dip(int event, int i, const Evaluate& y_at) {
  double a = sample_t_[i - 1], b = sample_t_[i + 1];
  const double golden = 0.3819660112501051, sign = sampled(event, i) > 0 ? 1 : -1;
  double x = a + golden * (b - a), w = b - golden * (b - a);
  double fx = sign * at(event, x, y_at), fw = sign * at(event, w, y_at);
  for (int k = 0; k < 60 && fx > 0 && fw > 0; ++k) {
    if (fx < fw)
      b = w, w = x, fw = fx, x = a + golden * (b - a), fx = sign * at(event, x, y_at);
    else
      a = x, x = w, fx = fw, w = b - golden * (b - a), fw = sign * at(event, w, y_at);
  }
  if (fx > 0 && fw > 0) return;
  const double dip = fx <= 0 ? x : w, f_dip = sign * (fx <= 0 ? fx : fw);
  bracket(event, sample_t_[i - 1], sampled(event, i - 1), dip, f_dip, y_at);
  if (f_dip != 0) bracket(event, dip, f_dip, sample_t_[i + 1], sampled(event, i + 1), y_at);
}

const std::vector<EventFinder::Found>& EventFinder::search(double t0, double t1,
                                                           const Evaluate& y_at) {
  found_.clear();
  sample(t0, t1, y_at);
  for (int e = 0; e < static_cast<int>(last_.size()); ++e)
    is_indicator(e) ? search_indicator(e, y_at) : search_one(e, y_at);
  const bool forward = t1 > t0;
  std::stable_sort(found_.begin(), found_.end(), [forward](const Found& a, const Found& b) {
    return forward ? a.t < b.t : a.t > b.t;
  });
  return found_;
}

double EventFinder::sampled(int event, int i) const {
  return sample_[static_cast<std::size_t>(i) * last_.size() + static_cast<std::size_t>(event)];
}

void EventFinder::save(std::vector<double>& memory) const {
  memory.insert(memory.end(), last_.begin(), last_.end());
  memory.insert(memory.end(), size_.begin(), size_.end());
}

void EventFinder::restore(SavedState& memory) {
  memory.fill(last_), memory.fill(size_);
}

}  // namespace daedalus
