model path_control_index5 "Which force moves the second mass on a given path, coupled by a spring: index 5, no degrees of freedom"
  parameter Real m1 = 1, m2 = 2, k = 10;
  Real x1(start = 0) "driven mass", x2(start = 0) "guided mass";
  Real F "force";
equation
  m1*der(x1, 2) = F - k*(x1 - x2);
  m2*der(x2, 2) = k*(x1 - x2);
  x2 = sin(time) "path";
  annotation(experiment(StartTime = 0, StopTime = 10, Tolerance = 1e-6));
end path_control_index5;
