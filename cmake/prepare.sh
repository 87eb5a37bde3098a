# Sourced by ./run, ./test and .ci/run: installs Debian packages, configures, builds. Says nothing
# on standard output; logs are shown only when something fails.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(g++ cmake ninja-build ccache libeigen3-dev libfmt-dev nlohmann-json3-dev
                libsuitesparse-dev libcli11-dev tao-pegtl-dev libhdf5-dev libjs-dygraphs)
peer_packages=(libsundials-dev r-cran-desolve)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev valgrind chromium python3-h5py)

fail() {
  echo "daedalus: $*" >&2
  exit 1
}

# logged FILE COMMAND...: shows the end of FILE if the command fails.
logged() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" > "$log" 2>&1 < /dev/null; then
    tail -n 100 "$log" >&2
    fail "failed: $*; the whole log is $log"
  fi
}

# install_packages NAME...: those that are missing. Where there is no dpkg, CMake will tell.
install_packages() {
  command -v dpkg-query > /dev/null || return 0
  local present missing=() name
  present=$(dpkg-query -W -f='${binary:Package} ${db:Status-Status}\n' "$@" 2> /dev/null || true)
  for name; do
    grep -Eq "^${name//+/\\+}(:[a-z0-9]+)? installed\$" <<< "$present" || missing+=("$name")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo > /dev/null ||
      fail "these Debian packages are needed; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
    sudo true || fail "these Debian packages are needed: ${missing[*]}"
  fi
  echo "daedalus: installing Debian packages: ${missing[*]}" >&2
  logged "$root/build/packages.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=600 update
  logged "$root/build/packages.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends "${missing[@]}"
}

# configure PRESET NAME=VALUE...: only if the build folder does not yet have these settings;
# later changes of the CMake files are ninja's affair.
configure() {
  local preset=$1 setting options=() ready=1
  shift
  local cache=$root/build/$preset/CMakeCache.txt
  [[ -f $root/build/$preset/build.ninja && -f $cache ]] || ready=0
  for setting; do
    options+=("-D$setting")
    ((ready)) && grep -Eq "^${setting%%=*}:[A-Z]+=${setting#*=}\$" "$cache" || ready=0
  done
  ((ready)) && return
  [[ -f $root/build/$preset/build.ninja ]] ||
    echo "daedalus: first build, in build/$preset; later ones only do what changed" >&2
  logged "$root/build/$preset-configure.log" cmake -S "$root" --preset "$preset" "${options[@]}"
}

# build PRESET TARGET
build() {
  logged "$root/build/$1-build.log" \
    cmake --build "$root/build/$1" --target "$2" --parallel "$(nproc)"
}

# one_at_a_time COMMAND...: two scripts must not build in one folder.
one_at_a_time() {
  mkdir -p "$root/build"
  (
    flock 9
    "$@" 9>&-
  ) 9> "$root/build/.lock"
}
