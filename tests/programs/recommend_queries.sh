#!/usr/bin/env bash
# recommend_queries.sh EXPERIMENT RECOMMEND: what recommend answers besides items for users: users
# for items, similar users, lists among given items; and who has no interaction in training.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tiny_ratings.sh"
experiment=$(realpath "$1")
program=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "$*" >&2; exit 1; }
# The users cold and colder and the item rare are in the test set alone.
tiny_ratings | awk -F:: '{ print $1 "\t" $2 }' >train.tsv
printf 'cold\t1\ncold\t2\ncolder\t3\n7\trare\n2\t39\n' >test.tsv
"$experiment" --data train.tsv --test test.tsv --epochs 2 --dim 8 --initializer PRISM --quiet --save models >out.txt 2>&1 ||
  fail "$(cat out.txt)"
ask() { "$program" --model models/MF-DirectAU-None-PRISM -k 3 "$@"; }
# answered STATUS WORDS OPTIONS...: the answer is in out.txt; the messages have the words.
answered() {
  local expected=$1 words=$2 status=0
  shift 2
  ask "$@" >out.txt 2>messages.txt || status=$?
  [ "$status" = "$expected" ] && grep -qF -- "$words" messages.txt ||
    fail "exit status $status, or not the words '$words': $*: $(cat out.txt messages.txt)"
}

# A user without training interactions gets the most popular items.
popular=$(cut -f 2 train.tsv | sort | uniq -c | sort -k1,1nr -k2,2n | head -3 | awk '{ print $2 "\t" $1 }')
answered 0 "user cold has no interaction in training: the most popular items, scored by their number of users" --users cold,7
[ "$(grep -c '^cold' out.txt)" = 3 ] && [ "$(grep -c '^7' out.txt)" = 3 ] || fail "$(cat out.txt)"
[ "$(grep '^cold' out.txt | cut -f 4 | tr '\n' ' ')" = "$(cut -f 2 <<<"$popular" | tr '\n' ' ')" ] || fail "$(cat out.txt)"
ask --users 7 | cmp - <(grep '^7' out.txt) || fail "another user's list changes"
answered 0 "users cold, colder have no interaction in training: ranked by rows" --users cold,colder --untrained rows
answered 1 "users cold, colder have no interaction in training" --users cold,7,colder --untrained refuse
ask --users 7 | cmp - out.txt || fail "$(cat out.txt)"
answered 1 "the model has no users a, b, c and 2 others" --users a,7,b,c,d,e
ask --users 7 | cmp - out.txt || fail "$(cat out.txt)"

# Nor is there anything to compare an item or a user by.
answered 1 "item rare has no interaction in training, so there is nothing to compare by" --similar-to rare,1
[ "$(cut -f 1 out.txt | sort -u)" = 1 ] || fail "$(cat out.txt)"
answered 0 "" --similar-to rare --untrained rows
[ "$(wc -l <out.txt)" = 3 ] || fail "$(cat out.txt)"
answered 1 "user cold has no interaction in training" --similar-users cold
ask -k 100 --similar-to 1 | cut -f 3 | grep -q rare && fail "an item that nobody has is similar to another"
ask -k 100 --similar-users 7 | cut -f 3 | grep -q cold && fail "a user of nothing is similar to another"

# Users for an item: none who has it, unless on request, and none without training interactions.
ask -k 100 --users-for 30 >users.txt
[ "$(cut -f 1 users.txt | sort -u)" = 30 ] || fail "$(cat users.txt)"
awk -F'\t' '$2 == 30 { print $1 }' train.tsv | sort >have.txt
cut -f 3 users.txt | sort | comm -12 - have.txt | grep . && fail "a user who has the item"
cut -f 3 users.txt | grep -q cold && fail "a user of nothing"
[ "$(($(wc -l <users.txt) + $(wc -l <have.txt)))" = 60 ] || fail "not all other users: $(wc -l <users.txt)"
[ "$(ask -k 100 --users-for 30 --include-seen | wc -l)" = 60 ] || fail "--include-seen does not count"
# A pair has one score.
score=$(head -1 users.txt | cut -f 4)
user=$(head -1 users.txt | cut -f 3)
ask -k 100 --users "$user" | awk -F'\t' -v score="$score" '$3 == 30 && ($4 - score) ^ 2 < 1e-10 { found = 1 } END { exit !found }' ||
  fail "user $user and item 30 have another score"
printf '30\n' >items
ask -k 100 --users-for-file items | cmp - users.txt || fail "items of a file get other answers"
[ "$(ask --similar-users 7,8 | wc -l)" = 6 ] || fail "similar users"
ask --similar-users 7 | cut -f 3 | grep -qx 7 && fail "a user is similar to itself"

# Only given items, or none of them.
printf '3\n5\n30\n31\nmissing\n' >some
answered 0 "some: the model has no item missing" --users 7,cold -k 100 --among-file some
cut -f 3 out.txt | sort -u | comm -23 - <(sort some) | grep . && fail "an item that was not given"
[ "$(grep -c '^cold' out.txt)" = 4 ] || fail "$(cat out.txt)"
answered 0 "some: the model has no item missing" --users 7,cold -k 100 --without-file some
cut -f 3 out.txt | sort -u | comm -12 - <(sort some) | grep . && fail "an item that was left out"
ask -k 100 --users 7 --threads 1 >one.txt
ask -k 100 --users 7 --threads 2 | cmp - one.txt || fail "threads change the answer"

# What cannot be asked together is said.
refused() {
  local words=$1 status=0
  shift
  ask "$@" >out.txt 2>messages.txt || status=$?
  [ "$status" = 2 ] && grep -qF -- "$words" messages.txt && [ ! -s out.txt ] || fail "$* is not refused: $(cat messages.txt)"
}
refused --users --users 1 --users-for 1
refused --similar-users --similar-users 1 --similar-to 1
refused --similar-users --similar-users 1 --cosine
refused --among-file --similar-to 1 --among-file some
refused --rank-power --users-for 1 --rank-power 1
refused untrained --users 1 --untrained nothing
refused --threads --users 1 --threads 0
refused "--users, --new-users, --similar-to, --users-for"
