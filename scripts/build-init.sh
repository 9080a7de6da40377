#!/usr/bin/env bash
# Builds the programs of native/ from their sources, for x64 and arm64: init, keeper, forker, devices.
# Needs gcc, and gcc-aarch64-linux-gnu for arm64.
# usage: scripts/build-init.sh [OUTPUT_DIRECTORY]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-native}
flags=(-Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident -fno-pie -no-pie
  -Wall -Wextra -Werror -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,noexecstack -s)
build() { # compiler program architecture
  local file=$out/$2-$3
  if command -v "$1" >/dev/null; then "$1" "${flags[@]}" -o "$file" "native/$2.c" && echo "$file: $(wc -c <"$file") bytes"
  else echo "$file: not built, there is no $1"; fi
}
mkdir -p "$out"
for program in init keeper forker devices; do
  build x86_64-linux-gnu-gcc "$program" x64
  build aarch64-linux-gnu-gcc "$program" arm64
done
