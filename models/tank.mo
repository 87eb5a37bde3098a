model tank "Tank whose pump is switched by two level sensors: Boolean flags, when and elsewhen, a discrete variable"
  parameter Real A = 0.5 "m2", k = 0.02 "m2.5/s, outflow", qp = 0.05 "m3/s, pump";
  parameter Real low = 1, high = 2 "m, sensors";
  Real h(start = 1.5, fixed = true) "m, level";
  Real qout "m3/s";
  discrete Real pump(start = 1, fixed = true) "1 while the pump runs";
  Boolean tooLow = h <= low, tooHigh = h >= high;
equation
  A*der(h) = qp*pump - qout;
  qout = k*sqrt(h) "Torricelli";
  when tooLow then
    pump = 1;
  elsewhen tooHigh then
    pump = 0;
  end when;
  annotation(experiment(StartTime = 0, StopTime = 120, Tolerance = 1e-8));
end tank;
