model rlc "Series RLC circuit by modified nodal analysis, index 1"
  parameter Real R = 10, L = 1e-2, C = 1e-5 "Ohm, H, F";
  parameter Real V0 = 5, omega = 2000 "V, rad/s";
  Real v1, v2, v3(start = 0, fixed = true) "node voltages";
  Real iL(start = 0, fixed = true), iV "currents through inductor and source";
equation
  iV + (v1 - v2)/R = 0 "node 1";
  (v2 - v1)/R + iL = 0 "node 2";
  C*der(v3) = iL "node 3";
  v1 = V0*sin(omega*time) "source";
  L*der(iL) = v2 - v3 "inductor";
  annotation(experiment(StartTime = 0, StopTime = 0.01, Tolerance = 1e-8));
end rlc;
