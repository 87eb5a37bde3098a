// pendulum_report FOLDER writes the reports that run.sh opens in a browser (a pendulum solved, the
// same run stopped early, one thinned, hostile names) and the files that read_hdf5.py compares.
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "daedalus/daedalus.h"
#include "daedalus/output.h"
#include "daedalus/report.h"

using namespace daedalus;

namespace {

Problem pendulum() {
  Problem problem;
  problem.form = Mechanical{
      .coordinates = 2,
      .holonomic = 1,
      .force =
          [](auto, auto, auto, auto out) {
            out[0] = 0.0;
            out[1] = -9.81;
          },
      .constraint = [](auto, auto q, auto out) { out[0] = q[0] * q[0] + q[1] * q[1] - 1.0; },
  };
  problem.t_span = {0, 10};
  problem.start = {1, 0.05, 0, 0};
  problem.variables = {"x", "y", "u", "v", "lambda"};
  return problem;
}

ReportContent content() {
  ReportContent content;
  content.title = "Pendulum";
  content.description =
      "A point mass on a rod of length L, in Cartesian coordinates. The rod's force is the "
      "multiplier of the constraint: index 3.";
  content.equations = {{"motion, horizontal", "der(x) = u"},
                       {"motion, vertical", "der(y) = v"},
                       {"force, horizontal", "m*der(u) = -2*x*lambda/L"},
                       {"force, vertical", "m*der(v) = -2*y*lambda/L - m*g_0"},
                       {"rod", "x^2 + y^2 = L^2"},
                       {"energy", "E = 1/2*m*(u^2 + v^2) + m*g_0*y"}};
  content.hidden_constraints = {{"velocity", "x*u + y*v = 0"},
                                {"acceleration", "u^2 + v^2 + x*der(u) + y*der(v) = 0"}};
  content.parameters = {{"L", "1 m"}, {"m", "1 kg"}, {"g_0", "9.81 m/s²"}};
  content.settings = {
      {"rtol", "1e-8"}, {"atol", "1e-8"}, {"t", "0 to 10"}, {"output", "all steps"}};
  content.variables = {{"x", "horizontal position [m]"}, {"lambda", "force of the rod [N]"}};
  content.command = "daedalus solve pendulum.mo --rtol 1e-8 --atol 1e-8 --report pendulum.html";
  return content;
}

Options options() {
  Options options;
  options.method = "radau";  // three levels of residuals
  options.rtol = 1e-8;
  options.events = {{"lowest point", [](double, Input y) { return y[0]; }}};
  return options;
}

Solution many_curves() {
  Solution solution;
  const int curves = 120, rows = 20'000;
  for (int k = 0; k < curves; ++k) solution.variables.push_back("u[" + std::to_string(k + 1) + "]");
  for (int i = 0; i < rows; ++i) {
    const double t = 10.0 * i / (rows - 1);
    solution.t.push_back(t);
    for (int k = 0; k < curves; ++k)
      solution.values.push_back(std::sin((1 + 0.02 * k) * t) + (i == 7777 ? 3 : 0));
  }
  return solution;
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  const auto write = [&](const char* name, const Solution& solution, const ReportContent& about) {
    write_text(html_report(solution, about), (folder / name).string());
  };
  Solution solution = solve(pendulum(), options());
  write("pendulum.html", solution, content());
  for (const char* name : {"pendulum.csv", "pendulum.h5"})
    write_solution(solution, (folder / name).string(), content().settings);

  Options few = options();
  few.max_steps = 60;
  const Solution cut = solve(pendulum(), few);
  write("failed.html", cut, content());
  std::printf("%s %d %zu %.17g\n", name_of(solution.status), solution.rows(), solution.steps.size(),
              cut.t.back());

  ReportContent many;
  many.title = "120 curves";
  write("many.html", many_curves(), many);

  ReportContent hostile;
  hostile.title = "</title><script>throw 1</script>";
  hostile.description = "<img src=x onerror=alert(1)>";
  hostile.equations = {{"</script>", "der(x) = </script>"}};
  hostile.command = "echo '</pre><script>throw 2</script>'";
  solution.variables = {"</script><script>throw 3</script>", "b\"q", "c,d", "<!--", "x\\y"};
  solution.singularities = {{5.0, 1e-9, "regularised </script>"}};
  write("hostile.html", solution, hostile);
}
