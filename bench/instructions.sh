#!/usr/bin/env bash
# Instructions of a few runs of problems that were solved before, counted by valgrind, which shows the
# same processor on every machine: bench/instructions.sh PROGRAM [--record]
# compares with bench/instructions.csv and fails on a loss of more than 5 %. Another compiler gives
# other counts: then nothing is compared. PROGRAM is bench's `repeated_run`.
set -euo pipefail
(($# > 0)) || { echo "usage: bench/instructions.sh build/release/bin/repeated_run [--record]" >&2; exit 2; }
program=$1
known=$(dirname "${BASH_SOURCE[0]}")/instructions.csv
runs=("ivp robertson_4e10 auto 1e-6" "ivp chemakzo auto 1e-4" "ivp jay_index2 auto 1e-6"
      "ivp amplifier1 radau_iia_5 1e-3" "ivp chemakzo rodas_4 1e-4" "ivp chemakzo bdf 1e-4"
      "mechanics pendulum auto 1e-6" "mechanics caraxis auto 1e-4" "mechanics andrews auto 1e-3"
      "mechanics chain10 auto 1e-3" "sparse foodweb_500x1 auto 1e-4")
command -v valgrind > /dev/null || { echo "bench/instructions.sh: valgrind is needed" >&2; exit 2; }

# What the program was made with, as the section for comments has it.
compiler=$(readelf -p .comment "$program" | sed -n 's/.*\(GCC: .*\|clang version .*\)/\1/p' | head -n 1)

# count RUN REPEATS
count() {
  # shellcheck disable=SC2086
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" $1 "$2" 2>&1 > /dev/null |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# Code for whole steps is made when several runs have been long enough for that.
before=20 counted=5
table=$(for run in "${runs[@]}"; do
  echo "${run// /,},$((($(count "$run" $((before + counted))) - $(count "$run" $before)) / counted))"
done)
if [[ ${2-} == --record ]]; then
  printf '%s\n' "# $compiler" suite,problem,method,rtol,instructions "$table" > "$known"
fi
if ! grep -qxF "# $compiler" "$known"; then
  echo "recorded with another compiler than $compiler: nothing to compare with"
  known=/dev/null
fi
status=0
while IFS=, read -r suite problem method rtol now; do
  recorded=$(grep "^$suite,$problem,$method,$rtol," "$known" | cut -d, -f5 || true)
  printf '%-10s %-16s %-12s %6s %12d %12s\n' "$suite" "$problem" "$method" "$rtol" "$now" "${recorded:--}"
  if [[ -n $recorded ]] && ((now * 100 > recorded * 105)); then
    echo "  more than 5 % dearer; if there is a good reason: --record" >&2
    status=1
  fi
done <<< "$table"
exit $status
