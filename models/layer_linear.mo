model layer_linear "Boundary layer of width sqrt(eps): a test of mesh adaptation, boundary value DAE, index 1"
  parameter Real eps = 1e-4;
  Real z(start = 1 - time), p(start = -1), w(start = 1 - time);
equation
  der(z) = p;
  eps*der(p) = w;
  w = z;
constraint
  z(startTime) = 1;
  z(finalTime) = 0;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end layer_linear;
