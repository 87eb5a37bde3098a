model layer "Nonlinear problem eps u'' = u u' - u with layers at both ends, boundary value DAE, index 1"
  parameter Real eps = 0.01;
  Real u(start = -1/3 + 2/3*time), v(start = 2/3), w(start = 0);
equation
  der(u) = v;
  der(v) = w/eps;
  w = u*v - u;
constraint
  u(startTime) = -1/3;
  u(finalTime) = 1/3;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end layer;
