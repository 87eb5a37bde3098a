function diode "exponential diode with leakage, continued linearly above 0.9 V so that no guess overflows"
  input Real u;
  output Real i;
algorithm
  i := 1e-6*u + (if u < 0.9 then 1e-9*(exp(u/0.05) - 1) else 1e-9*(exp(18)*(1 + (u - 0.9)/0.05) - 1));
end diode;

model diode_bridge "Bridge rectifier with smoothing capacitor: nodal equations, four diodes, index 1"
  constant Real pi = 3.14159265358979323846;
  parameter Real Rs = 1 "source", Rl = 1000 "load", C = 1e-4 "F";
  Real vp(start = 0, fixed = true) "output";
  Real va(start = 0), vb(start = 0) "ends of the source";
  Real i(start = 0) "current of the source";
  Real Vs = 10*sin(100*pi*time);
equation
  va - vb = Vs - Rs*i "source";
  i = diode(va - vp) - diode(-va) "node a";
  -i = diode(vb - vp) - diode(-vb) "node b";
  C*der(vp) = diode(va - vp) + diode(vb - vp) - vp/Rl "output node";
  annotation(experiment(StartTime = 0, StopTime = 0.05, Tolerance = 1e-7));
end diode_bridge;
