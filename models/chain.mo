model chain "Hanging chain of N rigid links with point masses, released at 45 degrees, index 3"
  parameter Integer N = 10 "links";
  parameter Real g = 9.81, length = 1, mass = 1;
  parameter Real l = length/N, m = mass/N "of one link";
  Real x[N](start = {i*l*sqrt(0.5) for i in 1:N}, each fixed = true), y[N](start = {-i*l*sqrt(0.5) for i in 1:N});
  Real u[N](each start = 0, each fixed = true), v[N](each start = 0);
  Real lam[N] "link forces per length";
  Real dx[N], dy[N] "link vectors";
equation
  dx[1] = x[1];
  dy[1] = y[1];
  for i in 2:N loop
    dx[i] = x[i] - x[i - 1];
    dy[i] = y[i] - y[i - 1];
  end for;
  der(x) = u;
  der(y) = v;
  for i in 1:N - 1 loop
    m*der(u[i]) = lam[i + 1]*dx[i + 1] - lam[i]*dx[i];
    m*der(v[i]) = lam[i + 1]*dy[i + 1] - lam[i]*dy[i] - m*g;
  end for;
  m*der(u[N]) = -lam[N]*dx[N];
  m*der(v[N]) = -lam[N]*dy[N] - m*g;
  for i in 1:N loop
    dx[i]^2 + dy[i]^2 = l^2 "link";
  end for;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end chain;
