model lotka_volterra "Lotka-Volterra: two species, an ODE with the invariant d x - c log x + b y - a log y"
  parameter Real a = 1.5, b = 1, c = 3, d = 1;
  Real x(start = 1, fixed = true) "prey", y(start = 1, fixed = true) "predators";
  Real invariant = d*x - c*log(x) + b*y - a*log(y);
equation
  der(x) = a*x - b*x*y;
  der(y) = d*x*y - c*y;
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end lotka_volterra;
