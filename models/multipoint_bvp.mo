model multipoint_bvp "Beam clamped on the left, held in the middle and at the end: a multipoint boundary value problem"
  Real w(start = 0) "deflection", s(start = 0) "slope";
  Real M(start = 0) "bending moment", Q(start = 0) "shear force";
equation
  der(w) = s;
  der(s) = M;
  der(M) = Q;
  der(Q) = 1 + 10*time "load";
constraint
  w(startTime) = 0;
  s(startTime) = 0;
  w(0.5) = 0.001;
  w(finalTime) = 0;
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-8));
end multipoint_bvp;
