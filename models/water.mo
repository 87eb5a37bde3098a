model water "Water tube system: 13 nodes, 18 pipes, laminar-turbulent switching, index 2"
  // CWI/Bari test set, problem water (tube). The loss jumps by 3.42 at the critical Reynolds number, so pressures are discontinuous there.
  constant Real pi = 3.14159265358979323846;
  parameter Real nu = 1.31e-6, g = 9.8, rho = 1e3, Rcrit = 2300, l = 1000, k = 2e-4, d = 1, b = 200;
  parameter Real a = pi*d^2/4, mu = nu*rho, C = b/(rho*g), V = rho*l/a;
  constant Integer from[18] = {1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 8, 9, 11, 11, 12, 12, 13};
  constant Integer to[18] = {2, 3, 6, 4, 5, 5, 10, 5, 4, 8, 5, 10, 8, 9, 12, 7, 8, 11};
  Real phi[18](each start = 0, each fixed = true, each nominal = 1e-3) "flows";
  Real lam[18](each start = 0.0475194045291852898) "friction coefficients";
  Real p[13](each start = 109800, fixed = {false, false, false, false, true, false, false, true, false, false, false, false, false}, each nominal = 1e5)
    "pressures; nodes 5 and 8 are buffers";
  Real R[18] "Reynolds numbers";
  Real h = time/3600 "hours";
  Real ein1 = (1 - cos(exp(-h) - 1))/200, ein13 = (1 - cos(exp(-h) - 1))/80 "inflows at nodes 1 and 13";
  Real eout10 = h^2*(3*h^2 - 92*h + 720)/1e6 "outflow at node 10";
equation
  for i in 1:18 loop
    R[i] = noEvent(abs(phi[i]))*d/(nu*a);
    V*der(phi[i]) = p[from[i]] - p[to[i]] - (if R[i] > Rcrit then lam[i]*rho*l*phi[i]^2/(a^2*d) else 32*mu*l*phi[i]/(a*d^2)) "pipe";
    1/sqrt(lam[i]) - 1.74 + 2*log10(2*k/d + 18.7/((if R[i] > Rcrit then R[i] else Rcrit)*sqrt(lam[i]))) = 0 "Colebrook";
  end for;
  0 = ein1 - phi[1] "node 1";
  0 = phi[1] - phi[2] - phi[3] "node 2";
  0 = phi[2] - phi[4] - phi[5] "node 3";
  0 = phi[4] + phi[9] - phi[6] "node 4";
  C*der(p[5]) = phi[5] + phi[6] + phi[8] + phi[11] - phi[7] "node 5, buffer";
  0 = phi[3] - phi[8] "node 6";
  0 = phi[16] - phi[9] - phi[10] "node 7";
  C*der(p[8]) = phi[10] + phi[13] + phi[17] - phi[11] - phi[12] "node 8, buffer";
  0 = phi[14] - phi[13] "node 9";
  0 = phi[7] + phi[12] - eout10 "node 10";
  0 = phi[18] - phi[14] - phi[15] "node 11";
  0 = phi[15] - phi[16] - phi[17] "node 12";
  0 = ein13 - phi[18] "node 13";
  annotation(experiment(StartTime = 0, StopTime = 61200, Tolerance = 1e-8));
end water;
