model crane "Overhead crane: trolley force and winch force that move the load on a given path, index 5"
  parameter Real m = 100 "kg, load", M = 10 "kg, trolley", J = 5 "kg, winch inertia over radius squared", g = 9.81;
  Real x(start = 0), z(start = 4.5) "m, load, z downwards";
  Real s(start = 0) "m, trolley", r(start = 4.5) "m, rope";
  Real T(start = 981, nominal = 1e3) "N, rope tension";
  Real u1(nominal = 100) "N, trolley force", u2(start = 981, nominal = 1e3) "N, winch force";
equation
  m*der(x, 2) = -T*(x - s)/r;
  m*der(z, 2) = m*g - T*z/r;
  M*der(s, 2) = u1 + T*(x - s)/r;
  J*der(r, 2) = T - u2;
  (x - s)^2 + z^2 = r^2 "rope";
  x = 2*sin(time/2) "path";
  z = 5 - cos(time)/2 "path";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6));
end crane;
