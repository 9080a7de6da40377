#!/usr/bin/env bash
# Builds native/init-x64 and native/init-arm64 from native/init.c. Needs gcc, and gcc-aarch64-linux-gnu for the second.
# usage: scripts/build-init.sh [OUTPUT_DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-native}
flags=(-Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident -fno-pie -no-pie
  -Wall -Wextra -Werror -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,noexecstack -s)
build() { # compiler file
  if command -v "$1" >/dev/null; then "$1" "${flags[@]}" -o "$out/$2" native/init.c && echo "$out/$2: $(wc -c <"$out/$2") bytes"
  else echo "$out/$2: not built, there is no $1"; fi
}
mkdir -p "$out"
build x86_64-linux-gnu-gcc init-x64
build aarch64-linux-gnu-gcc init-arm64
