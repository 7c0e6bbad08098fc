#!/bin/sh
# Builds plugin.so. A new library gets into place by a rename: the agent may have the old one loaded.
set -e
cd "$(dirname "$0")"
${SWIFTC:-swiftc} -emit-library -static-stdlib -O -module-name Plugin -I . -o plugin.so.new plugin.swift RingiPlugin.swift -ljansson
mv plugin.so.new plugin.so
