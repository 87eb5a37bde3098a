model e5 "E5 of the stiff test set: concentrations down to 1e-22 over 1e11 units of time"
  // W.H. Enright, T.E. Hull, B. Lindberg: Comparing numerical methods for stiff systems of ODEs, BIT 15 (1975) 10-48. Where y3 is
  // less than nothing the first reaction makes y1 grow.
  Real y1(start = 1.76e-3, fixed = true, min = 0, nominal = 1e-3);
  Real y2(start = 0, fixed = true, min = 0, nominal = 1e-10), y3(start = 0, fixed = true, min = 0, nominal = 1e-10), y4(start = 0, fixed = true, min = 0, nominal = 1e-10);
  parameter Real A = 7.89e-10, B = 1.1e7, C = 1.13e3, M = 1e6;
equation
  der(y1) = -A*y1 - B*y1*y3;
  der(y2) = A*y1 - M*C*y2*y3;
  der(y3) = A*y1 - B*y1*y3 - M*C*y2*y3 + C*y4;
  der(y4) = B*y1*y3 - C*y4;
  annotation(experiment(StartTime = 0, StopTime = 1e11, Tolerance = 1e-6));
end e5;
