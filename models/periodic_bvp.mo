model periodic_bvp "Periodic response of a driven oscillator: start and end are tied, boundary value problem"
  constant Real pi = 3.14159265358979323846;
  parameter Real d = 0.1, omega = 1.5;
  Real x(start = 0), v(start = 0);
  Real F "spring and damper";
equation
  der(x) = v;
  der(v) = F + cos(omega*time);
  F = -x - 2*d*v;
constraint
  x(startTime) = x(finalTime);
  v(startTime) = v(finalTime);
  annotation(experiment(StartTime = 0, StopTime = 4.18879020478639098, Tolerance = 1e-8)); // 2 pi/omega
end periodic_bvp;
