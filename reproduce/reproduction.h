#pragma once
// What `daedalus reproduce` can recompute: one entry per published table or figure.
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace daedalus::reproduce {

struct ReproduceOptions {
  bool csv = false;              ///< rows instead of a text for people
  std::string output_path = {};  ///< where a figure is written (SVG); empty: nowhere
};

struct ReproduceSummary {
  int entries = 0;
  int agree = 0;
  int known_misprints = 0;
};

struct Reproduction {
  std::string name = {};
  std::string title = {};
  std::function<ReproduceSummary(const ReproduceOptions&, std::ostream&)> run = {};
  bool has_figure = false;
};

/// In the order in which lists show them.
const std::vector<Reproduction>& reproductions();

// One function per entry.
ReproduceSummary reproduce_rk_orders(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_family_orders(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_amplifier(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_van_der_pol(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_eta(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_singular(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_perturbation_index(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_regularisation_orders(const ReproduceOptions& options,
                                                 std::ostream& out);
ReproduceSummary reproduce_table_5_1(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_5_2(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_5_3(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_5_4(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_5_5(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_5_6(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_5_7(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_6_1(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_6_2(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_6_3(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_6_4(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_table_6_5(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_figure_6_1(const ReproduceOptions& options, std::ostream& out);
ReproduceSummary reproduce_figure_6_2(const ReproduceOptions& options, std::ostream& out);
/// Table 4.`number` of Ascher and Petzold (1992).
ReproduceSummary reproduce_collocation(int number, const ReproduceOptions& options,
                                       std::ostream& out);

}  // namespace daedalus::reproduce
