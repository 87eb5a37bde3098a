#!/usr/bin/env bash
# run.sh PENDULUM_REPORT FOLDER CHROMIUM: opens generated reports in a headless browser, uses them
# (probe.js) and leaves screenshots in FOLDER.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1 folder=$2 chromium=$3
rm -rf "$folder"
mkdir -p "$folder"
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

browse() {
  HOME=$profile timeout 100 "$chromium" --headless --no-sandbox --disable-gpu --disable-quic \
    --no-first-run --disable-background-networking --disable-component-update --disable-sync \
    --disable-dev-shm-usage --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$profile/data" \
    --hide-scrollbars --virtual-time-budget=5000 --enable-logging=stderr "$@"
}

# add_probe NAME EXPECTED: a copy that records errors from its first line on.
add_probe() {
  local page
  page=$(< "$folder/$1.html")
  {
    echo "${page%%<head>*}<head><script>window.probeErrors = [];
      window.addEventListener('error', (e) => probeErrors.push('error: ' + e.message));
      console.error = console.warn = (...all) => probeErrors.push('console: ' + all.join(' '));
    </script>"
    page=${page#*<head>}
    echo "${page%</body>*}<script type=\"application/json\" id=\"expected\">$2</script><script>"
    cat "$here/probe.js"
    echo "</script></body></html>"
  } > "$folder/$1.probe.html"
}

status=0
look() {
  local name=$1 log=$folder/$1.log result
  add_probe "$name" "$2"
  browse --window-size=1280,1000 --dump-dom "file://$folder/$name.probe.html" \
    > "$folder/$name.dom" 2> "$log" || { echo "$name: the browser failed"; cat "$log"; status=1; }
  result=$(grep -o '<pre id="probe">PROBE .* EBORP' "$folder/$name.dom" || echo 'no answer')
  echo "$name: $result"
  [[ $result == *'PROBE FINE EBORP' ]] || status=1
  if grep CONSOLE "$log"; then status=1; fi
}

picture() {
  browse --window-size=1280,3300 --screenshot="$folder/$2.png" "${@:3}" "file://$folder/$1.html" \
    > "$folder/$2.log" 2>&1 || status=1
  if grep CONSOLE "$folder/$2.log"; then status=1; fi
  [[ -s $folder/$2.png ]] || { echo "$2: no screenshot"; status=1; }
}

read -r _ rows steps failed_end < <("$program" "$folder")
look pendulum "{\"variables\": 5, \"rows\": $rows, \"steps\": $steps, \"end\": 10}"
look failed "{\"variables\": 5, \"steps\": 60, \"end\": $failed_end}"
look many '{"variables": 120, "end": 10}'
look hostile "{\"variables\": 5, \"rows\": $rows, \"steps\": $steps, \"end\": 10}"
picture pendulum light
picture pendulum dark --blink-settings=preferredColorScheme=0
exit $status
