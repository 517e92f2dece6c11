#!/usr/bin/env bash
# experiment.sh EXPERIMENT RECOMMEND: lists of values, tuning and records of the experiment program, its
# saved models, and signals.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tiny_ratings.sh"
source "$(dirname "${BASH_SOURCE[0]}")/catches_signal.sh"
program=$(realpath "$1")
recommend=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
tiny_ratings >ratings.dat
fail() { echo "$*" >&2; exit 1; }
run() { "$program" --data ratings.dat --epochs 3 --batch 64 --dim 8 --quiet "$@"; }
# The number of models in a table; other lines that begin with a model have a colon.
rows() { grep -c '^MF[^:]*$' "$1"; }

# 2 learning rates x 2 decays of FullWD, 2 seeds; the other three models ignore the decay.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >first.txt
[ "$(wc -l <records.jsonl)" = 20 ] || fail "the records are not those of 20 trials"
[ "$(rows first.txt)" = 10 ] || fail "the table has not 10 rows"
# The fourth model's power is chosen in each trial.
[ "$(grep -c '"chosen":[0-9.]*,' records.jsonl)" = 4 ] || fail "not each trial of the fourth model has its choice on record"
for rate in 0.1 0.01; do
  grep -qE "^MF .* power by validation \(lr $rate\): ranked with power [0-9.]+, [0-9.]+, chosen on the validation set of each seed" first.txt ||
    fail "the table does not say what was chosen: $(cat first.txt)"
done
# The split of each seed, and the baseline as single runs show it.
[ "$(grep -cE '^seed [12]: ratings.dat: 60 users x 26 items; [0-9]+ interactions to train on' first.txt)" = 2 ] ||
  fail "the sizes of the splits are not shown: $(head -n 2 first.txt)"
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1 >one_seed.txt
run --lr 0.1 --seed 1 >single.txt
baseline() { awk '/^most popular items / { print $4 }' "$1"; }
[ -n "$(baseline single.txt)" ] && [ "$(baseline one_seed.txt)" = "$(baseline single.txt)" ] ||
  fail "the baseline in a list is $(baseline one_seed.txt), in a single run $(baseline single.txt)"
grep -q '^warning: MF.* ranks worse than recommending the most popular items' one_seed.txt ||
  fail "no warning of models that rank worse than popularity: $(cat one_seed.txt)"
# All trials are on record: the table is the same, and none is run.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >second.txt
cmp first.txt second.txt || fail "the table from the records is another"
[ "$(wc -l <records.jsonl)" = 20 ] || fail "trials on record were run again"
# A record that was cut off is run again.
head -c -40 records.jsonl >cut && mv cut records.jsonl
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >third.txt
cmp first.txt third.txt || fail "the table after a record was cut off is another"
status=0
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl >/dev/full 2>err.txt || status=$?
[ "$status" = 1 ] && grep -qx 'experiment: standard output cannot be written' err.txt ||
  fail "exit status $status where nothing can be written: $(cat err.txt)"
# Warnings of trials are shown, and a file of something else is no file of records.
run --loss BPR --initializer PRISM --lr 0.1,0.01 >warned.txt
grep -q '^warning: .*(lr 0.1), seed 123, and 1 more like it: training stopped after 15 steps' warned.txt ||
  fail "no warning of few steps: $(cat warned.txt)"
echo "not a record" >notes.txt
run --lr 0.1,0.01 --records notes.txt >/dev/null 2>err.txt && fail "notes were taken for records"
grep -q 'notes.txt:1: is not the record of a trial; if the file has no records of trials, give another name' err.txt ||
  fail "a file without records: $(cat err.txt)"
run --lr 0.1 --records "" >/dev/null 2>err.txt && fail "records of no name were accepted"
grep -q -e '--records: must name a file' err.txt || fail "records of no name: $(cat err.txt)"
run --lr 0.1 --rating-column 2 >/dev/null 2>err.txt && fail "a column of ratings that nothing reads was accepted"
grep -q -e '--rating-column: requires --min-rating' err.txt || fail "a column of ratings: $(cat err.txt)"
# A retraining that diverged is shown, and the exit status says so.
run --initializer PRISM --lr 0.01 --seed 1 --retrain --records diverged.jsonl >/dev/null
sed -i '/"retraining":true/s/"test":{.*},"validations"/"error":"diverged","validations"/' diverged.jsonl
status=0
run --initializer PRISM --lr 0.01 --seed 1 --retrain --records diverged.jsonl >out.txt || status=$?
[ "$status" = 1 ] && grep -q 'retraining: diverged' out.txt || fail "status $status: $(cat out.txt)"
# The choice is the best validation of the first seed.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl --tune >tuned.txt
[ "$(rows tuned.txt)" = 4 ] || fail "tuning gave not 4 models"
[ "$(wc -l <records.jsonl)" = 20 ] || fail "tuning ran trials that were on record"
# The choice is retrained on training and validation set, once.
run --lr 0.1,0.01 --lambda 1e-4,1e-6 --seed 1,2 --records records.jsonl --tune --retrain >anew.txt
[ "$(wc -l <records.jsonl)" = 28 ] || fail "not each of 4 models and 2 seeds was retrained"
[ "$(grep -c '"retraining":true' records.jsonl)" = 8 ] || fail "the records do not say which were retrained"
! grep '"retraining":true' records.jsonl | grep -q '"warnings":\[[^]]' ||
  fail "a retraining warns of its few epochs, which validation has chosen"
grep -q "Tested after retraining" anew.txt || fail "the table does not say that models were retrained"
cmp -s tuned.txt anew.txt && fail "retraining changed no figure"
# One worker and two give the same.
run --lr 0.1,0.01 --seed 1,2 --threads 1 >one.txt
run --lr 0.1,0.01 --seed 1,2 --threads 2 >two.txt
cmp one.txt two.txt || fail "the table depends on the number of threads"

# Values of a ranking are no list of trials: each training chooses among them.
run --rank-power 0.1,0.5 --json ranked.json >out.txt || fail "a list of powers is not a single run: $(cat out.txt)"
[ "$(rows out.txt)" = 1 ] && grep -qE 'power by validation: ranked with power 0\.[15], chosen on' out.txt || fail "$(cat out.txt)"
ranked() { run --lr 0.1,0.01 --seed 1,2 --tune --retrain --records ranked.jsonl "$@"; }
ranked --rank-alpha 0,1,2 >ranked.txt
grep -qE '^MF .* alpha by validation \(lr [0-9.]+\): ranked with alpha [012], [012], chosen on the validation set of each seed' ranked.txt ||
  fail "the choice of tuned models is not said: $(cat ranked.txt)"
[ "$(rows ranked.txt)" = 1 ] && [ "$(wc -l <ranked.jsonl)" = 5 ] || fail "not 2 candidates, the chosen one's second seed and 2 retrainings"
[ "$(grep -c '"chosen":[012]\.0,.*ranked with alpha by validation from 0 1 2;' ranked.jsonl)" = 3 ] ||
  fail "the records do not have what was chosen: $(cat ranked.jsonl)"
grep '"retraining":true' ranked.jsonl | grep -q '"chosen"' && fail "a retraining chose"
ranked --rank-alpha 2,0,1 | cmp - ranked.txt || fail "the order of the values matters"
[ "$(wc -l <ranked.jsonl)" = 5 ] || fail "trials on record were run again"
ranked --rank-alpha 1 >fixed.txt
[ "$(wc -l <ranked.jsonl)" = 10 ] && ! grep -q 'chosen' fixed.txt && grep -q '^MF .* + alpha 1  ' fixed.txt ||
  fail "trials with a value that is given: $(cat fixed.txt)"

# Shared negatives, dropout, other parts of the split, a schedule, retraining.
"$program" --data ratings.dat --epochs 3 --batch 64 --dim 8 --quiet --loss SSM --negatives 20 --log-q \
  --sampler SharedPopularityNegatives --mask seen_items --dropout 0.1 --initializer PRISM \
  --validation-part 0.2 --test-part 0.2 --schedule cosine --retrain --json shared.json >shared.txt
for words in 'SSM, log_q 1, negatives 20, tau 0.2' 'SharedPopularityNegatives, mask 2, PopularityNegatives, power 0.75' \
  'MF<8> with dropout 0.1, rate 0.1' '"retraining"' '"test_part": 0.2' '"schedule": "cosine"'; do
  grep -qF -- "$words" shared.json || { cat shared.json; fail "the record has not $words"; }
done

# SimpleX and its option.
"$program" --data ratings.dat --epochs 2 --batch 64 --dim 8 --quiet --backbone SimpleX --loss CCL --negatives 5 \
  --initializer PRISM --simplex-own-weight 0.25 --json simplex.json >simplex.txt
for words in 'SimpleX<8>, own_weight 0.25' '"simplex_own_weight": 0.25'; do
  grep -qF -- "$words" simplex.json || { cat simplex.json; fail "the record has not $words"; }
done

# A column that marks the test set gives the same result as two files.
awk -F:: '{ print $1 "\t" $2 "\t" (($1 + $2) % 5 == 0) }' ratings.dat | sort -s -t "$(printf '\t')" -k3,3 >parts.tsv
awk '$3 == 0 { print $1 "\t" $2 }' parts.tsv >train.tsv
awk '$3 == 1 { print $1 "\t" $2 }' parts.tsv >test.tsv
parts() { "$program" --epochs 3 --batch 64 --dim 8 --quiet --initializer PRISM --json "$1.json" "${@:2}" | awk '/^MF/ { print $8, $9, $10, $11, $12, $13 }' >"$1.txt"; }
parts column --data parts.tsv --test-column 2
parts files --data train.tsv --test test.tsv
[ -s column.txt ] && cmp column.txt files.txt || fail "a column for the test set gives another table than two files"
grep -qF '"test_column": "2"' column.json || fail "the record does not have the column"
sed 's/1$/held out/' parts.tsv >named.tsv
parts named --data named.tsv --test-column 2 --test-value 'held out'
cmp column.txt named.txt || fail "another value of the column gives another table"
refused_parts() {
  local words=$1 status=0
  shift
  "$program" --quiet "$@" >out.txt 2>&1 || status=$?
  [ "$status" != 0 ] && grep -qF -- "$words" out.txt || fail "status $status, without '$words': $(cat out.txt)"
}
refused_parts 'requires --test or --test-column' --data parts.tsv --drop-repeated
refused_parts 'must name a column' --data parts.tsv --test-column ''
refused_parts '--test excludes --test-column' --data parts.tsv --test test.tsv --test-column 2
sed 's/0$/1/' parts.tsv | cat parts.tsv - >twice.tsv
refused_parts '--test-column: ' --data twice.tsv --test-column 2

# Each seed reads the data again.
status=0
"$program" --quiet --data - --seed 1,2 < <(cat parts.tsv) >out.txt 2>&1 || status=$?
[ "$status" = 2 ] && grep -qF -- '--data: is a pipe, which can be read only once' out.txt || fail "status $status for seeds and a pipe: $(cat out.txt)"

# Columns that are no users and items, whatever the split.
awk -F:: '{ print NR - 1 "," $1 "," $2 }' ratings.dat >indexed.csv
refused_parts 'column 0 (from 0), taken as the user column, has numbers that grow by 1' --data indexed.csv
refused_parts 'no interaction of the test set has a user and an item that are both in the training set' --data indexed.csv --user-column 0
# Twelve lines, of which a validation item may occur once, are trained on.
awk 'BEGIN { for (k = 0; k < 12; ++k) print k % 4 "," k "," 5 }' >small.csv
"$program" --epochs 1 --quiet --data small.csv >out.txt 2>&1 || fail "small data is refused: $(cat out.txt)"
grep -qF 'set has a user and an item that are both in the training set; the data is too small' out.txt || fail "small data has no warning: $(cat out.txt)"
parts index --data indexed.csv --user-column 1 --item-column 2

# Splits by time, which is in a column or the file's order.
awk -F:: '{ print $1 "\t" $2 "\t5\t" 1000000000 + NR }' ratings.dat >timed.tsv
awk -F:: '{ print $1 "\t" $2 "\t5\t-" NR "\t" NR }' ratings.dat >fifth.tsv
cut -f 1,2 timed.tsv >ordered.tsv
parts timed --data timed.tsv --split temporal_user
parts ordered --data ordered.tsv --split temporal_user --file-order
[ -s timed.txt ] && cmp timed.txt ordered.txt || fail "the file's order gives another table than its times"
grep -qF '"split": "temporal_user"' timed.json || fail "the record does not have the split"
parts random --data timed.tsv
cmp -s timed.txt random.txt && fail "a split by time gives the table of a random one"
parts fifth --data fifth.tsv --split temporal_user --time-column 4
cmp timed.txt fifth.txt || fail "the column of times is not the one that was chosen"
awk '{ print $1 "\t" $2 "\t5\t" 1000000000 + (NR * 100) % 331 }' timed.tsv >mixed.tsv
parts global --data mixed.tsv --split temporal_global
refused_parts 'lists the interactions of one user after another' --data ordered.tsv --file-order --split temporal_global
cmp -s timed.txt global.txt && fail "a global split gives the table of one by users"
parts given --data parts.tsv --test-column 2 --split temporal_user --file-order
cmp -s column.txt given.txt && fail "--split does not choose the validation set where the test set is given"
parts last --data timed.tsv --split leave_last_out
[ -s last.txt ] || fail "leave_last_out has no table"
users=$(cut -f 1 timed.tsv | sort | uniq -c | awk '$1 >= 3' | wc -l)
grep -qF "\"test\": $users," last.json || fail "leave_last_out does not test on one interaction of each of $users users"
grep -qF '"test_part": null' last.json || fail "the record has a fraction that leave_last_out does not use"
refused_parts '--data: has no times, so its interactions cannot be ordered; choose the column of times with the option --time-column, or use --file-order' --data parts.tsv --split leave_last_out
refused_parts '--time-column: must be a column number of at least 0, not -2' --data timed.tsv --split leave_last_out --time-column=-2
refused_parts '(option --test-column)' --data timed.tsv --header --test-column flag
refused_parts '--time-column: must not be the same column as user' --data timed.tsv --split leave_last_out --time-column 0
refused_parts '--validation-part and --test-part: must be below 1' --data timed.tsv --split temporal_user --validation-part 0.5 --test-part 0.5
sed 's/[0-9]*$/1000000007/' timed.tsv >constant.tsv
refused_parts '--data: has the same time in all interactions, so they cannot be ordered; choose another column with the option --time-column, or split at random' --data constant.tsv --split leave_last_out
sed 's/[0-9]*$/1000000007/; 1s/7$/8/' timed.tsv >two.tsv
refused_parts 'has too many interactions at the same time' --data two.tsv --split temporal_global
refused_parts 'is used only with --split by time' --data timed.tsv --time-column 3
refused_parts 'is not used with --split leave_last_out' --data timed.tsv --split leave_last_out --validation-part 0.2

# In --delimiter, \t is a tab.
sed 's/::/\t/g' ratings.dat >ratings.tsv
"$program" --data ratings.tsv --delimiter '\t' --epochs 1 --batch 64 --dim 8 --quiet --json tabs.json >tabs.txt
grep -qF '"delimiter": "\t"' tabs.json || { cat tabs.json; fail "the two letters are no tab"; }

# A saved model answers queries, and is not replaced by a model of other settings.
run --initializer PRISM --save models --json saved.json >saved.txt
folder_of_model=models/MF-DirectAU-None-PRISM
user=$(head -n 1 "$folder_of_model/user_ids.txt")
"$recommend" --model "$folder_of_model" --users "$user,nobody" -k 3 >answer.txt 2>unknown.txt && fail "nobody was known"
[ "$(grep -c "^$user" answer.txt)" = 3 ] || fail "there are not 3 recommendations"
grep -q "has no user nobody" unknown.txt || fail "an unknown user is not named"
# A user who came after training.
awk -F:: -v user="$user" '$1 == user { print "newcomer," $2 }' ratings.dat >newcomer.csv
printf 'newcomer,never seen\n' >>newcomer.csv
sed -i '1i user,item' newcomer.csv
"$recommend" --model "$folder_of_model" --new-users newcomer.csv -k 3 >new.txt 2>unknown.txt
[ "$(grep -c "^newcomer" new.txt)" = 3 ] || fail "there are not 3 recommendations for a new user"
grep -q "1 of .* interactions are with items that the model does not have" unknown.txt || fail "an unknown item is not counted"
run --initializer PRISM --save models --json saved.json >again.txt
cmp <(sed 's/ [0-9.]* *[-0-9.]*$//' saved.txt) <(sed 's/ [0-9.]* *[-0-9.]*$//' again.txt) || fail "a second run is another"
kept() {
  local words=$1 status=0
  shift
  run --initializer PRISM "$@" >out.txt 2>&1 || status=$?
  [ "$status" = 1 ] && grep -qF -- "$words" out.txt || { cat out.txt >&2; fail "exit status $status, or not '$words': $*"; }
}
kept "--lr null, now 0.5" --save models --lr 0.5
kept "--lr null, now 0.5" --json saved.json --lr 0.5
cp ratings.dat mine.json
kept "is not a record of experiment" --json mine.json
cmp -s ratings.dat mine.json || fail "another program's file was replaced"

# A signal ends training after the current step: the table is printed, and --resume reaches the same result.
long=("$program" --data ratings.dat --epochs 1000000 --patience 1000000 --batch 16 --dim 8 --lr 0.001
  --initializer PRISM --threads 1)
for signal in INT:130 TERM:143; do
  rm -rf checkpoints
  : >progress.txt
  "${long[@]}" --checkpoint checkpoints >first.txt 2>progress.txt & process=$!
  until grep -q '^epoch 3' progress.txt; do
    kill -0 "$process" 2>/dev/null || fail "training ended before its third epoch: $(cat first.txt progress.txt)"
    sleep 0.05
  done
  kill -"${signal%:*}" "$process"
  status=0
  wait "$process" || status=$?
  [ "$status" = "${signal#*:}" ] || fail "exit status $status after SIG${signal%:*}"
  grep -q 'ended by a signal' first.txt || fail "the table does not say that a signal ended the run"
done
kept "add --resume" --checkpoint checkpoints
run2() { "$program" --data ratings.dat --dim 8 --quiet --initializer PRISM --lr 0.001 --batch 16 "$@"; }
run2 --epochs 6 --json whole.json >/dev/null
run2 --epochs 2 --checkpoint resumed >/dev/null
run2 --epochs 6 --checkpoint resumed --resume --json resumed.json >/dev/null
numbers() { grep -vE 'seconds' "$1"; }
diff <(numbers whole.json) <(numbers resumed.json) || fail "a resumed run ends otherwise than the whole one"

# A signal pauses the trials of lists and --tune: the table has the finished trials, and the same command run again
# reaches the same result.
several=("$program" --data ratings.dat --epochs 3000 --patience 3000 --batch 16 --dim 8 --seed 1,2
  --initializer PRISM --threads 1 --quiet)
lists=("${several[@]}" --lr 0.001,0.01)
tuning=("${several[@]}" --lr 0.01 --gamma 1,2 --tune --first-epochs 1500)
"${lists[@]}" --records whole.jsonl >whole.txt  # 4 trials
"${tuning[@]}" --records whole.jsonl >whole_tuned.txt
# wait_for PROCESS CONDITION...: waits for the condition; fails if the process ends first
wait_for() {
  local process=$1
  shift
  until "$@"; do
    kill -0 "$process" 2>/dev/null || fail "the program ended before '$*': $(cat first.txt)"
    sleep 0.02
  done
}
# checkpoint_but RECORDS NAME: the checkpoints of trials other than this one
checkpoint_but() { ls "$1.trials" 2>/dev/null | grep '\.ckpt$' | grep -v -- "$2"; }
stopped_and_gone_on_with() {
  local signal=$1 expected=$2 records=$3 whole=$4 status=0
  shift 4
  "$@" --records "$records" >first.txt & process=$!
  wait_for "$process" checkpoint_but "$records" none >trial.txt
  wait_for "$process" checkpoint_but "$records" "$(head -n 1 trial.txt)" >/dev/null
  kill -"$signal" "$process"
  wait "$process" || status=$?
  [ "$status" = "$expected" ] || fail "exit status $status of trials after SIG$signal"
  grep -q 'ended by a signal' first.txt || fail "the table does not say that a signal ended the trials"
  grep -q 'Recall@20 on the test set' first.txt || fail "no table after SIG$signal"
  checkpoint_but "$records" none >/dev/null || fail "no trial was put aside after SIG$signal"
  local lines
  lines=$(wc -l <"$records")
  [ "$(grep -c '"key":".*"}$' "$records")" = "$lines" ] || fail "the records are not complete after SIG$signal"
  "$@" --records "$records" >second.txt
  cmp "$whole" second.txt || fail "the table depends on interruptions"
  [ ! -e "$records.trials" ] || fail "checkpoints are left of trials that are over"
  [ "$(wc -l <"$records")" = 4 ] || fail "a trial on record was run again, or one was not run"
}
stopped_and_gone_on_with INT 130 interrupted.jsonl whole.txt "${lists[@]}"
# Two candidates trained up to the rung, then the chosen one with both seeds.
stopped_and_gone_on_with TERM 143 terminated.jsonl whole_tuned.txt "${tuning[@]}"

# A second signal does not wait for the end of the epoch, which is minutes away here.
"$program" --backbone LightGCN --batch 1 --lr 0.001,0.01 --initializer PRISM --records long.jsonl --threads 1 \
  --quiet >first.txt & process=$!
ticks() { awk '{ print $14 }' "/proc/$process/stat"; }
trains() { [ -e long.jsonl.trials ] && [ "$(ticks)" -gt $((begun + 20)) ]; }
catches_terminate() { catches_signal "$program" "$process" 15; }
wait_for "$process" catches_terminate
begun=$(ticks)
wait_for "$process" trains
kill -INT "$process"
has_one_signal() { ! catches_terminate; }
wait_for "$process" has_one_signal
kill -TERM "$process"
status=0
wait "$process" || status=$?
[ "$status" = 143 ] || fail "exit status $status after a second signal"
[ "$(wc -l <first.txt)" = 1 ] || fail "the program went on after a second signal: $(cat first.txt)"

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
refused "must be an integer of at least 0, not -1" --min-steps -1
refused "must be at most 18446744073709551615" --min-steps 99999999999999999999
refused "--alpha" --alpha 4 --initializer PRISM
refused "name the same place" --json out --save ./out/
refused "would append to the data" --records ratings.dat --tune
refused "is used only with --loss SSM" --tau 0.1,0.2
refused "--tune" --first-epochs 3
refused "must draw separate negatives for each pair with MACR" --loss MACR --sampler SharedUniformNegatives
refused "is used only with --loss SSM and a sampler" --loss SSM --log-q
refused "is used only with --loss SLK" --loss PSL --slk-k 5
refused "and not AllInBatchNegatives" --loss SSM --sampler AllInBatchNegatives --negatives 9
refused "is used only with --backbone SimpleX" --simplex-own-weight 0.3
refused "--simplex-own-weight" --backbone SimpleX --simplex-own-weight 1.5
refused "--rank-power excludes --rank-alpha" --rank-power 1 --rank-alpha 1
for value in 5 -4.1 nan much Auto 0.5,auto 0.1,9 , 0.1, ,0.1 0.1,,0.2 ''; do
  refused "--rank-power: must be auto, or numbers from -4 to 4 with commas between them, not '$value'" --rank-power "$value"
done
refused "--rank-alpha: must be auto, or numbers from 0 to 3.25 with commas between them, not '0.5,-1'" --rank-alpha 0.5,-1
refused "--rank-power: has 0.50 twice" --rank-power 0.5,1,0.50
refused "--rank-power: " --rank-power 0.5 --rank-power 1
refused "--rank-power: " --rank-power=
refused "--rank-exponent: must be a number from -100 to 100, not 1,2" --rank-exponent 1,2
refused "--ccl-margin: must be a number from -1 to 1, not nan" --loss CCL --ccl-margin nan
