#!/usr/bin/env bash
# @TITLE@
#
#   bash ask.sh URL KEY
#
# The last answer tells the value: @MEANS@
set -euo pipefail
URL=$1 KEY=$2
hex=$(printf %s "$KEY" | base64 -d | od -An -v -tx1 | tr -d ' \n')

sign() { # verb, kind, link
  DATE=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  local signature
  signature=$(printf '%s\n%s\n%s\n%s\n\n' "$(printf %s "$1" | tr A-Z a-z)" "$2" "$3" "$(printf %s "$DATE" | tr A-Z a-z)" |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$hex" -binary | base64 | sed 's/+/%2B/g; s:/:%2F:g; s/=/%3D/g')
  AUTHORIZATION="type%3Dmaster%26ver%3D1.0%26sig%3D$signature"
}

answered() {
  local answer
  answer=$(cat)
  printf '%s\n\n' "$answer"
  ETAG=$(printf %s "$answer" | sed -n 's/.*"_etag": *"\(\\"[^"]*"\)".*/\1/p' | tr -d '\\')
}

clean_up() {
@DELETE@
}

@CREATE@
trap clean_up EXIT
@STEPS@
