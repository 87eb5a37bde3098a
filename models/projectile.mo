model projectile "Throw with air drag: the run ends by itself when the ground is reached"
  constant Real pi = 3.14159265358979323846;
  parameter Real g = 9.81, c = 0.01 "1/m, drag", v0 = 40, angle = pi/4;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  Real u(start = v0*cos(angle), fixed = true), v(start = v0*sin(angle), fixed = true);
  Real speed = sqrt(u^2 + v^2);
equation
  der(x) = u;
  der(y) = v;
  der(u) = -c*speed*u;
  der(v) = -c*speed*v - g;
  assert(speed < 1000, "the throw is faster than the drag law allows");
  when y < 0 then
    terminate("landed");
  end when;
  annotation(experiment(StartTime = 0, StopTime = 20, Tolerance = 1e-8));
end projectile;
