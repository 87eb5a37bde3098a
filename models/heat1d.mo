model heat1d "Heat equation on 10000 points, boundary values as algebraic equations: a large tridiagonal system"
  constant Real pi = 3.14159265358979323846;
  parameter Integer N = 10000 "points with the two ends";
  parameter Real h = 1/(N - 1);
  Real u[N](start = {sin(pi*(i - 1)*h) for i in 1:N});
initial equation
  for i in 2:N - 1 loop
    u[i] = sin(pi*(i - 1)*h);
  end for;
equation
  u[1] = 0 "left end";
  for i in 2:N - 1 loop
    der(u[i]) = (u[i - 1] - 2*u[i] + u[i + 1])/h^2;
  end for;
  u[N] = 0 "right end";
  annotation(experiment(StartTime = 0, StopTime = 0.1, Tolerance = 1e-6));
end heat1d;
