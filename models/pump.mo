model pump "Charge pump: MOS transistor with piecewise charges, switched input, index 2"
  // CWI/Bari test set, problem pump. The current I jumps at the breakpoints of the input and at the threshold of the transistor.
  parameter Real Cs = 1.6e-12, Cd = 0.4e-12, Cox = 4e-12 "F";
  parameter Real VT0 = 0.2, gam = 0.035, PHI = 1.01;
  parameter Real UFB = VT0 - gam*sqrt(PHI) - PHI "flat band voltage";
  Real YT1(start = 1.26280042987675931e-13, nominal = 1e-12) "gate charge";
  Real YS(start = 0, fixed = true, nominal = 1e-12), YT2(start = 0, nominal = 1e-12) "source side charges";
  Real YD(start = 0, fixed = true, nominal = 1e-12), YT3(start = 0, nominal = 1e-12) "drain side charges";
  Real U1(start = 0), U2(start = 0), U3(start = 0) "node voltages";
  Real I(start = 0, nominal = 1e-4) "current of the source";
  Real tau(nominal = 1e-7) = mod(time, 120e-9) "time in the period";
  Real Vin = if tau < 50e-9 then 0 elseif tau < 60e-9 then 20*(tau - 50e-9)/10e-9 elseif tau < 110e-9 then 20 else 20*(120e-9 - tau)/10e-9;
  Real ugs = (if U2 < U3 then U1 - U2 else U1 - U3) "the transistor is symmetric: source is the lower side";
  Real ugd = if U2 < U3 then U1 - U3 else U1 - U2;
  Real root = sqrt(PHI - ugs + U1) "of PHI - ubs";
  Real UTE = VT0 + gam*(root - sqrt(PHI)) "threshold";
  Real a = ugs - UTE, c = if ugd > UTE then ugd - UTE else 0;
  Real h = noEvent(if a + c > 1e-12 then (a^2 + a*c + c^2)/(a + c) else a + c/2) "a + c - a*c/(a + c)";
  Real QG = if U1 <= UFB then Cox*(U1 - UFB)
            elseif ugs <= UTE then Cox*gam*(sqrt(gam^2/4 + U1 - UFB) - gam/2)
            else Cox*(2/3*h + gam*root);
  Real QS = if U1 <= UFB or ugs <= UTE then 0 else -Cox*h/3 "equals the charge at the drain";
equation
  der(YT1) = -I "gate";
  der(YS) + der(YT2) = 0 "source";
  der(YD) + der(YT3) = 0 "drain";
  U1 = Vin;
  YT1 = QG;
  YS = Cs*U2;
  YT2 = QS;
  YD = Cd*U3;
  YT3 = QS;
  annotation(experiment(StartTime = 0, StopTime = 1.2e-6, Tolerance = 1e-8));
end pump;
