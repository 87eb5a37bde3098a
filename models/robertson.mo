model robertson "Robertson kinetics with mass conservation as algebraic equation, index 1, to t = 1e11"
  Real y1(start = 1, fixed = true);
  Real y2(start = 0, fixed = true, nominal = 1e-6) "radical, at most 4e-5";
  Real y3(start = 0);
equation
  der(y1) = -0.04*y1 + 1e4*y2*y3;
  der(y2) = 0.04*y1 - 1e4*y2*y3 - 3e7*y2^2;
  y1 + y2 + y3 = 1 "mass";
  annotation(experiment(StartTime = 0, StopTime = 1e11, Tolerance = 1e-8));
end robertson;
