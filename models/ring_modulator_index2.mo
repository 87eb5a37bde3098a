function diode
  input Real u;
  output Real i;
algorithm
  i := 40.67286402e-9*(exp(17.7493332*u) - 1);
end diode;

model ring_modulator_index2 "Ring modulator without parasitic capacities (Cs = 0), index 2"
  // Horneber's ring modulator
  constant Real pi = 3.14159265358979323846;
  parameter Real C = 1.6e-8, Cp = 1e-8, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4, Ls3 = 5e-4;
  parameter Real R = 25000, Rp = 50, Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50, Rc = 600;
  Real y1(start = 0, fixed = true), y2(start = 0, fixed = true), y3(start = 0), y4(start = 0), y5(start = 0), y6(start = 0), y7(start = 0, fixed = true) "voltages";
  Real y8(start = 0, fixed = true, nominal = 1e-6), y9(start = 0, fixed = true, nominal = 1e-6), y10(start = 0, fixed = true, nominal = 1e-3), y11(start = 0, fixed = true, nominal = 1e-3),
       y12(start = 0, fixed = true, nominal = 1e-3), y13(start = 0, nominal = 1e-3), y14(start = 0, fixed = true, nominal = 1e-4), y15(start = 0, fixed = true, nominal = 1e-4) "currents";
  Real Uin1 = 0.5*sin(2000*pi*time) "signal", Uin2 = 2*sin(20000*pi*time) "carrier";
  Real q1 = diode(y3 - y5 - y7 - Uin2), q2 = diode(-y4 + y6 - y7 - Uin2), q3 = diode(y4 + y5 + y7 + Uin2), q4 = diode(-y3 - y6 + y7 + Uin2);
equation
  C*der(y1) = y8 - y10/2 + y11/2 + y14 - y1/R;
  C*der(y2) = y9 - y12/2 + y13/2 + y15 - y2/R;
  0 = y10 - q1 + q4;
  0 = -y11 + q2 - q3;
  0 = y12 + q1 - q3;
  0 = -y13 - q2 + q4;
  Cp*der(y7) = -y7/Rp + q1 + q2 - q3 - q4;
  Lh*der(y8) = -y1;
  Lh*der(y9) = -y2;
  Ls2*der(y10) = y1/2 - y3 - Rg2*y10;
  Ls3*der(y11) = -y1/2 + y4 - Rg3*y11;
  Ls2*der(y12) = y2/2 - y5 - Rg2*y12;
  Ls3*der(y13) = -y2/2 + y6 - Rg3*y13;
  Ls1*der(y14) = -y1 + Uin1 - (Ri + Rg1)*y14;
  Ls1*der(y15) = -y2 - (Rc + Rg1)*y15;
  annotation(experiment(StartTime = 0, StopTime = 1e-3, Tolerance = 1e-7));
end ring_modulator_index2;
