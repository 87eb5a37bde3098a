model bratu "Bratu problem as a boundary value DAE, index 1; the guess zero leads to the lower of two solutions"
  parameter Real lambda = 1 "two solutions below 3.5138, none above";
  Real u(start = 0), v(start = 0), w(start = 1);
equation
  der(u) = v;
  der(v) = -w;
  w = lambda*exp(u);
constraint
  u(startTime) = 0;
  u(finalTime) = 0;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end bratu;
