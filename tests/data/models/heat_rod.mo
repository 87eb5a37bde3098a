/* Method of lines for u_t = k u_xx,
   with a boundary that switches. */
model HeatRod
  constant Integer N = 10 "cells";
  parameter Real k(min = 0, nominal = 1e-2) = 1e-2;
  parameter Real dx = 1/N;
  parameter Real A[2, 3] = {{1, 2, 3}, {4, 5, 6}}, B[2, 2] = [1, 2; 3, 4];
  parameter Real x[N] = {(i - 0.5)*dx for i in 1:N};
  parameter Real odd[:] = 1:2:N;
  Real[N] u(each start = 0, each fixed = true, stateSelect = StateSelect.prefer);
  Real total = sum(u[i]*dx for i in 1:N) "heat";
  Real q "flux at the left end";
initial equation
  q = 0;
equation
  for i in 2:N - 1 loop
    der(u[i]) = k/dx^2*(u[i - 1] - 2*u[i] + u[i + 1]) "inside";
  end for;
  if time < 1 then
    u[1] = 1;
    q = -k*(u[2] - u[1])/dx;
  elseif time < 2 and not u[2] > 0.5 or false then
    der(u[1]) = k/dx^2*(u[2] - u[1]);
    q = 0;
  else
    der(u[1]) = 0;
    q = 0;
  end if;
  der(u[end]) = noEvent(if u[end] > 0 then -u[N] else 0) + sum(u[1:3] .^ 2 ./ u[2:4] .* u[5:7]) * 0;
end HeatRod;
