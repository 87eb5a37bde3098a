model vdpol_limit "Van der Pol oscillator, reduced problem, index 1; the solution ends at t = 3/2 - ln 2 = 0.80685"
  Real y(start = 2, fixed = true), z(start = -2/3);
equation
  der(y) = z;
  (1 - y^2)*z - y = 0;
  annotation(experiment(StartTime = 0, StopTime = 0.5, Tolerance = 1e-8));
end vdpol_limit;
