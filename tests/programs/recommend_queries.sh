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
ask() { "$program" --model models/MF-DirectAU-None-PRISM -k "${k:-3}" "$@"; }
# answered STATUS WORDS OPTIONS...: the answer is in out.txt; the messages have the words.
answered() {
  local expected=$1 words=$2 status=0
  shift 2
  ask "$@" >out.txt 2>messages.txt || status=$?
  [ "$status" = "$expected" ] && { [ -z "$words" ] || grep -qF -- "$words" messages.txt; } ||
    fail "exit status $status, or not the words '$words': $*: $(cat out.txt messages.txt)"
}

# A user without training interactions gets the most popular items.
answered 0 "user cold has no interaction in training: the most popular items, scored by their number of users" --users cold,7
[ "$(grep -c '^cold' out.txt)" = 3 ] && [ "$(grep -c '^7' out.txt)" = 3 ] || fail "$(cat out.txt)"
grep '^cold' out.txt | cut -f 4 | sort -c -nr || fail "not in the order of popularity: $(cat out.txt)"
grep '^cold' out.txt | cut -f 4 | grep -vx '[1-9][0-9]*' && fail "not numbers of users: $(cat out.txt)"
ask --users colder 2>/dev/null | cut -f 2- | cmp - <(grep '^cold' out.txt | cut -f 2-) || fail "two users of nothing differ"
ask --users 7 | cmp - <(grep '^7' out.txt) || fail "another user's list changes"
answered 0 "users cold, colder have no interaction in training: ranked by rows" --users cold,colder --untrained rows
answered 1 "users cold, colder have no interaction in training" --users cold,7,colder --untrained refuse
ask --users 7 | cmp - out.txt || fail "$(cat out.txt)"
answered 1 "the model has no users a, b, c and 2 others" --users a,7,b,c,d,e
ask --users 7 | cmp - out.txt || fail "$(cat out.txt)"

# Nor is there anything to compare an item or a user by.
answered 1 "item rare has no interaction in training, so there is nothing to compare by" --similar-to rare,2
[ "$(cut -f 1 out.txt | sort -u)" = 2 ] || fail "$(cat out.txt)"
answered 0 "" --similar-to rare --untrained rows
[ "$(wc -l <out.txt)" = 3 ] || fail "$(cat out.txt)"
answered 1 "user cold has no interaction in training" --similar-users cold
k=100 ask --similar-to 2 | cut -f 3 | grep -q rare && fail "an item that nobody has is similar to another"
k=100 ask --similar-users 7 | cut -f 3 | grep -q cold && fail "a user of nothing is similar to another"

# Users for an item: none who has it, unless on request, and none without training interactions.
k=100 ask --users-for 30 >users.txt
[ "$(cut -f 1 users.txt | sort -u)" = 30 ] || fail "$(cat users.txt)"
cut -f 3 users.txt | grep -q cold && fail "a user of nothing"
k=100 ask --users-for 30 --include-seen | cut -f 3 | sort >all.txt
cut -f 3 users.txt | sort | comm -23 - all.txt | grep . && fail "a user who is not among all"
cut -f 3 users.txt | sort | comm -13 - all.txt >have.txt
while read -r user; do grep -qP "^$user\t30\$" train.tsv || fail "user $user is left out, but does not have the item"; done <have.txt
# As many are left out as the item has training interactions.
[ "$(wc -l <have.txt)" = "$(k=100 ask --users cold 2>/dev/null | awk -F'\t' '$3 == 30 { print $4 }')" ] || fail "$(cat have.txt)"
# A pair has one score.
score=$(head -1 users.txt | cut -f 4)
user=$(head -1 users.txt | cut -f 3)
k=100 ask --users "$user" | awk -F'\t' -v score="$score" '$3 == 30 && ($4 - score) ^ 2 < 1e-10 { found = 1 } END { exit !found }' ||
  fail "user $user and item 30 have another score"
printf '30\n' >items
k=100 ask --users-for-file items | cmp - users.txt || fail "items of a file get other answers"
[ "$(ask --similar-users 7,8 | wc -l)" = 6 ] || fail "similar users"
ask --similar-users 7 | cut -f 3 | grep -qx 7 && fail "a user is similar to itself"

# Only given items, or none of them.
printf '3\n6\n30\n31\nmissing\n' >some
k=100 answered 0 "some: the model has no item missing" --users 7,cold --among-file some
cut -f 3 out.txt | sort -u | comm -23 - <(sort some) | grep . && fail "an item that was not given"
[ "$(grep -c '^cold' out.txt)" = "$(cut -f 2 train.tsv | sort -u | grep -cxFf some)" ] || fail "$(cat out.txt)"
k=100 answered 0 "some: the model has no item missing" --users 7,cold --without-file some
cut -f 3 out.txt | sort -u | comm -12 - <(sort some) | grep . && fail "an item that was left out"
k=100 ask --users 7 --threads 1 >one.txt
k=100 ask --users 7 --threads 2 | cmp - one.txt || fail "threads change the answer"

# Nobody is left without a word.
cut -f 2 train.tsv | sort -u >every
answered 1 "no answer is left for id 7" --users 7 --without-file every
printf 'missing\n' >none
answered 1 "none: has no item of the model" --users 7 --among-file none
printf '7,2\nnew,2\n' >today.csv
answered 0 "user 7 is in the model, too: here only the interactions of the file count" --new-users today.csv
[ "$(cut -f 1 out.txt | sort -u | tr '\n' ' ')" = "7 new " ] || fail "$(cat out.txt)"

# What cannot be asked together is said.
refused() {
  local words=$1 status=0
  shift
  ask "$@" >out.txt 2>messages.txt || status=$?
  [ "$status" = 2 ] && grep -qF -- "$words" messages.txt && [ ! -s out.txt ] || fail "$* is not refused: $(cat messages.txt)"
}
refused --users --users 1 --users-for 1
refused --similar-users --similar-users 2 --similar-to 2
refused --similar-users --similar-users 1 --cosine
refused --among-file --similar-to 1 --among-file some
refused --rank-power --users-for 1 --rank-power 1
refused untrained --users 1 --untrained nothing
refused --threads --users 1 --threads 0
refused "--users, --new-users, --similar-to, --users-for"
