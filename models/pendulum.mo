model pendulum "Planar pendulum in Cartesian coordinates, index 3"
  parameter Real m = 1 "mass";
  parameter Real g = 9.81;
  parameter Real L = 1;
  Real x(start = 1), y(start = 0, fixed = true);
  Real u(start = 0), v(start = 0, fixed = true);
  Real lambda "rod tension, per unit length";
equation
  der(x) = u;
  der(y) = v;
  m*der(u) = -x*lambda;
  m*der(v) = -y*lambda - m*g;
  x^2 + y^2 = L^2 "rod";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end pendulum;
