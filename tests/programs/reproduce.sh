#!/usr/bin/env bash
# reproduce.sh PROGRAM: elements of the paper on tiny data, stopped and resumed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tiny_ratings.sh"
program=$1
if ! command -v gnuplot >/dev/null; then
  echo "skipped: reproduce needs gnuplot (Debian: gnuplot-nox)"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p data/movielens1m
tiny_ratings | gzip >data/movielens1m/ratings.dat.gz
fail() { echo "$*" >&2; exit 1; }
unset PRISM_DATA
run() { "$program" --data data --seeds 1 "$@"; }

# Synthetic data is always available.
mkdir nothing
"$program" --data nothing --results synthetic --only defaults/synthetic600 --list >list.txt 2>log.txt &&
  grep -q '^defaults/synthetic600 ' list.txt || { cat log.txt; fail "there is no synthetic data"; }
[ ! -e synthetic ] || fail "a list makes a folder"

run --results whole --only magnitudes,curves >log.txt 2>&1 || { cat log.txt; exit 1; }
for file in whole.md whole/magnitudes-movielens1m.csv whole/magnitudes-movielens1m.svg \
            whole/curves-movielens1m.svg whole/theorem.svg; do
  [ -s "$file" ] || fail "there is no $file"
done
grep -qE '^"?no decay"?,1,0[.0-9e-]*,0[.0-9e-]*$' whole/curves-movielens1m.csv || fail "no curve by cosine"
grep -q 'full decay' whole.md || fail "the document has no rows"
# For trials that were run without validation by cosine, only the curves by dot product are shown.
mkdir by_dot
sed -E 's/"validations_by_cosine":\[[^]]*\],//' whole/records.jsonl >by_dot/records.jsonl
run --results by_dot --no-run >log.txt 2>&1 || { cat log.txt; exit 1; }
cmp <(cut -d , -f 1-3 whole/curves-movielens1m.csv) <(cut -d , -f 1-3 by_dot/curves-movielens1m.csv) &&
  grep -qE '^"?no decay"?,1,[.0-9e-]+,$' by_dot/curves-movielens1m.csv ||
  fail "curves are not shown by dot product alone"
grep -q '(0 of 15 trials are on record with validation by cosine)' by_dot.md || fail "the document does not say that cosines are missing"
# Stopped at once, stopped by a signal, and resumed.
status=0
run --results parts --only magnitudes,curves --budget 0.0000001 >log.txt 2>&1 || { cat log.txt; exit 1; }
grep -q 'ended as --budget has passed; run the same command to continue' log.txt || fail "it is not said that the budget has passed"
sed -n '/^## Incomplete/,$p' parts.md | grep -q '^| magnitudes | .*movielens1m' && ! grep -q '^### Item magnitude' parts.md ||
  fail "a figure that is not complete is not listed as incomplete"
"$program" --data data --seeds 1 --results parts --only magnitudes,curves >log.txt 2>&1 &
sleep 0.4
kill -TERM $! 2>/dev/null || true
wait $! || status=$?
[ "$status" = 143 ] || [ "$status" = 0 ] || fail "a signal gave the exit status $status"
run --results parts --only magnitudes,curves >log.txt 2>&1 || { cat log.txt; exit 1; }
for file in magnitudes-movielens1m.csv curves-movielens1m.csv; do
  cmp "whole/$file" "parts/$file" || fail "$file depends on interruptions"
done
# Records made on a machine without gnuplot give the same documents on one with it.
if PATH=/nowhere run --results recorded --only magnitudes,curves >log.txt 2>&1 || ! grep -q 'gnuplot-nox' log.txt; then
  fail "the missing gnuplot is not named"
fi
PATH=/nowhere run --results recorded --only magnitudes,curves --no-documents >log.txt 2>&1 || { cat log.txt; exit 1; }
[ "$(ls recorded)" = records.jsonl ] && [ ! -e recorded.md ] || fail "documents were written although none were asked for"
run --results recorded --no-run >log.txt 2>&1 || { cat log.txt; exit 1; }
for file in magnitudes-movielens1m.csv curves-movielens1m.csv; do
  cmp "whole/$file" "recorded/$file" || fail "$file depends on where it was recorded"
done
status=0
run --results parts --only tabel1 >log.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -qF "must name elements" log.txt || fail "an unknown element was taken"
lines=$(wc -l <parts/records.jsonl)
flock parts/records.jsonl "$program" --data data --seeds 1 --results parts --only magnitudes --list >list.txt ||
  fail "the records of another run that is going on are not listed"
grep -q 'magnitudes/movielens1m *4 of 4' list.txt || fail "the list does not say what is on record"
[ "$(wc -l <parts/records.jsonl)" = "$lines" ] || fail "trials on record were run again"
# A cell of Table 1 that was run with one seed of three.
run --results cells --only table1/movielens1m/MF/SSM/text --first-epochs 2 >log.txt 2>&1 || { cat log.txt; exit 1; }
sed -n '/^## Incomplete/,$p' cells.md | grep -q '^| table1/movielens1m | .*MF/SSM/text (1 of 3 seeds)' ||
  fail "a run with one seed writes a document that knows no others"
for rate in 0.1 0.01 0.001; do
  grep -qE "^\| MovieLens 1M \| MF \+ SSM \| text \| $rate( \| 0\.[0-9]{4}){2}( \| [0-9]+){2} \|$" cells.md ||
    fail "decay and PRISM are not compared at the learning rate $rate"
done
"$program" --data data --results cells --first-epochs 2 --no-run >log.txt 2>&1 || { cat log.txt; exit 1; }
for method in decay PRISM; do
  grep -qE "^\| MovieLens 1M \| MF \+ SSM \| text \| $method \| lr [^|]* \| 0\.[0-9]{4} \|" cells.md ||
    fail "the document has no row of one seed for $method"
done
grep -qE '^\| MovieLens 1M \| MF \+ SSM \| text \| [-+][0-9.]+ %( \| [0-9]+ \| [0-9]+ \| [-+][0-9]+ %){2} \|$' cells.md ||
  fail "the document does not compare PRISM with the decay"
sed -n '/^## Incomplete/,$p' cells.md | grep -q '^| table1/movielens1m | .*MF/SSM/text (1 of 3 seeds)' ||
  fail "the missing seeds are not listed as incomplete"
"$program" --data data --results cells --first-epochs 2 --only table1/movielens1m/MF --list >list.txt 2>log.txt ||
  { cat log.txt; exit 1; }
grep -q 'movielens1m/MF/SSM/text  *1 of 3 seeds' list.txt && grep -q 'movielens1m/MF/MAWU/text  *not complete' list.txt ||
  fail "the list does not say which seeds are on record"
# A data set that cannot be read is left out, before others are trained on; a document does not lose its results.
mkdir data/gowalla
echo '<html>' | gzip >data/gowalla/interactions.tsv.gz
run --results whole --only magnitudes,curves >log.txt 2>&1 || { cat log.txt; exit 1; }
grep -q '^Gowalla is left out: .*; --help says' log.txt && ! grep -q -- '--format' log.txt || fail "a file that is no data is not left out"
# Nor is one that cannot be split: here with interactions in both of its sets.
pairs() { tiny_ratings | awk -F:: '{ print $1 "\t" $2 "\t" (($1 + $2) % 5 == 0) }'; }
{ pairs; pairs | head -n 40 | awk '{ print $1 "\t" $2 "\t" 1 - $3 }'; } | gzip >data/gowalla/interactions.tsv.gz
run --results whole --only magnitudes/movielens1m --list >list.txt 2>log.txt || { cat log.txt; exit 1; }
run --results whole --only magnitudes/movielens1m >log.txt 2>&1 || { cat log.txt; exit 1; }
grep -q '^Gowalla, LightGCN split is left out: .*; --help says' log.txt && ! grep -q -- '--drop-repeated' log.txt ||
  { cat log.txt; fail "data that cannot be split are not left out"; }
# A disk that is full leaves the pictures as they were.
cp whole/curves-movielens1m.svg before.svg
echo '<html>' | gzip >data/gowalla/interactions.tsv.gz
if (ulimit -f 8; run --results whole --no-run) >log.txt 2>&1; then fail "a full disk is a success"; fi
cmp whole/curves-movielens1m.svg before.svg || fail "a picture was cut off"
mkdir data/yelp2018
tiny_ratings | awk -F:: '{ print $1 "\t" $2 "\t" (($1 + $2) % 5 == 0) }' | gzip >data/yelp2018/interactions.tsv.gz
run --results whole --only table1/yelp2018/MF/SSM/transferred --list >list.txt 2>log.txt || { cat log.txt; exit 1; }
grep -q 'transferred  *waits for table1/gowalla/MF/SSM/text' list.txt || fail "a cell does not wait for a source that cannot be read"
rm -r data/gowalla data/yelp2018
status=0
cp whole.md before.md
"$program" --data nothing --results whole --only defaults/synthetic600 >log.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -q -- '--data: must have MovieLens 1M, whose results .*whole.md would lose' log.txt && cmp whole.md before.md ||
  fail "status $status: a document lost results whose data are missing"
status=0
run --results /proc/none --only curves >log.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -q -- '--results: cannot be created: /proc/none' log.txt || fail "status $status for a folder that cannot be made"
run --results "" --only curves >log.txt 2>&1 && fail "no name is a folder's name"
grep -q -- '--results: must name a folder' log.txt || { cat log.txt; fail "an empty --results has another error"; }
# A cell that takes another's hyperparameters.
mkdir data/gowalla data/yelp2018
# Different users, because trials on the same interactions would already be on record.
pairs | awk '$1 % 6 != 0' | gzip >data/gowalla/interactions.tsv.gz
pairs | awk '$1 % 6 != 1' | gzip >data/yelp2018/interactions.tsv.gz
transferred() { run --results cells --first-epochs 2 --only table1/yelp2018/MF/SSM/transferred "$@" >log.txt 2>&1; }
transferred --list || { cat log.txt; exit 1; }
grep -q 'yelp2018/MF/SSM/transferred  *waits for table1/gowalla/MF/SSM/text' log.txt || fail "a cell does not say what it waits for"
lines=$(wc -l <cells/records.jsonl)
transferred || { cat log.txt; exit 1; }
grep -qF 'takes the hyperparameters of table1/gowalla/MF/SSM/text, which is not on record' log.txt &&
  [ "$(wc -l <cells/records.jsonl)" = "$lines" ] || fail "a cell was run without the hyperparameters that it takes"
run --results cells --first-epochs 2 --only table1/gowalla/MF/SSM/text >log.txt 2>&1 || { cat log.txt; exit 1; }
lines=$(wc -l <cells/records.jsonl)
transferred || { cat log.txt; exit 1; }
[ "$(wc -l <cells/records.jsonl)" = "$((lines + 2))" ] || fail "not each model of a cell was run once, without a search"
for method in decay PRISM; do
  chosen=$(grep "^| Gowalla | MF + SSM | text | $method |" cells.md | cut -d '|' -f 6)
  grep -qF "| Yelp2018 | MF + SSM | transferred | $method |$chosen|" cells.md ||
    fail "$method was run with other hyperparameters than were chosen:$chosen"
done
rm -r data/yelp2018
# The default learning rate beside constant ones.
run --results rates --only defaults/movielens1m >log.txt 2>&1 || { cat log.txt; exit 1; }
run_of='0\.[0-9]{4} \([0-9]+\)'
for model in FullWD 'PRISM<1>' 'after training'; do
  grep -qE "^\| MovieLens 1M \| $model \|( $run_of \|){4} [-+][0-9.]+ % \|" rates.md ||
    fail "the document has no row of the defaults for $model"
done
[ "$(wc -l <rates/defaults.csv)" = 13 ] || fail "the defaults are not in their CSV"
[ "$(grep -c '; learning_rate default' rates/records.jsonl)" = 3 ] || fail "not all models have a default rate"
# A loss with many negatives on data with a published test set: both initializers, retrained.
pairs | gzip >data/gowalla/interactions.tsv.gz
run --results negatives --only negatives/gowalla/lightgcn/SSM >log.txt 2>&1 || { cat log.txt; exit 1; }
grep -q '^| SSM | Xavier | lr ' negatives.md && grep -q '^| SSM | PRISM<1> | lr ' negatives.md &&
  grep -q '^| published: BSL ' negatives.md || fail "the document has no table of the losses"
[ "$(wc -l <negatives/negatives.csv)" = 3 ] || fail "the losses are not in their CSV"
[ "$(grep -c '"retraining":true' negatives/records.jsonl)" = 2 ] || fail "not both models were retrained"
lines=$(wc -l <negatives/records.jsonl)
[ "$(grep -c 'test: 70 interactions' negatives/records.jsonl)" = "$lines" ] || fail "the test set is not the file's"
run --results negatives --only negatives/gowalla/lightgcn/SSM >log.txt 2>&1 || { cat log.txt; exit 1; }
[ "$(wc -l <negatives/records.jsonl)" = "$lines" ] || fail "trials of negatives that are on record were run again"
# A file without the column for the test set leaves out that split, and no more.
tiny_ratings | awk -F:: '{ print $1 "\t" $2 }' | gzip >data/gowalla/interactions.tsv.gz
run --results negatives --only negatives --list >list.txt 2>log.txt || { cat log.txt; exit 1; }
grep -q "Gowalla, LightGCN split is left out" log.txt && grep -q 'negatives/gowalla/random/SSM' list.txt &&
  ! grep -q 'lightgcn' list.txt || fail "a file without a test set is not left out"
status=0
run --results negatives --only negatives/gowalla/random/SSM >log.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -qF -- "--data: must have Gowalla, LightGCN split, whose results" log.txt ||
  fail "status $status: a document lost a benchmark whose test set is missing"
