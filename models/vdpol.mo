model vdpol "Van der Pol oscillator, stiff: a relaxation oscillation with jumps"
  parameter Real eps = 1e-6;
  Real y(start = 2, fixed = true), z(start = 0, fixed = true);
equation
  der(y) = z;
  eps*der(z) = (1 - y^2)*z - y;
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end vdpol;
