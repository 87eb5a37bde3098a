model tppf_s "Two-phase plug flow (surrogate): reaction along a tube with gas-liquid equilibrium, index 1"
  // Of the same type as the problem of Hairer, Lubich and Roche, not the same problem. The independent variable is the position.
  Real y1(start = 3.5, fixed = true), y2(start = 2, fixed = true), y3(start = 0, fixed = true);
  Real z1(start = 1), z2(start = 2.5);
  Real r = 5*z2*y2;
equation
  der(y1) = -r;
  der(y2) = -r;
  der(y3) = r;
  y1 = z1 + z2 "balance";
  10*z1/(z1 + 1) = 2*z2 "equilibrium";
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end tppf_s;
