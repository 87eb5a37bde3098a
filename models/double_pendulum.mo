model double_pendulum "Double pendulum in Cartesian coordinates, both rods horizontal at rest, index 3"
  parameter Real g = 9.81, m1 = 1, m2 = 1, L1 = 1, L2 = 1;
  Real x1(start = 1), y1(start = 0, fixed = true), x2(start = 2), y2(start = 0, fixed = true) "m";
  Real u1(start = 0), v1(start = 0, fixed = true), u2(start = 0), v2(start = 0, fixed = true) "m/s";
  Real lam1, lam2 "rod forces per length";
equation
  der(x1) = u1;
  der(y1) = v1;
  der(x2) = u2;
  der(y2) = v2;
  m1*der(u1) = -lam1*x1 + lam2*(x2 - x1);
  m1*der(v1) = -lam1*y1 + lam2*(y2 - y1) - m1*g;
  m2*der(u2) = -lam2*(x2 - x1);
  m2*der(v2) = -lam2*(y2 - y1) - m2*g;
  x1^2 + y1^2 = L1^2 "upper rod";
  (x2 - x1)^2 + (y2 - y1)^2 = L2^2 "lower rod";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end double_pendulum;
