model batch_reactor "Batch reactor: slow exothermic reaction from a monomer that is in equilibrium with its dimer, index 1"
  parameter Real k0 = 0.1 "1/s at T0", E = 8000 "K, activation temperature", T0 = 300 "K";
  parameter Real K0 = 5 "m3/mol, dimerisation constant at T0", H = 3000 "K, heat of dimerisation over the gas constant";
  parameter Real dT = 20 "K m3/mol, adiabatic rise per mole", kc = 0.05 "1/s, cooling", Tc = 290 "K";
  Real c(start = 2, fixed = true) "mol/m3, all material that is not yet product";
  Real T(start = 300, fixed = true, nominal = 100) "K";
  Real A(start = 0.5, min = 0), D(start = 0.8, min = 0) "mol/m3, monomer and dimer";
  Real r "mol/(m3 s), reaction rate";
equation
  c = A + 2*D "balance";
  D = K0*exp(H*(1/T - 1/T0))*A^2 "equilibrium";
  r = k0*exp(-E*(1/T - 1/T0))*A;
  der(c) = -r;
  der(T) = dT*r - kc*(T - Tc);
  annotation(experiment(StartTime = 0, StopTime = 60, Tolerance = 1e-8));
end batch_reactor;
