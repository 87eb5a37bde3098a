model caraxis "Car axis over a bumpy road: two point masses, two time-dependent constraints, index 3"
  // CWI/Bari test set, problem caraxis
  parameter Real m = 10, eps = 1e-2, L = 1, L0 = 0.5, r = 0.1, w = 10, g = 1;
  parameter Real K = m*eps^2/2;
  Real xl(start = 0), yl(start = 0.5, fixed = true), xr(start = 1), yr(start = 0.5, fixed = true) "wheel suspension points";
  Real ul(start = -0.5), vl(start = 0, fixed = true), ur(start = -0.5), vr(start = 0, fixed = true) "their velocities";
  Real lam1, lam2 "multipliers";
  Real yb = r*sin(w*time) "road under the right wheel";
  Real xb = sqrt(L^2 - yb^2);
  Real Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2) "spring lengths";
equation
  der(xl) = ul;
  der(yl) = vl;
  der(xr) = ur;
  der(yr) = vr;
  K*der(ul) = (L0 - Ll)*xl/Ll + lam1*xb + 2*lam2*(xl - xr);
  K*der(vl) = (L0 - Ll)*yl/Ll + lam1*yb + 2*lam2*(yl - yr) - K*g;
  K*der(ur) = (L0 - Lr)*(xr - xb)/Lr - 2*lam2*(xl - xr);
  K*der(vr) = (L0 - Lr)*(yr - yb)/Lr - 2*lam2*(yl - yr) - K*g;
  xl*xb + yl*yb = 0 "left spring stands on the axis";
  (xl - xr)^2 + (yl - yr)^2 = L^2 "axis length";
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-8));
end caraxis;
