function bjt "base-emitter diode of the transistor"
  input Real u;
  output Real i;
algorithm
  i := 1e-6*(exp(u/0.026) - 1);
end bjt;

model amplifier1 "One-transistor amplifier (Hairer and Wanner): Kirchhoff's law at five nodes, index 1"
  constant Real pi = 3.14159265358979323846;
  parameter Real Ub = 6, R0 = 1000, R1 = 9000, R2 = 9000, R3 = 9000, R4 = 9000, R5 = 9000;
  parameter Real C1 = 1e-6, C2 = 2e-6, C3 = 3e-6;
  Real U1(start = 0), U2(start = 3, fixed = true), U3(start = 3, fixed = true), U4(start = 6), U5(start = 0, fixed = true) "node voltages";
  Real Ue = 0.4*sin(200*pi*time) "input";
equation
  (Ue - U1)/R0 + C1*(der(U2) - der(U1)) = 0 "node 1";
  Ub/R2 - U2*(1/R1 + 1/R2) + C1*(der(U1) - der(U2)) - 0.01*bjt(U2 - U3) = 0 "node 2";
  bjt(U2 - U3) - U3/R3 - C2*der(U3) = 0 "node 3";
  (Ub - U4)/R4 + C3*(der(U5) - der(U4)) - 0.99*bjt(U2 - U3) = 0 "node 4";
  -U5/R5 + C3*(der(U4) - der(U5)) = 0 "node 5";
  annotation(experiment(StartTime = 0, StopTime = 0.2, Tolerance = 1e-8));
end amplifier1;
