#!/bin/bash -eu
# Builds the fuzz targets for OSS-Fuzz and ClusterFuzzLite: bundles, seeds and the dictionary.
# The layout follows their documentation. No image was built with it yet.
fuzz=packages/siteatlas/test/fuzz
npm ci
node "$fuzz/write-targets.mjs" "$WORK/fuzz"

# The folder that is copied to $OUT: Jazzer.js and the bundles, without the development dependencies.
mkdir -p "$SRC/siteatlas-fuzz"
cp "$fuzz"/engine/package*.json "$WORK"/fuzz/targets/*.js "$SRC/siteatlas-fuzz/"
npm ci --ignore-scripts --prefix "$SRC/siteatlas-fuzz"

cd "$SRC"
while read -r name arguments; do
  # shellcheck disable=SC2086
  compile_javascript_fuzzer siteatlas-fuzz "$name.js" "--includes=$name.js" $arguments
  zip --quiet --junk-paths --recurse-paths "$OUT/${name}_seed_corpus.zip" "$WORK/fuzz/seeds/$name"
  cp "siteatlas/$fuzz/dictionary.txt" "$OUT/$name.dict"
done < "$WORK/fuzz/names.txt"
