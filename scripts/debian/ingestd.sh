#!/bin/sh
# The program, on the runtime that comes with it.
exec /usr/lib/ingestd/node /usr/lib/ingestd/dist/main.js "$@"
