#!/bin/sh
# Builds the plugin and its test, and runs that.
set -e
cd "$(dirname "$0")"
sh build.sh
${CC:-cc} -std=c11 -g -Wall -Wextra -Wno-unused-parameter -o test test.c -ljansson
./test
