model dpc_s "Discharge pressure control (surrogate): the valve that keeps a prescribed pressure, index 2"
  // Of the same type as the problem of Hairer, Lubich and Roche, not the same problem.
  Real m(start = 1, fixed = true), T(start = 1) "gas in the vessel";
  Real v(start = 0.65) "valve";
  Real F = 1 + 0.3*sin(time) "inflow", p = m*T "pressure", Fo = 2*v*sqrt(p*(p - 0.5)) "outflow";
equation
  der(m) = F - Fo;
  der(T) = (F*(1.4 - T) - 0.4*Fo*T)/m;
  m*T = 1 + 0.1*(1 - exp(-time)) "set point";
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-8));
end dpc_s;
