model brenan_index1 "Brenan: time-dependent leading matrix, derivative of an algebraic variable; y1 = e^-t + t sin t"
  Real y1(start = 1, fixed = true), y2(start = 0);
equation
  der(y1) - time*der(y2) + y1 - (1 + time)*y2 = 0;
  y2 = sin(time);
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end brenan_index1;
