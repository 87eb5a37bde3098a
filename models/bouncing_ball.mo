model bouncing_ball "Bouncing ball: impacts by when and reinit"
  parameter Real g = 9.81, e = 0.7 "coefficient of restitution";
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    reinit(v, -e*v);
  end when;
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8));
end bouncing_ball;
