#pragma once
// Everything: problems, solve, solutions, methods.
#include "daedalus/dual.h"
#include "daedalus/error.h"
#include "daedalus/events.h"
#include "daedalus/function.h"
#include "daedalus/method.h"
#include "daedalus/order_check.h"
#include "daedalus/problem.h"
#include "daedalus/solution.h"
#include "daedalus/solve.h"
#include "daedalus/vector.h"
#include "daedalus/version.h"
