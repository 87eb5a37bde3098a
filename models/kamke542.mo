model kamke542 "Kamke I.542: implicit ODE, cubic in the derivative; y = sqrt(t + 2)"
  // The derivative has a name so that its start value can serve as a guess.
  Real y(start = sqrt(2), fixed = true);
  Real yp(start = 0.35);
equation
  der(y) = yp;
  16*y^2*yp^3 + 2*time*yp = y;
  annotation(experiment(StartTime = 0, StopTime = 100, Tolerance = 1e-8));
end kamke542;
