#!/usr/bin/env bash
# Runs StableHLO's self-checking programs and compares with what was reached before.
#
# usage: tests/conformance/run.sh SYSTOLITH TARGET
# environment: SYSTOLITH_CASES, a directory of case collections; without it the test is skipped.
set -euo pipefail
if [[ -z ${SYSTOLITH_CASES:-} ]]; then
  echo "SYSTOLITH_CASES names no collection of cases"
  exit 77
fi
exec "$1" conformance "$SYSTOLITH_CASES"/stablehlo/{testdata,interpret} --target "$2" --no-fold \
  --baseline "$(dirname "$0")/baseline.json"
