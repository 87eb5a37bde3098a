model pendulum_index3 "Planar pendulum, index 3; g is such that the period is exactly 2"
  parameter Real g = 13.750371636040745654980191559621 "(2 K(1/sqrt(2)))^2";
  Real x(start = 1), y(start = 0, fixed = true);
  Real u(start = 0), v(start = 0, fixed = true);
  Real lam "rod force";
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lam*x;
  der(v) = -lam*y - g;
  x^2 + y^2 = 1 "rod";
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end pendulum_index3;
