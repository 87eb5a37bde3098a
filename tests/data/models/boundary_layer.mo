// Ascher's index 2 boundary value problem, and some multipoint conditions.
model BoundaryLayer
  parameter Real nu = 50;
  Real x1(start = exp(-time)), x2(start = 1), y;
  Real z[2];
equation
  der(x1) = (nu - 1/(2 - time))*x1 + (2 - time)*nu*y + (3 - time)/(2 - time)*exp(time);
  der(x2) = (1 - nu)/(time - 2)*x1 - x2 + (nu - 1)*y + 2*exp(time);
  0 = (time + 2)*x1 + (time^2 - 4)*x2 - (time^2 + time - 2)*exp(time) "constraint of index 2";
  der(z, 2) = -z;
constraint
  x1(startTime) = 1;
  x1(finalTime) + x2(startTime) = exp(-1);
  z[1](0.5) = 1;
  der(z)(finalTime) = {0, 0};
end BoundaryLayer;
