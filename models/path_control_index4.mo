model path_control_index4 "Which force moves the second mass on a given path, coupled by a damper: index 4, only the position of the first mass is free"
  parameter Real m1 = 1, m2 = 2, d = 4;
  Real x1(start = 0, fixed = true) "driven mass: the damper leaves its position free";
  Real x2(start = 0) "guided mass";
  Real F "force";
equation
  m1*der(x1, 2) = F - d*(der(x1) - der(x2));
  m2*der(x2, 2) = d*(der(x1) - der(x2));
  x2 = sin(time) "path";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6));
end path_control_index4;
