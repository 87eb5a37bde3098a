model circle_bvp_index3 "Second order equations on the unit circle, index 3, boundary value problem with known solution"
  // x = (cos, sin)(t + sin(t)/2), y = e^-t; the forcing q is made for this solution.
  Real x1(start = cos(1.4*time)), x2(start = sin(1.4*time));
  Real y(start = 1);
  Real th = time + sin(time)/2, w = 1 + cos(time)/2, a = -sin(time)/2 "angle of the solution and its derivatives";
  Real q1 = -a*sin(th) - w^2*cos(th) - (w*cos(th)*cos(th)/2 - 2*cos(th)*exp(-time) - sin(th));
  Real q2 = a*cos(th) - w^2*sin(th) - (sin(cos(th)) - w*sin(th)/3 - 2*sin(th)*exp(-time));
equation
  der(x1, 2) = der(x2)*x1/2 - 2*x1*y - x2 + q1;
  der(x2, 2) = sin(x1) + der(x1)/3 - 2*x2*y + q2;
  x1^2 + x2^2 = 1 "circle";
constraint
  x2(startTime) = 0;
  x2(finalTime) = sin(1 + sin(1)/2);
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end circle_bvp_index3;
