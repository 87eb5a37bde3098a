model stiff_spring_pendulum "Pendulum with a very stiff spring as rod: a highly oscillatory ODE close to an index 3 problem"
  parameter Real eps = 1e-2 "the spring constant is 1/eps^2";
  Real p(start = 1, fixed = true), q(start = 0, fixed = true), u(start = 0, fixed = true), v(start = 0, fixed = true);
  Real r = sqrt(p^2 + q^2);
  Real lambda = (r - 1)/(eps^2*r) "spring force over length";
equation
  der(p) = u;
  der(q) = v;
  der(u) = -p*lambda;
  der(v) = -q*lambda - 1;
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end stiff_spring_pendulum;
