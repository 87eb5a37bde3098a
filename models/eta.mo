model eta "Linear index 2 problem with time-dependent leading matrix (the eta example), no degrees of freedom"
  parameter Real eta = 0.5 "the implicit Euler method is unstable below -1/2";
  Real y(start = 1), z(start = 1);
equation
  y + eta*time*z = exp(-time);
  der(y) + eta*time*der(z) + (1 + eta)*z = sin(time);
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8));
end eta;
