function bjt "base-emitter diode of the transistor"
  input Real u;
  output Real i;
algorithm
  i := 1e-6*(exp(u/0.026) - 1);
end bjt;

model transamp "Two-transistor amplifier: nodal equations with a singular, non-diagonal mass matrix, index 1"
  // CWI/Bari test set, problem transamp. Only differences of node voltages are differential variables.
  constant Real pi = 3.14159265358979323846;
  parameter Real Ub = 6 "operating voltage";
  parameter Real alpha = 0.99;
  parameter Real R0 = 1000, R1 = 9000, R2 = 9000, R3 = 9000, R4 = 9000, R5 = 9000, R6 = 9000, R7 = 9000, R8 = 9000, R9 = 9000;
  parameter Real C1 = 1e-6, C2 = 2e-6, C3 = 3e-6, C4 = 4e-6, C5 = 5e-6;
  Real y1(start = 0), y2(start = 3, fixed = true), y3(start = 3, fixed = true), y4(start = 6), y5(start = 3, fixed = true),
       y6(start = 3, fixed = true), y7(start = 6), y8(start = 0, fixed = true) "node voltages";
  Real Ue = 0.1*sin(200*pi*time) "input";
  Real i1 = bjt(y2 - y3), i2 = bjt(y5 - y6) "emitter currents";
equation
  C1*(der(y2) - der(y1)) = (y1 - Ue)/R0 "node 1";
  C1*(der(y1) - der(y2)) = y2/R1 + (y2 - Ub)/R2 + (1 - alpha)*i1 "node 2";
  -C2*der(y3) = y3/R3 - i1 "node 3";
  C3*(der(y5) - der(y4)) = (y4 - Ub)/R4 + alpha*i1 "node 4";
  C3*(der(y4) - der(y5)) = y5/R5 + (y5 - Ub)/R6 + (1 - alpha)*i2 "node 5";
  -C4*der(y6) = y6/R7 - i2 "node 6";
  C5*(der(y8) - der(y7)) = (y7 - Ub)/R8 + alpha*i2 "node 7";
  C5*(der(y7) - der(y8)) = y8/R9 "node 8";
  annotation(experiment(StartTime = 0, StopTime = 0.2, Tolerance = 1e-8));
end transamp;
