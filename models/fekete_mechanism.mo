model fekete_mechanism "Elliptic Fekete points: 20 charges on the unit sphere with friction, as a mechanism, index 3"
  // CWI/Bari test set, problem fekete before its stabilisation
  constant Real pi = 3.14159265358979323846;
  constant Integer N = 20;
  parameter Real a[N] = {if i <= 3 then 2*pi*i/3 + pi/13 elseif i <= 10 then 2*pi*(i - 3)/7 + pi/29
                         elseif i <= 16 then 2*pi*(i - 10)/6 + pi/7 else 2*pi*(i - 17)/4 + pi/17 for i in 1:N} "longitudes at the start";
  parameter Real b[N] = {if i <= 3 then 3*pi/8 elseif i <= 10 then pi/8 elseif i <= 16 then -2*pi/15 else -3*pi/10 for i in 1:N} "latitudes at the start";
  Real p[N, 3](start = {{cos(a[i])*cos(b[i]), sin(a[i])*cos(b[i]), sin(b[i])} for i in 1:N}, each fixed = true) "positions";
  Real q[N, 3](each start = 0, each fixed = true) "velocities";
  Real lam[N](each start = -4.75) "multipliers of the sphere";
  Real w[N, N] "inverse squares of the distances, each pair once";
  Real f[N, 3] "repulsion";
equation
  for i in 1:N loop
    for j in 1:i - 1 loop
      w[i, j] = 1/((p[i, 1] - p[j, 1])^2 + (p[i, 2] - p[j, 2])^2 + (p[i, 3] - p[j, 3])^2);
    end for;
    for j in i:N loop
      w[i, j] = 0;
    end for;
    for c in 1:3 loop
      f[i, c] = sum((p[i, c] - p[j, c])*w[i, j] for j in 1:i - 1) - sum((p[j, c] - p[i, c])*w[j, i] for j in i + 1:N);
      der(p[i, c]) = q[i, c];
      der(q[i, c]) = -q[i, c]/2 + 2*lam[i]*p[i, c] + f[i, c];
    end for;
    p[i, 1]^2 + p[i, 2]^2 + p[i, 3]^2 = 1 "sphere";
  end for;
  annotation(experiment(StartTime = 0, StopTime = 1000, Tolerance = 1e-8));
end fekete_mechanism;
