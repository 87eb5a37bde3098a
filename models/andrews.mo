model andrews "Andrews' squeezing mechanism: seven rigid bodies, closed loops, index 3"
  // CWI/Bari test set, problem andrews. q = (beta, Theta, gamma, Phi, delta, Omega, epsilon)
  parameter Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  parameter Real I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
  parameter Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  parameter Real c0 = 4530 "spring stiffness", l0 = 0.07785 "spring length at rest";
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043,
                 sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
  parameter Real mom = 0.033 "drive torque";
  Real q[7](start = {-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885, 1.23054744454982119},
            fixed = {false, true, false, false, false, false, false}) "angles";
  Real v[7](each start = 0, fixed = {false, true, false, false, false, false, false}, each nominal = 1e2) "angular velocities";
  Real w[7](start = {14222.4439199541139, -10666.8329399655854, 0, 0, 0, 0, 0}, each nominal = 1e4) "angular accelerations";
  Real lam[6](start = {98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0}, each nominal = 10) "multipliers";
  // mass matrix (symmetric, blocks 1-2, 3, 4-5, 6-7)
  Real M11 = m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(q[2]) + da^2) + I1 + I2;
  Real M21 = m2*(da^2 - da*rr*cos(q[2])) + I2;
  Real M54 = m4*((e - ea)^2 + zt*(e - ea)*sin(q[4])) + I4;
  Real M55 = m4*(zt^2 + 2*zt*(e - ea)*sin(q[4]) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5;
  Real M76 = m6*((zf - fa)^2 - u*(zf - fa)*sin(q[6])) + I6;
  Real M77 = m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(q[6]) + u^2) + m7*(ua^2 + ub^2) + I6 + I7;
  // spring between body 3 and the frame
  Real xd = sd*cos(q[3]) + sc*sin(q[3]) + xb;
  Real yd = sd*sin(q[3]) - sc*cos(q[3]) + yb;
  Real Lg = sqrt((xd - xc)^2 + (yd - yc)^2);
  Real Fx = -c0*(Lg - l0)/Lg*(xd - xc);
  Real Fy = -c0*(Lg - l0)/Lg*(yd - yc);
  // the point where the three loops meet, and its partial derivatives
  Real X = rr*cos(q[1]) - d*cos(q[1] + q[2]);
  Real Y = rr*sin(q[1]) - d*sin(q[1] + q[2]);
  Real lx = lam[1] + lam[3] + lam[5];
  Real ly = lam[2] + lam[4] + lam[6];
equation
  der(q) = v;
  der(v) = w;
  M11*w[1] + M21*w[2] + (-Y)*lx + X*ly = mom - m2*da*rr*v[2]*(v[2] + 2*v[1])*sin(q[2]) "beta";
  M21*w[1] + (m2*da^2 + I2)*w[2] + d*sin(q[1] + q[2])*lx - d*cos(q[1] + q[2])*ly = m2*da*rr*v[1]^2*sin(q[2]) "Theta";
  (m3*(sa^2 + sb^2) + I3)*w[3] - ss*cos(q[3])*lam[1] - ss*sin(q[3])*lam[2]
    = Fx*(sc*cos(q[3]) - sd*sin(q[3])) + Fy*(sd*cos(q[3]) + sc*sin(q[3])) "gamma";
  (m4*(e - ea)^2 + I4)*w[4] + M54*w[5] - e*cos(q[4] + q[5])*lam[3] - e*sin(q[4] + q[5])*lam[4] = m4*zt*(e - ea)*v[5]^2*cos(q[4]) "Phi";
  M54*w[4] + M55*w[5] + (zt*sin(q[5]) - e*cos(q[4] + q[5]))*lam[3] - (zt*cos(q[5]) + e*sin(q[4] + q[5]))*lam[4]
    = -m4*zt*(e - ea)*v[4]*(v[4] + 2*v[5])*cos(q[4]) "delta";
  (m6*(zf - fa)^2 + I6)*w[6] + M76*w[7] + zf*sin(q[6] + q[7])*lam[5] - zf*cos(q[6] + q[7])*lam[6] = -m6*u*(zf - fa)*v[7]^2*cos(q[6]) "Omega";
  M76*w[6] + M77*w[7] + (zf*sin(q[6] + q[7]) - u*cos(q[7]))*lam[5] - (zf*cos(q[6] + q[7]) + u*sin(q[7]))*lam[6]
    = m6*u*(zf - fa)*v[6]*(v[6] + 2*v[7])*cos(q[6]) "epsilon";
  X - ss*sin(q[3]) = xb "loop 1, x";
  Y + ss*cos(q[3]) = yb "loop 1, y";
  X - e*sin(q[4] + q[5]) - zt*cos(q[5]) = xa "loop 2, x";
  Y + e*cos(q[4] + q[5]) - zt*sin(q[5]) = ya "loop 2, y";
  X - zf*cos(q[6] + q[7]) - u*sin(q[7]) = xa "loop 3, x";
  Y - zf*sin(q[6] + q[7]) + u*cos(q[7]) = ya "loop 3, y";
  annotation(experiment(StartTime = 0, StopTime = 0.03, Tolerance = 1e-8));
end andrews;
