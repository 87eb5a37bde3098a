model troesch "Troesch problem as a boundary value DAE, index 1: a boundary layer with slope 148 at the right end"
  parameter Real mu = 10;
  Real u(start = time), v(start = 1), w(start = 0);
equation
  der(u) = v;
  der(v) = w;
  w = mu*sinh(mu*u);
constraint
  u(startTime) = 0;
  u(finalTime) = 1;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end troesch;
