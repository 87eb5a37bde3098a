model heat2d_10 "Heat equation on a 10 x 10 grid, boundary values as algebraic equations, index 1"
  constant Integer M = 10;
  parameter Real h = 1/(M - 1) "mesh width";
  // u[j,i] at x = (i-1) h, y = (j-1) h; the inner values are states, the boundary values are zero
  Real u[M, M](start = {{16*(i - 1)*h*(1 - (i - 1)*h)*(j - 1)*h*(1 - (j - 1)*h) for i in 1:M} for j in 1:M}, each fixed = true);
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
  annotation(experiment(StartTime = 0, StopTime = 0.16, Tolerance = 1e-8));
end heat2d_10;
