model vdpol_lienard "Van der Pol oscillator in Lienard coordinates, a singular perturbation problem"
  parameter Real eps = 1e-5 "0 gives the reduced problem, index 1";
  Real y(start = 2/3, fixed = true), z(start = 2, fixed = true);
equation
  der(y) = -z;
  eps*der(z) = y - (z^3/3 - z);
  annotation(experiment(StartTime = 0, StopTime = 0.5, Tolerance = 1e-8));
end vdpol_lienard;
