model arevalo_index2 "Particle on a circular track with rising speed (Arevalo), index 2; x = sin t^2, lam = -4 t^2"
  Real x(start = sin(1), fixed = true), y(start = cos(1), fixed = true);
  Real u(start = 2*cos(1), fixed = true), v(start = -2*sin(1));
  Real lam(start = -4);
equation
  der(x) = u;
  der(y) = v;
  der(u) = 2*y + x*lam;
  der(v) = -2*x + y*lam;
  x*u + y*v = 0 "track";
  annotation(experiment(StartTime = 1, StopTime = 5, Tolerance = 1e-8));
end arevalo_index2;
