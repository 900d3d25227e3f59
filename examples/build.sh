#!/usr/bin/env bash
# Makes manual.html and manual.pdf from manual.md, manual.css and figures/.
#
# Needs Node 20 or newer, npm, Chromium and poppler's pdfinfo. CHROMIUM names the browser where it
# is not `chromium`. The same browser and fonts give the same bytes in every run.
set -euo pipefail
cd "$(dirname "$0")"

marked=marked@18.2.1
browser=${CHROMIUM:-chromium}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

print() {
  "$browser" --headless --no-sandbox --disable-gpu --disable-extensions \
    --disable-background-networking --disable-component-update --disable-sync --no-first-run \
    --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$work/profile" \
    --no-pdf-header-footer --generate-pdf-document-outline \
    --print-to-pdf="$1" "file://$PWD/manual.html" 2>"$work/browser.log" ||
    { cat "$work/browser.log" >&2; exit 1; }
}

echo "Installing $marked into a temporary folder"
npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$work" "$marked"
cp render.mjs manual.md manual.css "$work"
ln -s "$PWD/figures" "$work/figures"
render() {
  node "$work/render.mjs" "$@"
  cp "$work/manual.html" manual.html
}

echo "Checking numbers, cross-references and questions"
node check.mjs

echo "Printing once to find the page of each heading"
render
print "$work/first.pdf"
pdfinfo -dests "$work/first.pdf" >"$work/destinations.txt"

echo "Writing manual.html"
render "$work/destinations.txt"
echo "Writing manual.pdf"
print "$work/manual.pdf"
# The browser numbers its tags by chance and puts the time in: both are made constant, at the same
# length, so that the places in the file stay true.
node -e '
  const fs = require("node:fs");
  const pdf = fs.readFileSync(process.argv[1], "latin1");
  const ids = [...new Set(pdf.match(/node\d{8}/g))].sort();
  const rank = new Map(ids.map((id, at) => [id, `node${String(at).padStart(8, "0")}`]));
  const fixed = pdf
    .replace(/node\d{8}/g, (id) => rank.get(id))
    .replace(/Date \(D:\d{14}\+00/g, "Date (D:20260101000000+00");
  fs.writeFileSync(process.argv[2], fixed, "latin1");
' "$work/manual.pdf" manual.pdf
echo "manual.pdf: $(pdfinfo manual.pdf | awk '/^Pages/ { print $2 }') pages, $(wc -c <manual.pdf) bytes"
