model four_bar "Four-bar linkage (crank and rocker) in natural coordinates, index 3"
  parameter Real g = 9.81, m1 = 1, m2 = 1 "point masses in the two moving joints";
  parameter Real a = 1 "crank", b = 3.5 "coupler", c = 3 "rocker", d = 4 "frame";
  Real x1(start = 0, fixed = true), y1(start = 1) "joint of crank and coupler";
  Real x2(start = 2.9), y2(start = 2.8) "joint of coupler and rocker";
  Real u1(start = -8, fixed = true), v1(start = 0), u2(start = 0), v2(start = 0);
  Real lam1, lam2, lam3 "bar forces per length";
equation
  der(x1) = u1;
  der(y1) = v1;
  der(x2) = u2;
  der(y2) = v2;
  m1*der(u1) = -lam1*x1 + lam2*(x2 - x1);
  m1*der(v1) = -lam1*y1 + lam2*(y2 - y1) - m1*g;
  m2*der(u2) = -lam2*(x2 - x1) - lam3*(x2 - d);
  m2*der(v2) = -lam2*(y2 - y1) - lam3*y2 - m2*g;
  x1^2 + y1^2 = a^2 "crank";
  (x2 - x1)^2 + (y2 - y1)^2 = b^2 "coupler";
  (x2 - d)^2 + y2^2 = c^2 "rocker";
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end four_bar;
