model pendulum_rest "Pendulum with unit data (Hairer, Lubich, Roche): the start is found from rough guesses, index 3"
  Real p(start = 0.9), q(start = 0, fixed = true);
  Real u(start = 0.5), v(start = 0, fixed = true);
  Real lambda(start = 7);
equation
  der(p) = u;
  der(q) = v;
  der(u) = -p*lambda;
  der(v) = -q*lambda - 1;
  p^2 + q^2 = 1 "rod";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-8));
end pendulum_rest;
