model heat2d "Heat equation on a 100 x 100 grid, boundary values as algebraic equations: 10000 unknowns, index 1"
  parameter Integer M = 100;
  parameter Real h = 1/(M - 1) "mesh width";
  Real u[M, M](start = {{16*(i - 1)*h*(1 - (i - 1)*h)*(j - 1)*h*(1 - (j - 1)*h) for i in 1:M} for j in 1:M});
initial equation
  for j in 2:M - 1 loop
    for i in 2:M - 1 loop
      u[j, i] = 16*(i - 1)*h*(1 - (i - 1)*h)*(j - 1)*h*(1 - (j - 1)*h);
    end for;
  end for;
equation
  for j in 2:M - 1 loop
    for i in 2:M - 1 loop
      der(u[j, i]) = (u[j, i + 1] + u[j, i - 1] + u[j + 1, i] + u[j - 1, i] - 4*u[j, i])/h^2;
    end for;
  end for;
  for i in 1:M loop
    u[1, i] = 0;
    u[M, i] = 0;
  end for;
  for j in 2:M - 1 loop
    u[j, 1] = 0;
    u[j, M] = 0;
  end for;
  annotation(experiment(StartTime = 0, StopTime = 0.16, Tolerance = 1e-6));
end heat2d;
