// The table of a sweep as CSV or JSON.
#include <filesystem>
#include <ostream>
#include <unordered_map>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "daedalus/output.h"
#include "io/atomic_file.h"
#include "io/csv_text.h"
#include "io/json_text.h"
#include "sweep.h"

namespace daedalus::command {
namespace {

bool is_json(const std::string& path) {
  return std::filesystem::path(path).extension() == ".json";
}

/// Where the variables of a run stand among those of all runs: a parameter may be a size.
class Columns {
 public:
  explicit Columns(const std::vector<SweepRun>& runs) {
    for (const SweepRun& run : runs) {
      if (!run.variables || places_.contains(run.variables.get())) continue;
      std::vector<std::size_t>& place = places_[run.variables.get()];
      for (const std::string& name : *run.variables) {
        const auto [at, fresh] = column_.try_emplace(name, names_.size());
        if (fresh) names_.push_back(name);
        place.push_back(at->second);
      }
    }
  }
  const Names& names() const { return names_; }
  /// Column of each variable of the run.
  const std::vector<std::size_t>& of(const SweepRun& run) const {
    return places_.at(run.variables.get());
  }

 private:
  Names names_;
  std::unordered_map<std::string, std::size_t> column_;
  std::unordered_map<const Names*, std::vector<std::size_t>> places_;
};

class CsvTable {
 public:
  CsvTable(const ParameterSets& sets, const std::vector<SweepRun>& runs, bool every_time,
           std::ostream& stream)
      : sets_(sets), runs_(runs), columns_(runs), every_time_(every_time), stream_(stream) {}

  void write() {
    if (every_time_) stream_ << "run,";
    for (const std::string& name : sets_.names) stream_ << csv_text(name) << ',';
    stream_ << "status,reason,message,t,steps";
    for (const std::string& name : columns_.names()) stream_ << ',' << csv_text(name);
    stream_ << '\n';
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (!runs_[k].finished) continue;
      const std::size_t rows = runs_[k].t.size();
      // A run without output has a row all the same: what became of it.
      for (std::size_t i = every_time_ || rows == 0 ? 0 : rows - 1;
           i < std::max<std::size_t>(rows, 1); ++i)
        write_row(k, i);
    }
  }

 private:
  void write_row(std::size_t k, std::size_t row) {
    const SweepRun& run = runs_[k];
    line_.clear();
    if (every_time_) line_ += fmt::format("{},", k + 1);
    // As the user would write them; the same number all the same.
    for (std::size_t p = 0; p < sets_.names.size(); ++p)
      line_ += fmt::format("{},", sets_.value(k, p));
    line_ += fmt::format("{},{},{},", run.status, run.reason, csv_text(run.message));
    const bool has_values = row < run.t.size();
    if (has_values) append_csv(line_, run.t[row]);
    line_ += fmt::format(",{}", run.steps);
    if (has_values) append_values(run, row);
    if (!has_values) line_.append(columns_.names().size(), ',');
    line_ += '\n';
    stream_ << line_;
  }

  void append_values(const SweepRun& run, std::size_t row) {
    const std::vector<std::size_t>& place = columns_.of(run);
    const double* value = run.values.data() + row * place.size();
    cell_.assign(columns_.names().size(), nullptr);
    for (std::size_t j = 0; j < place.size(); ++j) cell_[place[j]] = value + j;
    for (const double* cell : cell_) {
      line_ += ',';
      if (cell) append_csv(line_, *cell);
    }
  }

  const ParameterSets& sets_;
  const std::vector<SweepRun>& runs_;
  Columns columns_;
  bool every_time_;
  std::ostream& stream_;
  std::string line_;
  std::vector<const double*> cell_;
};

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text);
}

/// A number, or where every time is wanted the column of them.
void append_column(Buffer& out, const std::vector<double>& table, std::size_t first,
                   std::size_t stride, bool every_time) {
  if (!every_time) {
    const std::size_t last = first + (table.size() / stride - 1) * stride;
    return append_json(out, table[last]);
  }
  append(out, "[");
  for (std::size_t i = first; i < table.size(); i += stride) {
    if (i != first) append(out, ", ");
    append_json(out, table[i]);
  }
  append(out, "]");
}

void append_run(Buffer& out, const ParameterSets& sets, const SweepRun& run, std::size_t k,
                bool every_time) {
  append(out, fmt::format("{{\"run\": {}, \"parameters\": {{", k + 1));
  for (std::size_t p = 0; p < sets.names.size(); ++p) {
    append(out, fmt::format("{}{}: ", p ? ", " : "", json_text(sets.names[p])));
    append_json(out, sets.value(k, p));
  }
  append(out, fmt::format("}}, \"status\": {}, \"reason\": {}, \"message\": {}, \"steps\": {}, "
                          "\"t\": ",
                          json_text(run.status), json_text(run.reason), json_text(run.message),
                          run.steps));
  if (run.t.empty()) return append(out, "null, \"values\": null}");
  append_column(out, run.t, 0, 1, every_time);
  append(out, ", \"values\": {");
  for (std::size_t j = 0; j < run.variables->size(); ++j) {
    append(out, fmt::format("{}{}: ", j ? ", " : "", json_text((*run.variables)[j])));
    append_column(out, run.values, j, run.variables->size(), every_time);
  }
  append(out, "}}");
}

void write_json(const ParameterSets& sets, const std::vector<SweepRun>& runs, bool every_time,
                std::ostream& stream) {
  const char* separator = "[\n";
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!runs[k].finished) continue;
    Buffer out;
    append(out, separator);
    append_run(out, sets, runs[k], k, every_time);
    stream.write(out.data(), static_cast<std::streamsize>(out.size()));
    separator = ",\n";
  }
  stream << (*separator == '[' ? "[]\n" : "\n]\n");
}

}  // namespace

void write_sweep(const ParameterSets& sets, const std::vector<SweepRun>& runs, bool every_time,
                 const std::string& path) {
  AtomicFile file(path);
  if (is_json(path))
    write_json(sets, runs, every_time, file.stream());
  else
    CsvTable(sets, runs, every_time, file.stream()).write();
  file.commit();
}

void check_sweep_path(const std::string& path) {
  check_solution_path(path);
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".h5" || ending == ".hdf5")
    throw InvalidInput(fmt::format("--output {}: a sweep is written as .csv or .json", path));
}

}  // namespace daedalus::command
