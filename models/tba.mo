function mosThreshold "current factor above threshold for one direction of the channel"
  input Real uds "voltage along the channel, positive";
  input Real ue "gate voltage above threshold";
  output Real i;
algorithm
  if noEvent(ue <= 0) then
    i := 0;
  elseif noEvent(ue <= uds) then
    i := ue^2*(1 + 0.02*uds);
  else
    i := uds*(2*ue - uds)*(1 + 0.02*uds);
  end if;
end mosThreshold;

function channel "channel current of a MOS transistor, from source to drain as in the test set (negative for uds > 0)"
  input Real beta, VT0, gam, PHI;
  input Real uds, ugs, ubs, ugd, ubd;
  output Real i;
algorithm
  if noEvent(uds > 0) then
    i := -beta*mosThreshold(uds, ugs - VT0 - gam*(sqrt(PHI - ubs) - sqrt(PHI)));
  else
    i := beta*mosThreshold(-uds, ugd - VT0 - gam*(sqrt(PHI - ubd) - sqrt(PHI)));
  end if;
end channel;

function junction "current of a pn junction"
  input Real u;
  output Real i;
algorithm
  i := noEvent(if u <= 0 then -5e-11*(exp(u/25.85) - 1) else 0);
end junction;

function junctionCharge "charge-forming capacitance of a pn junction"
  input Real u;
  output Real c;
algorithm
  c := noEvent(if u <= 0 then 0.24/sqrt(1 - u/0.87) else 0.24*(1 + u/(2*0.87)));
end junctionCharge;

model tba "Two-bit adding unit: 39 MOS transistors, charge-oriented nodal equations, 350 unknowns, index 2 (1 by structure)"
  // CWI/Bari test set, problem tba. The transistor laws are continuous, so their branches are no events; the corners of the inputs are. Five inputs with 63 breakpoints; the sums are at nodes 49 and 130, the carry at node 148.
  constant Integer N = 175 "nodes";
  constant Integer K = 39 "transistors";
  // Transistor k has the inner nodes first[k] .. first[k]+3 (source, drain, bulk at source, bulk at drain).
  // Terminals are numbers in the extended list of voltages u: 1..175 nodes, 176 ground, 177 supply, 178..182 inputs.
  constant Integer kind[K] = {1, 2, 2, 1, 2, 3, 3, 1, 2, 2, 1, 2, 3, 3, 1, 2, 3, 3, 1, 2, 2, 1, 2, 3, 3, 1, 3, 3, 1, 3, 3, 3, 1, 2, 3, 3, 4, 4, 4} "1 depletion, 2..4 enhancement";
  constant Integer first[K] = {1, 6, 10, 14, 19, 23, 28, 32, 37, 41, 45, 50, 54, 59, 63, 68, 72, 77, 81, 86, 90, 94, 99, 103, 108, 112, 117, 122, 126, 131, 136, 140, 144, 149, 153, 158, 162, 167, 172};
  constant Integer S[K] = {5, 176, 176, 18, 176, 27, 176, 36, 176, 176, 49, 176, 58, 176, 67, 176, 76, 176, 85, 176, 176, 98, 176, 107, 176, 116, 121, 176, 130, 135, 176, 176, 148, 176, 157, 176, 166, 171, 176} "outer source";
  constant Integer D[K] = {177, 5, 5, 177, 18, 18, 27, 177, 36, 36, 177, 49, 49, 58, 177, 67, 67, 76, 177, 85, 85, 177, 98, 98, 107, 177, 116, 121, 177, 130, 135, 135, 177, 148, 148, 157, 148, 166, 171} "outer drain";
  constant Integer G[K] = {5, 178, 179, 18, 5, 179, 178, 36, 18, 182, 49, 36, 182, 18, 67, 5, 182, 18, 85, 180, 181, 98, 85, 181, 180, 116, 67, 98, 130, 116, 67, 98, 148, 85, 5, 98, 98, 18, 182} "gate";
  constant Integer Gq[K] = {5, 176, 176, 18, 5, 176, 176, 36, 18, 176, 49, 36, 176, 18, 67, 5, 176, 18, 85, 176, 176, 98, 85, 176, 176, 116, 67, 98, 130, 116, 67, 98, 148, 85, 5, 98, 98, 18, 176} "gate in the charge: the inputs enter by their slope";
  constant Integer W[K] = {6, 1, 2, 6, 6, 2, 1, 6, 6, 5, 6, 6, 5, 6, 6, 6, 5, 6, 6, 3, 4, 6, 6, 4, 3, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5} "slope of the gate voltage: input, or 6 for none";
  constant Integer Dq[K] = {176, 5, 5, 176, 18, 18, 27, 176, 36, 36, 176, 49, 49, 58, 176, 67, 67, 76, 176, 85, 85, 176, 98, 98, 107, 176, 116, 121, 176, 130, 135, 135, 176, 148, 148, 157, 148, 166, 171} "drain in the junction charge. The published code takes i+14 for i+4 in three NOR gates (13, 44, 93): a charge that depends on a foreign node, with which the equations are unstable beyond corners of the inputs. As the circuit has it, nodes 49, 130 and 148 agree with the published values all the same";
  parameter Real beta[4] = {2.675, 8.74, 17.48, 26.22}, VT0[4] = {-2.43, 0.2, 0.2, 0.2}, gam[4] = {0.2, 0.035, 0.035, 0.035}, PHI[4] = {1.28, 1.01, 1.01, 1.01};
  parameter Real Rg = 40/5e4, Rb = 100/5e4, Cg = 0.6, VBB = -2.5, VDD = 5;
  parameter Real delay[5] = {0, 10, 30, 70, 150}, top[5] = {5, 15, 35, 75, 155}, period[5] = {20, 40, 80, 160, 320} "of the inputs; rise and fall take 5";
  parameter Real x0[N] = {
    4.999999999996544, 4.99999999999997, -2.499999999999975, -2.499999999999975, 4.999999999996514, 0, 4.999999999996514,
    -2.499999999999991, -2.499999999999975, 0, 4.999999999996514, -2.499999999999991, -2.499999999999975, 0.215858486765796,
    4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040695017748, 0.011817791748026, 0.192222903269723, -2.499999999999991,
    -2.49999999999999, -0.228160951881239, 0.204040695017748, -2.499999999999992, -2.49999999999999, -0.228160951881241, 0,
    -0.228160951881239, -2.499999999999991, -2.499999999999992, 4.999999999996547, 4.99999999999997, -2.499999999999975, -2.499999999999975,
    4.999999999996517, 0, 4.999999999996517, -2.499999999999991, -2.499999999999975, 0, 4.999999999996517,
    -2.499999999999991, -2.499999999999975, 0.215858484247529, 4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040692499482,
    0.011817791748035, 0.192222900751447, -2.499999999999991, -2.49999999999999, -0.026041071738432, 0.204040692499482, -2.499999999999992,
    -2.49999999999999, -0.026041071738434, 0, -0.026041071738432, -2.499999999999991, -2.499999999999992, 0.215858484880918,
    4.988182208251953, -2.49999999999999, -2.499999999999975, 0.20404069313287, 0.011817791748026, 0.192222901384845, -2.499999999999991,
    -2.49999999999999, -0.026041071737961, 0.20404069313287, -2.499999999999992, -2.49999999999999, -0.026041071737963, 0,
    -0.026041071737961, -2.499999999999991, -2.499999999999992, 4.999999999996546, 4.99999999999997, -2.499999999999975, -2.499999999999975,
    4.999999999996516, 0, 4.999999999996516, -2.499999999999991, -2.499999999999975, 0, 4.999999999996516,
    -2.499999999999991, -2.499999999999975, 0.215858481060569, 4.988182208251953, -2.49999999999999, -2.499999999999975, 0.204040689312522,
    0.011817791748023, 0.192222897564498, -2.499999999999991, -2.49999999999999, 4.734672533390068, 0.204040689312522, -2.499999999999977,
    -2.49999999999999, 4.734672533390062, 0, 4.734672533390068, -2.499999999999991, -2.499999999999977, 4.99999999999687,
    4.999999999999972, -2.499999999999975, -2.499999999999975, 4.999999999996843, -0.025968303070038, 4.999999999996843, -2.499999999999992,
    -2.499999999999975, -0.02596830307004, 0, -0.025968303070038, -2.499999999999991, -2.499999999999992, 4.999999999997699,
    4.99999999999998, -2.499999999999975, -2.499999999999975, 4.999999999997678, 4.744923533081106, 4.999999999997678, -2.499999999999977,
    -2.499999999999975, 4.744923533081098, 0, 4.744923533081106, -2.499999999999991, -2.499999999999977, 0,
    4.744923533081106, -2.499999999999991, -2.499999999999977, 0.215858484844162, 4.988182208251953, -2.49999999999999, -2.499999999999975,
    0.204040693096114, 0.011817791748023, 0.192222901348091, -2.499999999999991, -2.49999999999999, 0.204040693096045, 0.204040693096107,
    -2.49999999999999, -2.49999999999999, 0.204040693096037, 0, 0.204040693096037, -2.499999999999991, -2.49999999999999,
    -0.026017361873565, 0.204040693096114, -2.499999999999992, -2.49999999999999, -0.026017361873568, -0.026017590106916, -0.026017361873565,
    -2.499999999999992, -2.499999999999992, -0.026017590106918, 0, -0.026017590106916, -2.499999999999991, -2.499999999999992} "node voltages at the start";
  Real q[N] "charges";
  Real x[N](start = x0, each fixed = true) "node voltages";
  Real u[N + 7] "extended list of voltages";
  Real tau[5], Vin[5], slope[6] "inputs";
  Real I[K], JS[K], JD[K] "channel and junction currents";
  Real QS[K], QD[K] "junction charges seen from the outer nodes";
  Real fS[K], fD[K] "currents into the outer nodes";
  Real gG[K] "gate charges";
equation
  for n in 1:N loop
    u[n] = x[n];
  end for;
  u[176] = 0;
  u[177] = VDD;
  for i in 1:5 loop
    tau[i] = mod(time - delay[i], period[i]) "before the delay this is the low phase of the period before";
    Vin[i] = if tau[i] < 5 then tau[i] elseif tau[i] < 5 + top[i] then 5 elseif tau[i] < 10 + top[i] then 10 + top[i] - tau[i] else 0;
    slope[i] = if tau[i] < 5 then 1 elseif tau[i] < 5 + top[i] then 0 elseif tau[i] < 10 + top[i] then -1 else 0;
    u[177 + i] = Vin[i];
  end for;
  slope[6] = 0;
  for k in 1:K loop
    I[k] = channel(beta[kind[k]], VT0[kind[k]], gam[kind[k]], PHI[kind[k]], x[first[k] + 1] - x[first[k]], u[G[k]] - x[first[k]], x[first[k] + 2] - u[S[k]],
                   u[G[k]] - x[first[k] + 1], x[first[k] + 3] - u[D[k]]);
    JS[k] = junction(x[first[k] + 2] - u[S[k]]);
    JD[k] = junction(x[first[k] + 3] - u[D[k]]);
    QS[k] = junctionCharge(x[first[k] + 2] - u[S[k]])*(u[S[k]] - x[first[k] + 2]);
    QD[k] = junctionCharge(x[first[k] + 3] - u[D[k]])*(u[D[k]] - x[first[k] + 3]);
    fS[k] = (x[first[k]] - u[S[k]])/Rg - JS[k];
    fD[k] = (x[first[k] + 1] - u[D[k]])/Rg - JD[k];
    gG[k] = Cg*(2*u[Gq[k]] - x[first[k]] - x[first[k] + 1]);
    der(q[first[k]]) = Cg*slope[W[k]] - (x[first[k]] - u[S[k]])/Rg - I[k] "source";
    der(q[first[k] + 1]) = Cg*slope[W[k]] - (x[first[k] + 1] - u[D[k]])/Rg + I[k] "drain";
    der(q[first[k] + 2]) = -(x[first[k] + 2] - VBB)/Rb + JS[k] "bulk at source";
    der(q[first[k] + 3]) = -(x[first[k] + 3] - VBB)/Rb + JD[k] "bulk at drain";
    q[first[k]] = Cg*(x[first[k]] - u[Gq[k]]);
    q[first[k] + 1] = Cg*(x[first[k] + 1] - u[Gq[k]]);
    q[first[k] + 2] = -QS[k];
    q[first[k] + 3] = junctionCharge(x[first[k] + 3] - u[D[k]])*(x[first[k] + 3] - u[Dq[k]]);
  end for;
  der(q[5]) = fS[1] + fD[2] + fD[3] "node 5";
  q[5] = QS[1] + QD[2] + QD[3] + gG[1] + gG[5] + gG[16] + gG[35];
  der(q[18]) = fS[4] + fD[5] + fD[6] "node 18";
  q[18] = QS[4] + QD[5] + QD[6] + gG[4] + gG[9] + gG[14] + gG[18] + gG[38];
  der(q[27]) = fS[6] + fD[7] "node 27";
  q[27] = QS[6] + QD[7];
  der(q[36]) = fS[8] + fD[9] + fD[10] "node 36";
  q[36] = QS[8] + QD[9] + QD[10] + gG[8] + gG[12];
  der(q[49]) = fS[11] + fD[12] + fD[13] "node 49";
  q[49] = QS[11] + QD[12] + QD[13] + gG[11] + 2*x[49];
  der(q[58]) = fS[13] + fD[14] "node 58";
  q[58] = QS[13] + QD[14];
  der(q[67]) = fS[15] + fD[16] + fD[17] "node 67";
  q[67] = QS[15] + QD[16] + QD[17] + gG[15] + gG[27] + gG[31];
  der(q[76]) = fS[17] + fD[18] "node 76";
  q[76] = QS[17] + QD[18];
  der(q[85]) = fS[19] + fD[20] + fD[21] "node 85";
  q[85] = QS[19] + QD[20] + QD[21] + gG[19] + gG[23] + gG[34];
  der(q[98]) = fS[22] + fD[23] + fD[24] "node 98";
  q[98] = QS[22] + QD[23] + QD[24] + gG[22] + gG[28] + gG[32] + gG[36] + gG[37];
  der(q[107]) = fS[24] + fD[25] "node 107";
  q[107] = QS[24] + QD[25];
  der(q[116]) = fS[26] + fD[27] "node 116";
  q[116] = QS[26] + QD[27] + gG[26] + gG[30];
  der(q[121]) = fS[27] + fD[28] "node 121";
  q[121] = QS[27] + QD[28];
  der(q[130]) = fS[29] + fD[30] "node 130";
  q[130] = QS[29] + QD[30] + gG[29] + 2*x[130];
  der(q[135]) = fS[30] + fD[31] + fD[32] "node 135";
  q[135] = QS[30] + QD[31] + QD[32];
  der(q[148]) = fS[33] + fD[34] + fD[35] + fD[37] "node 148";
  q[148] = QS[33] + QD[34] + QD[35] + QD[37] + gG[33] + 2*x[148];
  der(q[157]) = fS[35] + fD[36] "node 157";
  q[157] = QS[35] + QD[36];
  der(q[166]) = fS[37] + fD[38] "node 166";
  q[166] = QS[37] + QD[38];
  der(q[171]) = fS[38] + fD[39] "node 171";
  q[171] = QS[38] + QD[39];
  annotation(experiment(StartTime = 0, StopTime = 320, Tolerance = 1e-6));
end tba;
