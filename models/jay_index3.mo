model jay_index3 "Jay's nonlinear index 3 problem; solution e^2t, e^-t, e^2t, e^-t, e^t"
  Real y1(start = 1, fixed = true), y2(start = 1), z1(start = 1, fixed = true), z2(start = 1);
  Real u(start = 1);
equation
  der(y1) = 2*y1*y2*z1*z2;
  der(y2) = -y1*y2*z2^2;
  der(z1) = (y1*y2 + z1*z2)*u;
  der(z2) = -y1*y2^2*z2^2*u;
  y1*y2^2 = 1;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end jay_index3;
