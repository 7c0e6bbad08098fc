#!/bin/sh
# Builds the plugin, and checks it.
set -e
cd "$(dirname "$0")"
sh build.sh
${RINGI:-ringi} plugin check ../@NAME@.json
