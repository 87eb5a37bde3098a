model BouncingBall "a ball that comes to rest"
  parameter Real e = 0.8 "restitution";
  parameter Real g = 9.81;
  Real h(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
  discrete Integer bounces(start = 0, fixed = true);
  Boolean flying(start = true);
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when h <= 0 and v < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
    flying = abs(v) > 1e-3;
  elsewhen time > 9.5 then
    terminate("time is over");
  end when;
  assert(h > -1, "fell " + "through");
  annotation(experiment(StopTime = 10, Interval = 10/500, __Tool_setting = {1, 2}),
             Icon(graphics = {Line(points = [0, 1; 2, 3])}));
end BouncingBall;
