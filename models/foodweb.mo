model foodweb "Predator and prey on the unit square: prey diffuse and grow, predators are in equilibrium, index 1"
  // The food web of the SUNDIALS and DASPK examples with one pair of species; no flux through the boundary.
  constant Real pi = 3.14159265358979323846;
  parameter Integer MX = 20, MY = 20 "grid";
  parameter Real Dp = 1, Dr = 0.05 "diffusion";
  parameter Real hx = 1/(MX - 1), hy = 1/(MY - 1);
  parameter Integer W[MX] = {if i == 1 then 2 else i - 1 for i in 1:MX}, E[MX] = {if i == MX then MX - 1 else i + 1 for i in 1:MX} "neighbours, reflected";
  parameter Integer S[MY] = {if j == 1 then 2 else j - 1 for j in 1:MY}, N[MY] = {if j == MY then MY - 1 else j + 1 for j in 1:MY};
  parameter Real b[MX, MY] = {{1 + 50*(i - 1)*hx*(j - 1)*hy + 1000*sin(4*pi*(i - 1)*hx)*sin(4*pi*(j - 1)*hy) for j in 1:MY} for i in 1:MX} "growth";
  parameter Real c0[MX, MY] = {{10 + (16*(i - 1)*hx*(1 - (i - 1)*hx)*(j - 1)*hy*(1 - (j - 1)*hy))^2 for j in 1:MY} for i in 1:MX};
  Real c1[MX, MY](start = c0, each fixed = true) "prey";
  Real c2[MX, MY](start = {{1e4*c0[i, j] for j in 1:MY} for i in 1:MX}, each nominal = 1e5) "predators";
equation
  for i in 1:MX loop
    for j in 1:MY loop
      der(c1[i, j]) = Dp*((c1[W[i], j] - 2*c1[i, j] + c1[E[i], j])/hx^2 + (c1[i, S[j]] - 2*c1[i, j] + c1[i, N[j]])/hy^2)
                    + c1[i, j]*(b[i, j] - c1[i, j] - 0.5e-6*c2[i, j]) "prey";
      0 = Dr*((c2[W[i], j] - 2*c2[i, j] + c2[E[i], j])/hx^2 + (c2[i, S[j]] - 2*c2[i, j] + c2[i, N[j]])/hy^2)
        + c2[i, j]*(-b[i, j] + 1e4*c1[i, j] - c2[i, j]) "predators";
    end for;
  end for;
  annotation(experiment(StartTime = 0, StopTime = 0.01, Tolerance = 1e-6));
end foodweb;
