model circuit_index2 "A loop of capacitor and voltage source and a cut of inductor and current source: two ways to index 2"
  parameter Real C = 1e-6, L = 1e-3, R = 100;
  Real v1(start = 0), v2, v3 "node voltages";
  Real iV "current through the voltage source", iL(start = 1e-3) "current through the inductor";
equation
  iV + C*der(v1) + (v1 - v2)/R = 0 "node 1: source, capacitor, resistor";
  (v2 - v1)/R + iL = 0 "node 2: resistor, inductor";
  -iL + 1e-3*cos(1000*time) = 0 "node 3: inductor, current source";
  v1 = sin(1000*time) "voltage source";
  L*der(iL) = v2 - v3 "inductor";
  annotation(experiment(StartTime = 0, StopTime = 0.01, Tolerance = 1e-8));
end circuit_index2;
