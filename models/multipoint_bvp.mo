model multipoint_bvp "Beam that is held at the ends and in the middle: a multipoint boundary value problem"
  Real w(start = 0) "deflection", M(start = 0) "bending moment";
equation
  der(w, 2) = M;
  der(M, 2) = 1 + 10*time "load";
constraint
  w(startTime) = 0;
  der(w)(startTime) = 0;
  w(0.5) = 0.001;
  w(finalTime) = 0;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end multipoint_bvp;
