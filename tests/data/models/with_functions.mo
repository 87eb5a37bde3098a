function saturate "between two bounds"
  input Real x;
  input Real low = -1, high = 1;
  output Real y;
algorithm
  if x < low then
    y := low;
  elseif x > high then
    y := high;
  else
    y := x;
  end if;
end saturate;

function norm2
  input Real v[:];
  output Real n;
protected
  Real s;
algorithm
  s := 0;
  for i in 1:size(v, 1) loop
    s := s + v[i]^2;
  end for;
  n := sqrt(s);
  annotation(Inline = true);
end norm2;

model WithFunctions
  Real p[3](start = {1, 0, 0});
  Real r = norm2(p);
equation
  der(p) = -saturate(r)*p + cross(p, {0, 0, 1});
end WithFunctions;
