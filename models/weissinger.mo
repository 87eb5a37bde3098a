model weissinger "Weissinger: implicit ODE, cubic in the derivative; y = sqrt(t^2 + 1/2)"
  Real y(start = 1, fixed = true);
equation
  time*y^2*der(y)^3 - y^3*der(y)^2 + time*(time^2 + 1)*der(y) - time^2*y = 0;
  annotation(experiment(StartTime = 0.70710678118654752, StopTime = 10, Tolerance = 1e-8));
end weissinger;
