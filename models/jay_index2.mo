model jay_index2 "Jay's problem: index 2 with the algebraic variable entering nonlinearly; solution e^t, e^-2t, e^2t"
  Real y1(start = 1, fixed = true), y2(start = 1);
  Real z(start = 1);
equation
  der(y1) = y1*y2^2*z^2;
  der(y2) = y1^2*y2^2 - 3*y2^2*z;
  y1^2*y2 = 1;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end jay_index2;
