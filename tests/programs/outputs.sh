#!/usr/bin/env bash
# outputs.sh EXPERIMENT RECOMMEND: what experiment keeps, refuses and reports for --json, --report, --save and
# --checkpoint.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tiny_ratings.sh"
source "$(dirname "${BASH_SOURCE[0]}")/catches_signal.sh"
program=$(realpath "$1")
recommend=$(realpath "$2")
folder=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
tiny_ratings >ratings.dat
fail() { echo "$*" >&2; exit 1; }
run() { "$program" --data ratings.dat --dim 8 --initializer PRISM --quiet "$@"; }
# refused STATUS WORDS OPTIONS...: checks that the options are refused and nothing is trained
refused() {
  local expected=$1 words=$2 status=0
  shift 2
  run "$@" >out.txt 2>&1 || status=$?
  [ "$status" = "$expected" ] && grep -qF -- "$words" out.txt && ! grep -q '^most popular' out.txt || {
    cat out.txt >&2
    fail "exit status $status, not the words '$words', or a table: $*"
  }
}

# A report: one page, with the record in it, that needs no other file.
run --epochs 3 --regularizer None --loss SSM --report report.html >out.txt 2>&1
grep -qF '"model":"MF\u003c8> + SSM + None + PRISM\u003c1>"' report.html && grep -q '"item_magnitudes":\[{"items"' report.html ||
  fail "the report has no run: $(head -c 300 report.html)"
! grep -q '{{RECORD}}' report.html && grep -q '^</html>' report.html || fail "the report is not whole"
! grep -qE '(src|href)=|url\(|@import' report.html || fail "the report needs other files"
refused 2 "--report: would overwrite the data in ratings.dat" --report ratings.dat
refused 2 "--report: and --json name the same file, same" --report same --json same
refused 2 "--report: is for single runs" --report lists.html --lr 0.1,0.01
# A log: a line for each epoch of each model, after those that are there.
plain_log() { "$program" --data ratings.dat --dim 8 --batch 64 --epochs 2 --quiet --log log.jsonl "$@" >out.txt 2>&1 || fail "$(cat out.txt)"; }
plain_log && plain_log --loss SSM --regularizer None
[ "$(wc -l <log.jsonl)" = 10 ] && [ "$(grep -c '^{"epoch":[12],"loss":.*"model":"MF<8> + .*}$' log.jsonl)" = 10 ] || fail "not 10 epochs: $(cat log.jsonl)"
[ "$(grep -c 'SSM' log.jsonl)" = 2 ] && [ "$(grep -c '"chosen":' log.jsonl)" = 2 ] || fail "not the models: $(cat log.jsonl)"
plain_log --loss SSM --regularizer None --retrain
[ "$(grep -c '"retraining":true' log.jsonl)" -ge 1 ] || fail "the retraining is not marked: $(tail -n 3 log.jsonl)"
if [ -w /dev/full ]; then
  status=0
  "$program" --data ratings.dat --dim 8 --batch 64 --epochs 2 --quiet --loss SSM --regularizer None --log /dev/full >out.txt 2>&1 || status=$?
  [ "$status" = 1 ] && grep -qF "/dev/full: cannot be written" out.txt && grep -q '^MF<8> + SSM' out.txt || fail "a full log: $(cat out.txt)"
fi
refused 2 "--log: names the same file as another option" --log same --json same
refused 2 "--log: is for single runs" --log lists.jsonl --lr 0.1,0.01
# In a browser, if there is one, its script draws four charts and comes to its end.
for browser in chromium chromium-browser google-chrome; do
  command -v "$browser" >/dev/null || continue
  "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/browser" --dump-dom "file://$PWD/report.html" \
    >drawn.html 2>browser.txt || fail "$browser: $(cat browser.txt)"
  [ "$(grep -o '<figure>' drawn.html | wc -l)" = 4 ] && grep -q 'data-drawn="whole"' drawn.html ||
    fail "the page has not four charts, or its script failed: $(tail -c 500 drawn.html)"
  break
done

# How the data was read is reported even with --quiet.
run --epochs 4 --checkpoint done --json done.json --save done >out.txt 2>messages.txt
grep -q "ratings.dat: columns separated by '::', no header" messages.txt || fail "the data is not described: $(cat messages.txt)"
grep -q '"stop_reason": "epochs"' done.json || fail "the record does not say why training ended"
grep -q '"interrupted": false' done.json || fail "the record does not say that training was not interrupted"
! grep -q 'validation_by_cosine' done.json || fail "validation by cosine was not asked for"
run --epochs 2 --validate-by-cosine --json cosine.json >out.txt 2>&1
[ "$(grep -c '"validation_by_cosine": 0\.[0-9]*[1-9]' cosine.json)" = 2 ] || fail "not each epoch has its validation by cosine"
! grep -q '"test_at"\|"test_users"' done.json || fail "other lengths and users' metrics were not asked for"
run --epochs 2 --at 5,10 --user-metrics --json users.json >out.txt 2>&1
[ "$(grep -c '"map": 0\.[0-9]*[1-9]' users.json)" = 3 ] || fail "there is no MAP at 5, 10 and 20: $(cat users.json)"
[ "$(grep -c '"average_precision": \[' users.json)" = 3 ] || fail "there are no values of each user at 5, 10 and 20"
! grep -q 'paired t test' out.txt || fail "one model was compared: $(cat out.txt)"
refused 2 "--at requires --json" --at 5
refused 2 "--at: has 5 twice" --json twice.json --at 5,5

# Aggregation is chosen on the validation set and changes the table; it is not part of a saved model.
run --epochs 2 --aggregate --json aggregated.json >aggregated.txt 2>messages.txt
grep -qE 'test-time aggregation m -[0-9.]+, n -[0-9.]+, weight [0-9.]+: NDCG@20 [0-9.]+ on the validation' aggregated.txt ||
  fail "the aggregation is not said: $(cat aggregated.txt)"
grep -q '"neighbour_exponent": -' aggregated.json || fail "the record has no aggregation"
grep -q '"test_by_dot_without_aggregation"' aggregated.json || fail "the record has no result without aggregation"
run --epochs 2 >trained.txt 2>messages.txt
figures() { awk '/^MF/ { print $8, $9, $10, $11, $12; exit }' "$1"; }
[ "$(figures aggregated.txt)" != "$(figures trained.txt)" ] || fail "aggregation changed no figure"
run --epochs 2 --aggregate --retrain --json retrained.json >again.txt 2>messages.txt
grep -q 'tested after retraining on training and validation set' again.txt || fail "the retraining is not said"
[ "$(grep -c '"validation_ndcg": null' retrained.json)" -ge 1 ] || fail "a retraining has a validation that it did not measure"
grep -q 'test-time aggregation m -' again.txt && [ "$(figures again.txt)" != "$(figures aggregated.txt)" ] ||
  fail "retraining changed no figure of an aggregated model"
grep -q '"training stopped' retrained.json && [ "$(grep -c '"training stopped' retrained.json)" = 1 ] ||
  fail "a retraining repeats the training's warnings"
# A retraining that fails costs nothing of the first training: here a user has no item left to draw.
awk 'BEGIN { for (u = 1; u <= 20; ++u) for (i = 1; i <= 12; ++i) if (u == 1 || (u + i) % 3) print u "\t" i }' >full.tsv
printf '2\t12\n3\t12\n' >test.tsv
status=0
"$program" --data full.tsv --test test.tsv --drop-repeated --loss BPR --sampler UnobservedNegatives --dim 8 --epochs 2 \
  --initializer PRISM --quiet --validation-part 0.2 --retrain --save kept --json kept.json >out.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -q 'was not retrained: ' out.txt && grep -q '^MF' out.txt && grep -q '"retraining_error"' kept.json &&
  [ -e kept/MF-BPR-None-PRISM ] || { cat out.txt; fail "exit status $status: a failed retraining cost the first training"; }
refused 2 "--aggregate excludes --save" --aggregate --save aggregated
refused 2 "--validate-by-cosine: requires --records" --validate-by-cosine --lr 0.1,0.01
status=0
run --device cuda --epochs 1 >out.txt 2>&1 || status=$?
if grep -q 'built without' out.txt; then
  refused 1 "--device: cannot be cuda in a program that was built without" --device cuda --save early --checkpoint early
  [ ! -e early ] || fail "folders were created for a device that the program does not have"
fi
refused 2 "--aggregate: is for single runs" --aggregate --lr 0.1,0.01

"$recommend" --model done/MF-DirectAU-None-PRISM --describe >out.txt
for words in 'note stop_reason: epochs' 'note interrupted: false' 'note validation_ndcg: '; do
  grep -q "^$words" out.txt || fail "the model does not say: $words"
done

# A checkpoint is resumed only with at least as many epochs and the same settings; the error names only the difference.
place=done/MF-DirectAU-None-PRISM.checkpoint
refused 1 "--epochs: must be at least 4: 4 are complete in $place" --epochs 3 --checkpoint done --resume --json few.json
[ ! -e few.json ] || fail "a record was written of epochs that were done before"
refused 1 "--initializer: must be PRISM<1>, alpha 1, as saved in $place, not PRISM<2>, alpha 2" \
  --alpha 2 --epochs 5 --checkpoint done --resume
refused 1 "--batch: must be 4096, as saved in $place, not 64" --batch 64 --epochs 5 --checkpoint done --resume
run --epochs 4 --checkpoint done --resume --json again.json >out.txt 2>&1 || fail "epochs that are done: $(cat out.txt)"

# Everything is checked before any file or folder is created.
cp ratings.dat ratings.dat.copy
refused 2 "name the same place" --save f.txt --json f.txt
refused 2 "name the same place" --checkpoint f.txt --json f.txt
refused 2 "--save: " --save ratings.dat/models
[ ! -e f.txt ] || fail "a folder was made for options that were refused"
refused 2 "there is no folder" --save made --json none/run.json
refused 2 "records: there is no folder" --save made --records none/trials.jsonl
refused 1 "is not a record of experiment" --save made --checkpoint made --json ratings.dat.copy
[ ! -e made ] || fail "a folder was made before all was checked"

# Files that are not a saved model's are found before training.
touch done/MF-DirectAU-None-PRISM/notes.txt
refused 1 "files that are not part of a saved model, such as notes.txt" --epochs 4 --save done
rm done/MF-DirectAU-None-PRISM/notes.txt

# Results from other data under the same file name are not replaced.
cp ratings.dat all.dat
head -n -7 all.dat >ratings.dat
refused 1 "--json done.json: has results of other data, train" --epochs 4 --json done.json
refused 1 "--save done/MF-DirectAU-None-PRISM: has results of other data, train" --epochs 4 --save done
sed '3s/::[0-9]*::/::40::/' all.dat >ratings.dat  # the same number of interactions
refused 1 "has results of other data" --epochs 4 --json done.json
mv all.dat ratings.dat
# Runs of other models with the same settings and data are kept too.
"$program" --data ratings.dat --dim 8 --epochs 4 --quiet --regularizer FullWD --json done.json >out.txt 2>&1
[ "$(grep -c '"model":' done.json)" = 2 ] || fail "the run of another model was lost"
run --epochs 4 --json done.json >out.txt 2>&1
[ "$(grep -c '"model":' done.json)" = 2 ] || fail "a run is there twice, or lost"

# Without options of the model, four are compared, and what the fourth's validation chose to rank with is said.
plain() { "$program" --data ratings.dat --dim 8 --batch 64 --epochs 3 --quiet "$@"; }
plain --json four.json --save four >four.txt 2>&1 || fail "$(cat four.txt)"
[ "$(grep -c '^MF[^:]*$' four.txt)" = 4 ] && [ "$(ls four | wc -l)" = 4 ] || fail "not four models: $(cat four.txt)"
[ "$(grep -cE '^  MF.* from +-?[0-9.]+ to +-?[0-9.]+ +p = [0-9.e-]+$' four.txt)" = 3 ] || fail "not three paired tests: $(cat four.txt)"
fourth='MF<8> + DirectAU + None + Xavier + power by validation'
power=$(sed -n "s/^$fourth: ranked with power \([0-9.]*\), chosen on the validation set\$/\1/p" four.txt)
[ -n "$power" ] || fail "the table does not say which power was chosen: $(cat four.txt)"
[ "$(grep -c '"ranking": ' four.json)" = 1 ] && grep -qF '"ranking": "power by validation from 0 0.025' four.json ||
  fail "the record does not say how the fourth model is ranked, and it alone"
# In the history and in its best epoch; other models have no such number.
[ "$(grep -cE "\"chosen\": $power(\.0)?,?\$" four.json)" -ge 2 ] && [ "$(grep -c '"chosen": null' four.json)" = 3 ] ||
  fail "the record does not say which power was chosen"
row() { grep "^$fourth  " "$1" | cut -c $((${#fourth} + 1))- | awk '{ $7 = ""; print }'; }
plain --rank-power auto >alone.txt 2>&1
[ -n "$(row alone.txt)" ] && [ "$(row alone.txt)" = "$(row four.txt)" ] || fail "--rank-power auto is not the fourth model: $(cat alone.txt)"
! grep -qF -- "$(row alone.txt)" <(grep -v power four.txt) || fail "ranked and unranked rows are the same"

# A saved model has the choice, in whose place recommend takes another.
ranked=four/MF-DirectAU-None-Xavier-power_by_validation
"$recommend" --model $ranked --describe >out.txt
grep -qx "ranking.power: $power" out.txt && grep -q '^ranking.powers: 0 0.025 ' out.txt || fail "the model has no choice: $(cat out.txt)"
user=$(head -n 1 $ranked/user_ids.txt)
asked() { "$recommend" --model $ranked --users "$user" "$@"; }
asked | cmp - <(asked --rank-power "$power") || fail "the model does not rank with the power that was chosen"
asked | cmp -s - <(asked --rank-power -2) && fail "another power ranks alike"
asked --rank-power "$power" --rank-exponent 1 >out.txt 2>messages.txt
asked | cmp -s - out.txt && fail "the rows' own magnitudes change nothing"
grep -qF "ranks with power $power, exponent 1 in place of the model's power $power" messages.txt || fail "$(cat messages.txt)"

# Training goes on from a saved model, with the same users and items or more.
head -n 150 ratings.dat >earlier.dat
"$program" --data earlier.dat --dim 8 --batch 64 --epochs 3 --quiet --regularizer None --loss SSM --save earlier >out.txt 2>&1 || fail "$(cat out.txt)"
warm() { "$program" --data ratings.dat --batch 64 --epochs 3 --regularizer None --loss SSM --warm-start "$@"; }
warm earlier/MF-SSM-None-Xavier --dim 8 --json warm.json >out.txt 2>messages.txt || fail "$(cat messages.txt)"
grep -qE '^warm start: [0-9]+ of [0-9]+ users and [0-9]+ of [0-9]+ items are known to earlier/' messages.txt &&
  grep -qF '"warm_start": "earlier/MF-SSM-None-Xavier"' warm.json || fail "$(cat messages.txt)"
plain --regularizer None --loss SSM --json cold.json >out.txt 2>&1
first_loss() { grep -m 1 '"loss": [0-9-]' "$1"; }
[ -n "$(first_loss warm.json)" ] && [ "$(first_loss warm.json)" != "$(first_loss cold.json)" ] || fail "the first loss is that of initial rows"
status=0
warm earlier/MF-SSM-None-Xavier --dim 4 >out.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -q -- "--warm-start: the model must have the backbone" out.txt || fail "another dimension: $(cat out.txt)"
status=0
warm earlier --dim 8 >out.txt 2>&1 || status=$?
[ "$status" = 1 ] && grep -q "earlier.*manifest.txt" out.txt || fail "no saved model: $(cat out.txt)"
refused 2 "--warm-start excludes --retrain" --warm-start earlier --retrain
refused 2 "--warm-start: is for single runs" --warm-start earlier --lr 0.1,0.01

# A value that is given, and others to choose from.
plain --rank-power 0.50 --json fixed.json --save ranked >fixed.txt 2>&1 || fail "$(cat fixed.txt)"
grep -qF '"rank_power": 0.5' fixed.json && grep -qF '"ranking": "power 0.5"' fixed.json && grep -qF '"chosen": null' fixed.json &&
  ! grep -q 'chosen' fixed.txt || fail "a power that is given: $(cat fixed.txt)"
[ -e ranked/MF-DirectAU-None-Xavier-power_0.5 ] || fail "the folder is not named after the power: $(ls ranked)"
plain --rank-power 0.5 --json fixed.json --save ranked >out.txt 2>&1 || fail "0.50 and 0.5 are not the same: $(cat out.txt)"
plain --rank-power 0.5,0.1 --rank-exponent 0.5 --json list.json --save ranked >out.txt 2>&1 || fail "$(cat out.txt)"
tr -d ' \n' <list.json | grep -qF '"rank_power":[0.1,0.5]' && grep -qE '"chosen": 0\.[15],?$' list.json &&
  grep -qF '"ranking": "power by validation from 0.1 0.5, exponent 0.5"' list.json || fail "a list of powers: $(cat list.json)"
[ -e ranked/MF-DirectAU-None-Xavier-power_by_validation_exponent_0.5 ] || fail "the folder is not named after the ranking: $(ls ranked)"
plain --rank-alpha auto --json alpha.json >out.txt 2>&1
grep -q ': ranked with alpha [0-9.]*, chosen on' out.txt && grep -qF '"rank_alpha": "auto"' alpha.json || fail "$(cat out.txt)"
plain --rank-exponent 1 --json exponent.json >out.txt 2>&1
[ "$(grep -c '^MF[^:]*$' out.txt)" = 1 ] && ! grep -q '"ranking"' exponent.json || fail "rows as trained are not one model: $(cat out.txt)"
# Another ranking has other settings.
other_settings() {
  local words=$1 status=0
  shift
  plain "$@" >out.txt 2>&1 || status=$?
  [ "$status" = 1 ] && grep -qF -- "has results of other settings, $words; give another name" out.txt ||
    fail "exit status $status, or not '$words': $(cat out.txt)"
}
other_settings '--rank-power 0.5, now 0.25' --rank-power 0.25 --json fixed.json
other_settings '--rank-power 0.5, now null' --json fixed.json
other_settings '--rank-alpha "auto", now [1.0,2.0]' --rank-alpha 1,2 --json alpha.json
other_settings '--rank-exponent 0.5, now null' --rank-power 0.1,0.5 --json list.json
other_settings '--rank-power [0.1,0.5], now "auto"' --rank-power auto --rank-exponent 0.5 --save ranked
cmp -s fixed.json four.json && fail "a record was replaced"
# Retraining keeps the choice of the first training.
plain --rank-power auto --retrain --json retrained_ranking.json --save retrained >again.txt 2>&1 || fail "$(cat again.txt)"
grep -qx "$fourth: ranked with power $power, chosen on the validation set" again.txt &&
  grep -qx "$fourth: tested after retraining on training and validation set" again.txt || fail "$(cat again.txt)"
[ "$(row again.txt)" != "$(row alone.txt)" ] || fail "retraining changed no figure of a ranked model"
"$recommend" --model retrained/MF-DirectAU-None-Xavier-power_by_validation --describe >out.txt
grep -qx "ranking.power: $power" out.txt && ! grep -q '^ranking.powers' out.txt || fail "the retrained model has not the choice alone: $(cat out.txt)"
plain --rank-power auto --aggregate >out.txt 2>&1
grep -q ': ranked with power' out.txt && grep -q ': test-time aggregation m -' out.txt || fail "a ranked model is not aggregated: $(cat out.txt)"
# A run that is resumed ends like the whole one, and chooses among the same values.
short=("$program" --data ratings.dat --batch 64 --quiet)
"${short[@]}" --dim 8 --epochs 2 --rank-power auto --checkpoint resumed >out.txt 2>&1 || fail "$(cat out.txt)"
plain --rank-power auto --checkpoint resumed --resume >out.txt 2>&1 || fail "$(cat out.txt)"
[ "$(row out.txt)" = "$(row alone.txt)" ] || fail "a ranked run that is resumed ends otherwise: $(cat out.txt)"
message() {
  local words=$1
  shift
  "${short[@]}" --epochs 3 "$@" >out.txt 2>&1 && fail "was accepted: $*"
  grep -qF -- "experiment: $words" out.txt || fail "the message is not in the words of the command line: $(cat out.txt)"
}
message '--rank-power or --rank-alpha: must be power by validation from 0 0.025' --dim 8 --rank-power 0,1 --checkpoint resumed --resume
message '--rank-exponent: must be closer to 0, not 100: a row of magnitude' --rank-exponent 100 --dim 2 --lr 1e-6
message '--rank-exponent: must be closer to 0, not 100: a row of magnitude' --rank-exponent 100 --dim 2 --lr 1e-6,1e-5

# A checkpoint that cannot be written ends training; all results until then are kept.
status=0
(ulimit -f 32  # KiB
 "$program" --data ratings.dat --quiet --dim 64 --initializer PRISM --epochs 3 --checkpoint full --json full.json \
   >full.txt 2>messages.txt) || status=$?
[ "$status" = 1 ] || fail "exit status $status where a checkpoint is larger than a file may be: $(cat full.txt messages.txt)"
grep -q 'experiment: .*PRISM.checkpoint.*File too large' messages.txt || fail "the error is not told: $(cat messages.txt)"
grep -q '^MF<64>' full.txt && grep -q 'ended by an error' full.txt || fail "there is no table: $(cat full.txt)"
grep -q '"training_error": ' full.json || fail "the record does not say that an error ended training"
[ -z "$(ls full)" ] || fail "a part of the checkpoint is left: $(ls full)"
# If only the last checkpoint, at the end of training, fails, the run is complete and the next models are trained.
status=0
(ulimit -f 32
 "$program" --data ratings.dat --quiet --dim 64 --epochs 1 --checkpoint full --json last.json >full.txt 2>messages.txt) ||
  status=$?
[ "$status" = 1 ] || fail "exit status $status where a last checkpoint is not written: $(cat full.txt messages.txt)"
[ "$(grep -c '^MF<64>[^:]*$' full.txt)" = 4 ] && ! grep -q 'ended by an error' full.txt ||
  fail "a last checkpoint that is not written ends more: $(cat full.txt)"
grep -q 'its last checkpoint could not be written' full.txt && [ "$(grep -c '"checkpoint_error": ' last.json)" = 4 ] ||
  fail "a last checkpoint is not said to be missing: $(cat full.txt)"

# interrupted EPOCH OPTIONS...: sends SIGINT after an epoch. Progress goes through a pipe, which holds fewer lines than
# training has epochs, so training cannot end first.
long=("$program" --data ratings.dat --dim 8 --batch 64 --lr 0.01 --initializer Xavier --epochs 5000 --patience 5000
  --threads 1)
mkfifo progress
interrupted() {
  local after=$1 status=0 line
  shift
  "${long[@]}" "$@" >out.txt 2>progress & local process=$!
  exec 3<progress
  while read -r line <&3 && [[ $line != "epoch $after "* ]]; do :; done
  kill -INT "$process"
  cat <&3 >/dev/null
  exec 3<&-
  wait "$process" || status=$?
  [ "$status" = 130 ] || fail "exit status $status after a signal: $(cat out.txt)"
}
model=models/MF-DirectAU-None-Xavier
validation() { sed -n 's/^note validation_ndcg: //p' $model/manifest.txt; }
interrupted 3 --json cut.json --save models
grep -q '"interrupted": true' cut.json && grep -q '"stop_reason": "observer"' cut.json ||
  fail "the record does not say that a signal ended training"
"$recommend" --model $model --describe >description.txt
grep -q '^note interrupted: true' description.txt && grep -q '^note stop_reason: observer' description.txt ||
  fail "the model does not say that a signal ended its training"
# Of two incomplete runs, the better one is kept.
better() { sed -i "s/\"best_validation_ndcg\": .*,/\"best_validation_ndcg\": $1,/" cut.json; }
before=$(validation)
better 0.0
interrupted 3000 --json cut.json --save models
! grep -q '"best_validation_ndcg": 0.0,' cut.json || fail "a worse run stays in the record"
grep -q 'was not saved: the one in' out.txt || awk -v a="$(validation)" -v b="$before" 'BEGIN { exit !(a > b) }' ||
  fail "a model that ranked $before was replaced by one with $(validation)"
better 2.0
interrupted 3 --json cut.json --save models
grep -q '"best_validation_ndcg": 2.0,' cut.json || fail "a better run was replaced"
# A complete run replaces them, and is kept whatever its validation.
"${long[@]}" --quiet --json cut.json --save models >out.txt 2>&1 || fail "$(cat out.txt)"
grep -q '"interrupted": false' cut.json && grep -q '^note interrupted: false' $model/manifest.txt ||
  fail "a run that is not complete stays"
better 0.0
cp cut.json complete.json
cp $model/manifest.txt complete.txt
interrupted 3 --json cut.json --save models
cmp cut.json complete.json || fail "a complete run was replaced"
cmp $model/manifest.txt complete.txt || fail "a complete model was replaced"
grep -q 'was not saved: the one in' out.txt || fail "the table does not say which model stays"
grep -q 'was not recorded: the one in cut.json is kept, as a signal ended training' out.txt ||
  fail "the table does not say which run stays"

# A signal while a model is retrained, for all epochs of a training that only validates the last, keeps the first training.
last=("$program" --data ratings.dat --dim 8 --batch 64 --lr 0.01 --initializer Xavier --epochs 3000 --patience 5000
  --validate-every 3000 --threads 1)
"${last[@]}" --retrain --json cut_retraining.json --save cut_retraining >out.txt 2>progress & process=$!
exec 3<progress
for begin in "best epoch " "epoch 2 "; do
  while read -r line <&3 && [[ $line != "$begin"* ]]; do :; done
done
kill -INT "$process"
cat <&3 >/dev/null
exec 3<&-
status=0
wait "$process" || status=$?
[ "$status" = 130 ] || fail "exit status $status after a signal in a retraining: $(cat out.txt)"
grep -q 'was not retrained: a signal ended that' out.txt && ! grep -q 'tested after retraining' out.txt ||
  fail "it is not said that a retraining was ended: $(cat out.txt)"
grep -q '"interrupted": true' cut_retraining.json && grep -q '^note interrupted: true' cut_retraining/*/manifest.txt ||
  fail "the outputs do not say that a retraining was ended"
"${last[@]}" --quiet >whole.txt 2>&1 || fail "$(cat whole.txt)"
[ "$(figures out.txt)" = "$(figures whole.txt)" ] &&
  [ "$(grep '^most popular' out.txt)" = "$(grep '^most popular' whole.txt)" ] ||
  fail "the results are not those of the first training: $(cat out.txt whole.txt)"

# A signal in the first epoch, minutes long here, leaves nothing to save or to record.
"$program" --synthetic-users 4000 --synthetic-items 1000 --backbone LightGCN --batch 1 --initializer PRISM --threads 1 \
  --quiet --save first --json first.json >out.txt 2>&1 & process=$!
catches_interrupt() { catches_signal "$program" "$process" 2; }
until catches_interrupt; do sleep 0.02; done
kill -INT "$process"
status=0
wait "$process" || status=$?
[ "$status" = 130 ] || fail "exit status $status after a signal in the first epoch: $(cat out.txt)"
for words in 'LightGCN.*  ended before its first epoch was complete' \
  'was not saved: a signal ended training before its first epoch was complete' \
  'was not recorded: a signal ended training before its first epoch was complete'; do
  grep -q "$words" out.txt || fail "an untrained model is not said to be left out: $(cat out.txt)"
done
! grep -q '"model":' first.json || fail "an untrained model is recorded"
[ -z "$(ls first)" ] || fail "an untrained model was saved"

# Messages use the option names of the command line.
printf 'a b 1\nb c 2\na c 3\n' >open.txt
"$program" --data open.txt --quiet >out.txt 2>&1 && fail "a file that may be two things was read"
grep -qF 'the option --format' out.txt || fail "the message has no option of the command line: $(cat out.txt)"
"$program" --data ratings.dat --test ratings.dat --quiet >out.txt 2>&1 && fail "a test set that was trained on was taken"
grep -qF 'experiment: --test: ' out.txt && grep -qF 'the option --drop-repeated' out.txt ||
  fail "the message has no option of the command line: $(cat out.txt)"
