model ascher_petzold_bvp "Ascher-Petzold linear index 2 problem as a boundary value problem with a stiff parameter"
  parameter Real a = 50;
  Real x1(start = 1), x2(start = 1), z(start = -1);
equation
  der(x1) = (a - 1/(2 - time))*x1 + (2 - time)*a*z + (3 - time)/(2 - time)*exp(time);
  der(x2) = (1 - a)/(time - 2)*x1 - x2 + (a - 1)*z + 2*exp(time);
  (time + 2)*x1 + (time^2 - 4)*x2 = (time^2 + time - 2)*exp(time);
constraint
  // On the constraint x2' = -a x2 + ...: from the other end errors would grow by exp(a).
  x1(startTime) = 1;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end ascher_petzold_bvp;
