model skate "Skate on an inclined plane: a non-holonomic constraint, index 2"
  constant Real pi = 3.14159265358979323846;
  parameter Real g = 9.81, slope = pi/6, omega = 2 "rad/s, rate of turn";
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), phi(start = 0, fixed = true) "x points downhill";
  Real u(start = 0, fixed = true), v(start = 0);
  Real lam "side force per mass";
equation
  der(x) = u;
  der(y) = v;
  der(phi) = omega;
  der(u) = g*sin(slope) + lam*sin(phi);
  der(v) = -lam*cos(phi);
  u*sin(phi) - v*cos(phi) = 0 "no side slip";
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8));
end skate;
