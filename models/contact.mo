model contact "Mass dropped on a spring: an if equation chooses the contact force"
  parameter Real m = 1, g = 9.81, k = 1000, d = 5;
  Real h(start = 0.5, fixed = true), v(start = 0, fixed = true);
  Real F "contact force";
equation
  der(h) = v;
  m*der(v) = F - m*g;
  if h < 0 then
    F = -k*h - d*v;
  else
    F = 0;
  end if;
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end contact;
