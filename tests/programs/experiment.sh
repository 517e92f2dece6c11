#!/usr/bin/env bash
# experiment.sh PROGRAM: lists of values, tuning and records of the experiment program.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tiny_ratings.sh"
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
tiny_ratings >ratings.dat
fail() { echo "$*" >&2; exit 1; }
run() { "$program" --data ratings.dat --epochs 3 --batch 64 --dim 8 --quiet "$@"; }

# 2 rates x 2 decays of FullWD, 2 seeds; decay is nothing to the others.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >first.txt
[ "$(wc -l <records.jsonl)" = 16 ] || fail "the records are not those of 16 trials"
[ "$(grep -c '^MF' first.txt)" = 8 ] || fail "the table has not 8 rows"
# All of it is on record: the same table, no trial.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >second.txt
cmp first.txt second.txt || fail "the table from the records is another"
[ "$(wc -l <records.jsonl)" = 16 ] || fail "trials on record were run again"
# A record that was cut off is run again.
head -c -40 records.jsonl >cut && mv cut records.jsonl
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >third.txt
cmp first.txt third.txt || fail "the table after a record was cut off is another"
# The choice is the best validation of the first seed.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl --tune >tuned.txt
[ "$(grep -c '^MF' tuned.txt)" = 3 ] || fail "tuning gave not 3 models"
[ "$(wc -l <records.jsonl)" = 16 ] || fail "tuning ran trials that were on record"
# One worker and two give the same.
run --lr 0.1,0.01 --seed 1,2 --threads 1 >one.txt
run --lr 0.1,0.01 --seed 1,2 --threads 2 >two.txt
cmp one.txt two.txt || fail "the table depends on the number of threads"

# Negatives that all pairs share, dropout, other parts, a schedule, retraining.
"$program" --data ratings.dat --epochs 3 --batch 64 --dim 8 --quiet --loss SSM --negatives 20 --log-q \
  --sampler SharedPopularityNegatives --mask seen_items --dropout 0.1 --initializer PRISM \
  --validation-part 0.2 --test-part 0.2 --schedule cosine --retrain --json shared.json >shared.txt
for words in 'SSM, log_q 1, negatives 20, tau 0.2' 'SharedPopularityNegatives, mask 2, PopularityNegatives, power 0.75' \
  'MF<8> with dropout 0.1, rate 0.1' '"retraining"' '"test_part": 0.2' '"schedule": "cosine"'; do
  grep -qF -- "$words" shared.json || { cat shared.json; fail "the record has not $words"; }
done

refused() {
  local words=$1 status=0
  shift
  run "$@" >out.txt 2>&1 || status=$?
  [ "$status" = 2 ] && grep -qF -- "$words" out.txt || {
    cat out.txt >&2
    fail "exit status $status, or not the words '$words': $*"
  }
}
refused "--lr" --lr 0.1,-1
refused "--records FILE" --lr 0.1,0.01 --json out.json
refused "has 1 twice" --seed 1,1
refused "would append to the data" --records ratings.dat --tune
refused "is used only with --loss SSM" --tau 0.1,0.2
refused "--tune" --first-epochs 3
refused "each pair's own negatives with MACR" --loss MACR --sampler SharedUniformNegatives
refused "is used only with --loss SSM and a sampler" --loss SSM --log-q
refused "and not AllInBatchNegatives" --loss SSM --sampler AllInBatchNegatives --negatives 9
refused "must be a finite number" --loss CCL --ccl-margin nan
refused "--retrain" --lr 0.1,0.01 --retrain
