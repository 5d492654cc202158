#!/usr/bin/env bash
# @TITLE@
#
#   bash ask.sh URL                     # the account's key is in COSMOS_TTL_KEY
#
# The last answer tells the value: @MEANS@
set -euo pipefail
URL=${1%/}
DATABASE=cosmos-ttl-$(date +%s)-$$-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
hex=$(printf %s "${COSMOS_TTL_KEY:?is not set}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
printf -v hex '%-128s' "$hex"
hex=${hex// /0}

padded_key() { # a byte, for XOR with each byte of the key
  local at byte
  for ((at = 0; at < 128; at += 2)); do
    printf -v byte '\\x%02x' $((16#${hex:at:2} ^ $1))
    printf "$byte"
  done
}

# HMAC by hand, for a key of at most 64 bytes, as accounts have: openssl takes a key on its command line only, where others see it.
sign() { # verb, kind, link
  DATE=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  local signature
  signature=$({
    padded_key 0x5c
    {
      padded_key 0x36
      printf '%s\n%s\n%s\n%s\n\n' "$(printf %s "$1" | tr A-Z a-z)" "$2" "$3" "$(printf %s "$DATE" | tr A-Z a-z)"
    } | openssl dgst -sha256 -binary
  } | openssl dgst -sha256 -binary | base64 | sed 's/+/%2B/g; s:/:%2F:g; s/=/%3D/g')
  AUTHORIZATION="type%3Dmaster%26ver%3D1.0%26sig%3D$signature"
}

answered() { # the status, as a regular expression, and the command
  local answer expected=$1
  shift
  answer=$("$@" -w '\n%{http_code}') || exit
  printf '%s\n\n' "$answer"
  [[ ${answer##*$'\n'} =~ ^($expected)$ ]] || {
    printf 'error: the status is not %s\n' "$expected" >&2
    exit 1
  }
  ETAG=$(printf %s "$answer" | sed -n 's/.*"_etag": *"\(\\"[^"]*"\)".*/\1/p' | tr -d '\\')
}

clean_up() {
@DELETE@
}

@CREATE@
trap clean_up EXIT
@STEPS@