model lq_control "Linear-quadratic control: state, adjoint and optimality condition, boundary value DAE, index 1"
  Real x(start = 1) "state", l(start = 0) "adjoint", u(start = 0) "control";
equation
  der(x) = u;
  der(l) = -x;
  u + l = 0 "optimality";
constraint
  x(startTime) = 1;
  l(finalTime) = 0;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end lq_control;
