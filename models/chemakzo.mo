model chemakzo "Chemical Akzo Nobel: stiff kinetics with an equilibrium, index 1"
  // CWI/Bari test set for IVP solvers, problem chemakzo
  parameter Real k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42 "rate constants";
  parameter Real K = 34.4 "equilibrium constant of reaction 2";
  parameter Real klA = 3.3 "mass transfer coefficient of CO2";
  parameter Real Ks = 115.83 "equilibrium constant of the salt FLB.ZHU";
  parameter Real pCO2 = 0.9 "partial pressure of CO2";
  parameter Real H = 737 "Henry constant";
  Real y1(start = 0.444, fixed = true) "FLB";
  Real y2(start = 0.00123, fixed = true, min = 0, nominal = 1e-3) "CO2";
  Real y3(start = 0, fixed = true) "FLBT";
  Real y4(start = 0.007, fixed = true, nominal = 1e-3) "ZHU";
  Real y5(start = 0, fixed = true) "ZLA";
  Real y6(start = 0.36) "FLB.ZHU";
  Real r1 = k1*y1^4*sqrt(y2), r2 = k2*y3*y4, r3 = k2/K*y1*y5, r4 = k3*y1*y4^2, r5 = k4*y6^2*sqrt(y2) "reaction rates";
  Real Fin = klA*(pCO2/H - y2) "inflow of CO2";
equation
  der(y1) = -2*r1 + r2 - r3 - r4;
  der(y2) = -r1/2 - r4 - r5/2 + Fin;
  der(y3) = r1 - r2 + r3;
  der(y4) = -r2 + r3 - 2*r4;
  der(y5) = r2 - r3 + r5;
  Ks*y1*y4 = y6 "salt equilibrium";
  annotation(experiment(StartTime = 0, StopTime = 180, Tolerance = 1e-8));
end chemakzo;
