model heat3d "Heat equation in a periodic box, N^3 unknowns (a million for -p N=100), ODE"
  constant Real pi = 3.14159265358979323846;
  parameter Integer N = 10 "points per direction";
  parameter Real h = 1/N;
  parameter Integer L[N] = {if i == 1 then N else i - 1 for i in 1:N}, R[N] = {if i == N then 1 else i + 1 for i in 1:N} "neighbours";
  Real u[N, N, N](start = {{{1 + sin(2*pi*i*h)*sin(2*pi*j*h)*sin(2*pi*k*h) for k in 1:N} for j in 1:N} for i in 1:N}, each fixed = true);
equation
  for i in 1:N loop
    for j in 1:N loop
      for k in 1:N loop
        der(u[i, j, k]) = (u[L[i], j, k] + u[R[i], j, k] + u[i, L[j], k] + u[i, R[j], k] + u[i, j, L[k]] + u[i, j, R[k]] - 6*u[i, j, k])/h^2;
      end for;
    end for;
  end for;
  annotation(experiment(StartTime = 0, StopTime = 0.01, Tolerance = 1e-6));
end heat3d;
