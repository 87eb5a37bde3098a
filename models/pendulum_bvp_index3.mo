model pendulum_bvp_index3 "Pendulum thrown so that it is at x = 0.2 after half a second: boundary value problem, index 3"
  parameter Real g = 9.81;
  // the guess is an arc at constant speed
  Real x(start = cos(2.74*time)), y(start = -sin(2.74*time));
  Real u(start = -2.74*sin(2.74*time)), v(start = -2.74*cos(2.74*time));
  Real lam(start = 8);
equation
  der(x) = u;
  der(y) = v;
  der(u) = -lam*x;
  der(v) = -lam*y - g;
  x^2 + y^2 = 1 "rod";
constraint
  y(startTime) = 0;
  x(finalTime) = 0.2;
  annotation(experiment(StartTime = 0, StopTime = 0.5, Tolerance = 1e-8));
end pendulum_bvp_index3;
