model arevalo_index3 "Particle on a circular track with rising speed (Arevalo), index 3; x = sin t^2, lam = -4 t^2"
  Real x(start = sin(1), fixed = true), y(start = cos(1));
  Real u(start = 2*cos(1), fixed = true), v(start = -2*sin(1));
  Real lam(start = -4);
equation
  der(x) = u;
  der(y) = v;
  der(u) = 2*y + x*lam;
  der(v) = -2*x + y*lam;
  x^2 + y^2 = 1 "track";
  annotation(experiment(StartTime = 1, StopTime = 5, Tolerance = 1e-8));
end arevalo_index3;
