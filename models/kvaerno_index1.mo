model kvaerno_index1 "Kvaerno: fully implicit index 1, leading matrix depends on the solution e^-t, sin t, cos t"
  Real y1(start = exp(-0.25), fixed = true), y2(start = sin(0.25), fixed = true), y3(start = cos(0.25));
equation
  der(y1) + y3*der(y2) - (y2 + 1)*der(y3) + y1 - 1 - sin(time) = 0;
  (y3 + 1)*der(y1) + y1*der(y2) + exp(-time) = 0;
  y1*y2*y3 = exp(-time)*sin(2*time)/2;
  annotation(experiment(StartTime = 0.25, StopTime = 1.25, Tolerance = 1e-8));
end kvaerno_index1;
