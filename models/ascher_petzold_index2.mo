model ascher_petzold_index2 "Ascher-Petzold: linear index 2, unstable for methods without projection when a is large"
  parameter Real a = 10;
  Real x1(start = 1, fixed = true), x2(start = 1) "both e^t";
  Real z(start = -0.5) "-e^t/(2-t)";
equation
  der(x1) = (a - 1/(2 - time))*x1 + (2 - time)*a*z + (3 - time)/(2 - time)*exp(time);
  der(x2) = (1 - a)/(time - 2)*x1 - x2 + (a - 1)*z + 2*exp(time);
  (time + 2)*x1 + (time^2 - 4)*x2 = (time^2 + time - 2)*exp(time);
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end ascher_petzold_index2;
