model coldae_bvp "Semi-explicit index 2 boundary value problem of Ascher and Spiteri with a product constraint"
  // A second branch (y = e^t, index 1) solves the same equations; the guess decides.
  parameter Real ks = 1 "1e-4 is nearly of higher index";
  Real x1(start = sin(time)), x2(start = sin(time)), x3(start = 1) "sin t, sin t, 1";
  Real y(start = 0);
equation
  der(x1) = (ks + x2 - sin(time))*y + cos(time);
  der(x2) = cos(time);
  der(x3) = y;
  (x1 - sin(time))*(y - exp(time)) = 0;
constraint
  x1(startTime) = 0;
  x3(startTime) = 1;
  x2(finalTime) = sin(1);
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end coldae_bvp;
