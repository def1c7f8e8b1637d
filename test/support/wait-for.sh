#!/bin/sh
# Waits until a file has a text, ten seconds at most, and prints the file's last lines: as many as are asked for, one if none are.
tries=0
until grep -qs -- "$1" "$2"; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { echo "never came: $1"; exit 1; }
  sleep 0.1
done
tail -n "${3:-1}" "$2"
