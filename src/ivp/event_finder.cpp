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

// What is rounded in the state is so alike all along a hop, which shows though it is lower.
constexpr double part_of_rounding = 0.1;

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
  end_ = size_ = g_ = level_ = applied_ = bounced_ = least_ = within_ = stirs_ = last_;
  came_out_.assign(last_.size(), 0);
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
  return g_[event] - applied_[event];
}

void EventFinder::values(double t, const double* y, std::vector<double>& g) {
  g.resize(last_.size());
  functions_(t, y, g.data());
}

void EventFinder::start(double t, const double* y, const std::vector<AtZero>& happened) {
  functions_(t, y, last_.data());
  const int count = static_cast<int>(last_.size());
  for (int e = 0; e < count; ++e) {
    bounced_[e] = within_[e] = 0;
    // One that has not yet come out of its zero when another happens still has to.
    if ((last_[e] - level_[e]) * level_[e] < 0)
      last_[e] -= level_[e];
    else
      level_[e] = 0;
    // A start on the zero itself, up to rounding, is no crossing.
    if (!is_indicator(e) && std::abs(last_[e]) <= std::max(rounding, rounding * size_[e]))
      last_[e] = 0;
  }
  for (const AtZero& zero : happened) {
    const int e = zero.event;
    const double g = last_[e] + level_[e];
    const double close = std::max(is_indicator(e) ? 0 : rounding, 1e-6 * size_[e]);
    if (std::abs(g) > std::max(close, zero.within)) continue;
    last_[e] = 0, within_[e] = zero.within;
    level_[e] = g * zero.side < 0 ? g : 0.0;
    if (zero.bounces) bounced_[e] = zero.side, least_[e] = part_of_rounding * zero.rounding;
  }
  applied_ = level_;
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
    apply_level(e);
    // Signs are followed from sample to sample, across mesh points too: one that is zero exactly
    // on a mesh point, or differs from the state there by rounding, happens once.
    end_[e] = sample_[samples * count + e];
  }
  survey();
}

/// Sizes, and which functions are not worth a closer look, for all of them at once.
void EventFinder::survey() {
  const std::size_t count = last_.size();
  const double *first = sample_.data(), *row = first;
  for (std::size_t e = 0; e < count; ++e) size_[e] = std::abs(first[e]), stirs_[e] = 0;
  for (int i = 1; i <= samples; ++i) {
    const double* before = row;
    row += count;
    const double* after = i < samples ? row + count : before;
    for (std::size_t e = 0; e < count; ++e) {
      const double here = std::abs(row[e]);
      const bool turns = here <= std::abs(before[e]) && here <= std::abs(after[e]);
      size_[e] = std::max(size_[e], here);
      stirs_[e] = !(row[e] * first[e] > 0) || (turns && i < samples) ? 1.0 : stirs_[e];
    }
  }
}

/// Counts the samples from the level where there is one, until the function has come out on the
/// right side of its zero; if it falls below its level first that is where it happens.
void EventFinder::apply_level(std::size_t event) {
  const double level = level_[event];
  applied_[event] = level;
  came_out_[event] = 0;
  if (level == 0) return;
  const std::size_t count = last_.size();
  std::size_t out = 1;
  bool back = false;
  for (; out <= samples; ++out) {
    const double g = sample_[out * count + event];
    if (g * level < 0) break;
    back = back || std::abs(g) > std::abs(level) + least_[event];
  }
  if (out <= samples && !back)
    applied_[event] = 0, came_out_[event] = static_cast<int>(out);
  else
    out = samples + 1;
  for (std::size_t i = 1; i < out; ++i) sample_[i * count + event] -= level;
}

void EventFinder::advance() {
  last_ = end_, level_ = applied_;
  std::fill(within_.begin(), within_.end(), 0.0);
  for (int e = 0; e < static_cast<int>(last_.size()); ++e)
    if (bounced_[e] * last_[e] > least_[e] / part_of_rounding) bounced_[e] = 0;
}

/// It has been on the side to which it bounced, up to sample i and by more than rounding.
bool EventFinder::has_left(int event, int i) const {
  for (int k = 0; k <= i; ++k)
    if (bounced_[event] * sampled(event, k) > least_[event]) return true;
  return false;
}

/// After a bounce the function was on its right side for a while before sample i, however short.
bool EventFinder::search_hop(int event, int i, const Evaluate& y_at) {
  constexpr int most_halvings = 40;
  const double t0 = sample_t_[0], side = bounced_[event];
  double width = sample_t_[i] - t0;
  for (int k = 0; k < most_halvings && t0 + 0.5 * width != t0; ++k) {
    width *= 0.5;
    const double f = at(event, t0 + width, y_at);
    if (!(side * f > least_[event])) continue;
    bracket(event, t0 + width, f, sample_t_[i], sampled(event, i), y_at);
    return true;
  }
  return false;
}

void EventFinder::search_one(int event, const Evaluate& y_at) {
  const auto g = [&](int i) { return sampled(event, i); };
  int first = 0;
  while (first < samples && g(first) == 0) ++first;  // not yet left the zero of the start
  if (has_to_leave(event)) {
    const double side = bounced_[event], least = least_[event];
    const auto is_back = [&](int i) { return side * g(i) < -least / part_of_rounding; };
    while (first < samples && !(side * g(first) > least) && !is_back(first)) ++first;
    if (is_back(first) && matches(event, side, g(first)) && !search_hop(event, first, y_at))
      found_.push_back({sample_t_[0], event});
  }
  for (int i = first; i < samples; ++i) {
    const double fa = g(i), fb = g(i + 1);
    if (fa != 0 && (fb == 0 || (fa > 0) != (fb > 0))) {
      bracket(event, sample_t_[i], fa, sample_t_[i + 1], fb, y_at);
      continue;
    }
    if (i > first && dips(event, i)) look_for_dip(event, i, y_at);
  }
}

/// It just happened, and up to the sample at which it is on its right side is off by no more than
/// counted as zero: where the polynomial of the step begins is less exact than where it ends.
bool EventFinder::comes_out(int event, int i) const {
  if (has_to_leave(event)) return false;
  while (i < samples && sampled(event, i) <= 0 && sampled(event, i) >= -within_[event]) ++i;
  return sampled(event, i) > within_[event];
}

void EventFinder::search_indicator(int event, const Evaluate& y_at) {
  int right = sampled(event, 0) >= 0 ? 0 : -1;  // last sample known to be on the right side
  for (int i = 0; i <= samples; ++i) {
    const double g = sampled(event, i);
    if (g > 0) right = i;
    if (!(g < -slack(event))) continue;
    const bool never_right = right < 0 || sampled(event, right) <= 0;
    if (never_right && comes_out(event, i)) continue;
    const bool stays = has_to_leave(event) && !has_left(event, i);
    if (stays && search_hop(event, i, y_at)) return;
    if (stays || never_right)
      found_.push_back({sample_t_[0], event});
    else
      bracket(event, sample_t_[right], sampled(event, right), sample_t_[i], g, y_at);
    return;
  }
  // Counted from its zero after it was counted from a level it has not come back.
  for (int i = 1 + came_out_[event]; i < samples; ++i)
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

/// Minimises towards zero between the samples i - 1 and i + 1 until the other side is seen, or it
/// is plain that it will not be: a convex function is nowhere deeper below the inner points than
/// the golden ratio times what the ends are above them, and one with a cusp like a root is not.
void EventFinder::look_for_dip(int event, int i, const Evaluate& y_at) {
  double a = sample_t_[i - 1], b = sample_t_[i + 1];
  const double golden = 0.3819660112501051, sign = sampled(event, i) > 0 ? 1 : -1;
  double x = a + golden * (b - a), w = b - golden * (b - a);
  double fx = sign * at(event, x, y_at), fw = sign * at(event, w, y_at);
  const double seen = is_indicator(event) ? -slack(event) : 0;
  constexpr double deepest = 4;
  double fa = sign * sampled(event, i - 1), fb = sign * sampled(event, i + 1);
  for (int k = 0; k < 60 && fx > seen && fw > seen; ++k) {
    const double least = std::min(fx, fw);
    if (least > deepest * (std::max(fa, fb) - least)) return;
    if (fx < fw)
      b = w, fb = fw, w = x, fw = fx, x = a + golden * (b - a), fx = sign * at(event, x, y_at);
    else
      a = x, fa = fx, x = w, fx = fw, w = b - golden * (b - a), fw = sign * at(event, w, y_at);
  }
  if (fx > seen && fw > seen) return;
  const double dip = fx <= seen ? x : w, f_dip = sign * (fx <= seen ? fx : fw);
  bracket(event, sample_t_[i - 1], sampled(event, i - 1), dip, f_dip, y_at);
  if (f_dip != 0) bracket(event, dip, f_dip, sample_t_[i + 1], sampled(event, i + 1), y_at);
}

const std::vector<EventFinder::Found>& EventFinder::search(double t0, double t1,
                                                           const Evaluate& y_at) {
  found_.clear();
  sample(t0, t1, y_at);
  for (int e = 0; e < static_cast<int>(last_.size()); ++e) {
    // One that was zero or negative and is none the more has happened already.
    const bool is_over = is_indicator(e) && !(last_[e] > 0);
    if (stirs_[e] == 0 && !is_over && !has_to_leave(e)) continue;
    is_indicator(e) ? search_indicator(e, y_at) : search_one(e, y_at);
  }
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
  memory.insert(memory.end(), level_.begin(), level_.end());
  memory.insert(memory.end(), bounced_.begin(), bounced_.end());
  memory.insert(memory.end(), least_.begin(), least_.end());
  memory.insert(memory.end(), within_.begin(), within_.end());
}

void EventFinder::restore(SavedState& memory) {
  memory.fill(last_), memory.fill(size_), memory.fill(level_), memory.fill(bounced_);
  memory.fill(least_), memory.fill(within_);
  applied_ = level_;
}

}  // namespace daedalus
