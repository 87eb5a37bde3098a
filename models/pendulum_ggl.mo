model pendulum_ggl "Planar pendulum with both constraints (Gear-Gupta-Leimkuhler), index 2"
  Real x(start = 1), y(start = 0, fixed = true);
  Real u(start = 0), v(start = 0, fixed = true);
  Real lam "rod force", mu "stabilising multiplier, zero on the solution";
equation
  der(x) = u + 2*x*mu;
  der(y) = v + 2*y*mu;
  der(u) = 2*x*lam;
  der(v) = 2*y*lam - 10;
  2*(x*u + y*v) = 0 "rod velocity";
  x^2 + y^2 = 1 "rod";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end pendulum_ggl;
