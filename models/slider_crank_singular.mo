model slider_crank_singular "Slider-crank with equal bars: the constraints lose rank whenever both bars are upright, index 3"
  // Ascher and Lin 1995, section 5; bars of 1 m and 1 kg, start with the slider at speed -4.
  constant Real pi = 3.14159265358979323846;
  parameter Real g = 9.81, L = 1, m = 1, J = m*L^2/12;
  Real x1(start = L/2*cos(pi/4)), y1(start = L/2*sin(pi/4)), phi1(start = pi/4, fixed = true) "first bar";
  Real x2(start = 3*L/2*cos(pi/4)), y2(start = L/2*sin(pi/4)), phi2(start = -pi/4) "second bar";
  Real u1(start = -1), v1(start = 1), w1(start = 2*sqrt(2), fixed = true);
  Real u2(start = -3), v2(start = 1), w2(start = -2*sqrt(2));
  Real lam[5] "joint forces";
equation
  der(x1) = u1;
  der(y1) = v1;
  der(phi1) = w1;
  der(x2) = u2;
  der(y2) = v2;
  der(phi2) = w2;
  m*der(u1) = lam[1] - lam[3];
  m*der(v1) = lam[2] - lam[4] - m*g;
  J*der(w1) = L/2*(sin(phi1)*lam[1] - cos(phi1)*lam[2] + sin(phi1)*lam[3] - cos(phi1)*lam[4]);
  m*der(u2) = lam[3];
  m*der(v2) = lam[4] + lam[5] - m*g;
  J*der(w2) = L/2*(sin(phi2)*lam[3] - cos(phi2)*lam[4] + cos(phi2)*lam[5]);
  x1 - L/2*cos(phi1) = 0 "crank pin at the origin, x";
  y1 - L/2*sin(phi1) = 0 "crank pin at the origin, y";
  x2 - L/2*cos(phi2) = x1 + L/2*cos(phi1) "knee, x";
  y2 - L/2*sin(phi2) = y1 + L/2*sin(phi1) "knee, y";
  y2 + L/2*sin(phi2) = 0 "slider";
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8));
end slider_crank_singular;
