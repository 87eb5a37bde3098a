//! base 0.1.0
model 'Rig.Test' "as a flattener writes it"
  final parameter Real 'body.m' = 2.0 "mass" annotation(Dialog(group = "body"));
  parameter Real body.frame.r0[3] = {0.0, 1e-3, 2.5E+2};
  Real 'body.frame.r[1]'(start = 0.0, fixed = true, quantity = "Length", displayUnit = "mm");
  Real pipe[2].p(unit = "Pa"), pipe[1].p;
protected
  Real '$hidden \'x\'' = pipe[1].p + pipe[2].p;
  Integer count = integer(floor(time));
initial equation
  pipe[1].p = 1;
equation
  'body.m'*der('body.frame.r[1]') = -'body.frame.r[1]' + body.frame.r0[2];
  der(pipe[1].p) = (pipe[2].p - pipe[1].p)/(1 + abs(pipe[1].p));
  pipe[2].p = smooth(1, if time > 1 then sin(time) elseif time > 2 then 2 else cos(time));
end 'Rig.Test';
