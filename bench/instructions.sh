#!/usr/bin/env bash
# Instructions of a few whole runs, counted by valgrind: bench/instructions.sh [--record]
# compares with those recorded in build/instructions.csv and fails on a loss of more than 5 %.
# Counts depend on the compiler and on what the processor can do, so record on your own machine first.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$root/build/release/bin/daedalus
known=$root/build/instructions.csv
runs=("ivp robertson_4e10 auto" "ivp chemakzo auto" "ivp transamp radau_iia_5" "ivp caraxis auto"
      "mechanics pendulum auto" "mechanics caraxis auto" "sparse foodweb_500x1 auto")

command -v valgrind > /dev/null || { echo "bench/instructions.sh: valgrind is needed" >&2; exit 2; }
[[ -x $program ]] || { echo "bench/instructions.sh: build first, ./run --help" >&2; exit 2; }

# count ARGUMENTS...: instructions of the program.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 > /dev/null |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

start=$(count bench --list)
status=0
table=$(for run in "${runs[@]}"; do
  read -r suite problem method <<< "$run"
  whole=$(count bench "$suite" --problem "$problem" --method "$method" --rtol 1e-6 --against none \
    --no-text --passes 1 --seconds 0 --quiet)
  echo "$suite,$problem,$method,$((whole - start))"
done)
if [[ ${1-} == --record ]]; then
  printf 'suite,problem,method,instructions\n%s\n' "$table" > "$known"
fi
while IFS=, read -r suite problem method now; do
  before=$(grep "^$suite,$problem,$method," "$known" 2> /dev/null | cut -d, -f4 || true)
  printf '%-10s %-16s %-12s %12d %12s\n' "$suite" "$problem" "$method" "$now" "${before:--}"
  if [[ -n $before ]] && ((now * 100 > before * 105)); then
    echo "  more than 5 % dearer" >&2
    status=1
  fi
done <<< "$table"
exit $status
