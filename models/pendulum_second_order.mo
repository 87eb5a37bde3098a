model pendulum_second_order "Planar pendulum with second derivatives kept as they are: der(x, 2), index 3"
  parameter Real g = 9.81, L = 1;
  Real x(start = 1), y(start = 0, fixed = true);
  Real lambda "rod tension per unit length and mass";
initial equation
  der(y) = 0;
equation
  der(x, 2) = -x*lambda;
  der(y, 2) = -y*lambda - g;
  x^2 + y^2 = L^2 "rod";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end pendulum_second_order;
