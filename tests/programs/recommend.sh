#!/usr/bin/env bash
# recommend.sh EXPERIMENT RECOMMEND: what recommend accepts as users, and what it answers.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tiny_ratings.sh"
experiment=$(realpath "$1")
program=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
tiny_ratings >ratings.dat
fail() { echo "$*" >&2; exit 1; }
train() { "$experiment" "$@" --epochs 2 --dim 8 --initializer PRISM --quiet >out.txt 2>&1 || fail "$(cat out.txt)"; }
train --data ratings.dat --min-rating 4 --save models
ask() { "$program" --model models/MF-DirectAU-None-PRISM -k 3 "$@"; }
# refused STATUS WORDS OPTIONS...
refused() {
  local expected=$1 words=$2 status=0
  shift 2
  ask "$@" >out.txt 2>messages.txt || status=$?
  [ "$status" = "$expected" ] && grep -qF -- "$words" messages.txt && [ ! -s out.txt ] || {
    cat out.txt messages.txt >&2
    fail "exit status $status, an answer, or not the words '$words': $*"
  }
}

# The model's own --min-rating applies to ratings, unless another is given.
printf 'user,item,rating\nnew,1,5\nnew,2,4\nnew,3,1\nnew,4,1\n' >rated.csv
printf 'user,item\nnew,1\nnew,2\n' >liked.csv
printf 'user,item\nnew,1\nnew,2\nnew,3\nnew,4\n' >all.csv
ask --new-users rated.csv >rated.txt 2>messages.txt
grep -q "rated.csv: columns separated by ',', header, .*left out: 2 rated below 4; the model's --min-rating 4 applies" \
  messages.txt || fail "the file is not described: $(cat messages.txt)"
ask --new-users liked.csv >liked.txt 2>messages.txt
grep -q "the model's --min-rating 4 does not apply, as there are no ratings" messages.txt || fail "$(cat messages.txt)"
cmp rated.txt liked.txt || fail "low ratings count as likes"
ask --new-users rated.csv --min-rating 1 >rated.txt 2>messages.txt
ask --new-users all.csv >all.txt 2>/dev/null
cmp rated.txt all.txt || fail "--min-rating does not count"
# A user of whom only low ratings are known is named, not left out silently.
printf 'user,item,rating\nlow,1,1\nlow,2,2\nnew,1,5\nnew,2,4\n' >low.csv
ask --new-users low.csv >out.txt 2>messages.txt && fail "a user without ratings that count was answered"
cmp out.txt liked.txt && grep -q 'all ratings of the user low are below --min-rating' messages.txt || fail "$(cat out.txt messages.txt)"
# Without a header, column 2 holds ratings if its numbers are not times.
printf 'new\t1\t978300760\nnew\t2\t978300761\n' >times.tsv
ask --new-users times.tsv >times.txt 2>messages.txt
cmp times.txt liked.txt || fail "times count as ratings: $(cat messages.txt)"
# One new user is enough, and so is one line of each: these are no columns of something else.
printf 'new,1,5\nnew,2,5\nnew,3,5\n' >one.csv
printf '1001,2,5\n1002,2,4\n1003,2,5\n1004,2,5\n' >each.csv
printf 'test,2,5\n' >word.csv
printf 'new\t1\t978300760\nnew\t2\t978300760\nnew\t3\t978300760\n' >same.tsv
for file in one.csv each.csv word.csv same.tsv; do
  ask --new-users $file >out.txt 2>messages.txt || fail "$file is refused: $(cat messages.txt)"
  [ -s out.txt ] || fail "$file has no answer"
  grep -q 'warning' messages.txt && fail "$file is doubted: $(cat messages.txt)"
done

# Files are read with the same options as in experiment, except for times.
printf 'x|day|what|who\n5|30/12/2011|1|new\n4|31/12/2011|2|new\n' >other.txt
refused 1 "the option --" --new-users other.txt
ask --new-users other.txt --delimiter '|' --user-column who --item-column 2 --header >other_answer.txt 2>messages.txt
cmp other_answer.txt liked.txt || fail "options of reading do not count: $(cat messages.txt)"
printf 'user,item,rating,date\nnew,1,5,one day\nnew,2,4,2011-12-31\n' >dates.csv
ask --new-users dates.csv >dates.txt 2>messages.txt || fail "times that are not read are an error: $(cat messages.txt)"
cmp dates.txt liked.txt || fail "a column of dates counts"
refused 2 "--delimiter" --delimiter ,

# A new user without known items is an error, not an empty list.
printf 'user,item\nnew,a\nnew,b\n' >unknown.csv
refused 1 "unknown.csv: has no interaction with an item of the model" --new-users unknown.csv
printf 'user,item\nnew,1\nnew,2\nother,b\n' >mixed.csv
ask --new-users mixed.csv >out.txt 2>messages.txt && fail "a user of unknown items was answered"
cmp out.txt liked.txt && grep -q 'no item of the user other' messages.txt || fail "$(cat out.txt messages.txt)"

ask --new-users - <liked.csv | cmp - liked.txt || fail "new users of the standard input get other answers"
mkdir parts
refused 2 "parts is a directory; join its files into one" --new-users parts

# Files of users are read as data files are.
ask --users 1,2 >users.txt
printf '\xef\xbb\xbf1\r\n\n  2\t\n' >users
ask --users-file users >out.txt || fail "a file with a byte order mark"
cmp users.txt out.txt || fail "users of a file with a byte order mark and spaces get other answers"
ask --users-file - <users | cmp - users.txt || fail "users of the standard input get other answers"
: >empty
refused 1 "empty: has no users" --users-file empty
refused 2 "--new-users" --users 1 --new-users liked.csv
refused 2 "--similar-to" --users 1 --similar-to 1
refused 2 "--similar-to" --similar-to 1 --include-seen
refused 2 "--similar-to" --similar-to 1 --cosine
# Items, too.
head -2 models/MF-DirectAU-None-PRISM/item_ids.txt >items
ask --similar-to "$(paste -sd, items)" >similar.txt
ask --similar-to-file items | cmp - similar.txt || fail "items of a file get other answers"
ask --similar-to-file - <items | cmp - similar.txt || fail "items of the standard input get other answers"
refused 1 "empty: has no items" --similar-to-file empty
refused 2 "--similar-to-file" --users 1 --similar-to-file items
refused 2 "--similar-to-file" --similar-to-file items --cosine
for what in "--users 1" --describe; do
  status=0
  # shellcheck disable=SC2086
  ask $what >/dev/full 2>messages.txt || status=$?
  [ "$status" = 1 ] && grep -q 'standard output cannot be written' messages.txt ||
    fail "exit status $status for $what where the disk is full: $(cat messages.txt)"
done

# Other magnitudes of the items, which the model may also have been saved with.
ask --users 1,2 --rank-power 0.5 >power.txt
cmp -s power.txt users.txt && fail "--rank-power does not count"
ask --users 1,2 --rank-alpha 2.5 >alpha.txt
cmp -s alpha.txt users.txt || cmp -s alpha.txt power.txt && fail "--rank-alpha does not count"
ask --new-users liked.csv --rank-power 3 2>/dev/null | cmp -s - liked.txt && fail "new users are ranked as trained"
ask --describe | grep -q '^ranking' && fail "a ranking as trained is described as another"
train --data ratings.dat --min-rating 4 --rank-power 0.5 --save ranked
in_ranked() { "$program" --model ranked/MF-DirectAU-None-PRISM-power_0.5 -k 3 "$@"; }
in_ranked --describe >out.txt
grep -q '^ranking.power: 0.5$' out.txt && grep -q '^model: .* + power 0.5$' out.txt || fail "$(cat out.txt)"
for who in "--users 1,2,3" "--new-users liked.csv"; do
  # shellcheck disable=SC2086
  {
    in_ranked $who >own.txt 2>/dev/null
    in_ranked $who --rank-power 0.5 >same.txt 2>/dev/null
    in_ranked $who --rank-power 3 >other.txt 2>/dev/null
  }
  cmp own.txt same.txt || fail "the saved ranking does not count: $who"
  cmp -s own.txt other.txt && fail "--rank-power does not take the saved ranking's place: $who"
done
refused 2 "must be a number from -4 to 4, not 5" --users 1 --rank-power 5
refused 2 "must be a number from 0 to 3.25, not -1" --users 1 --rank-alpha -1
refused 2 "must be a number from -4 to 4, not much" --users 1 --rank-power much
refused 2 "--rank-power" --users 1 --rank-power 1 --rank-alpha 1
for option in --rank-power --rank-alpha; do
  refused 2 "$option" --users 1 --cosine $option 1
  refused 2 "$option" --similar-to 1 $option 1
done

# Each line has four columns, whatever is in an id.
{ echo 'user,item'; awk -F:: '{ print "\"u\t" $1 "\",\"back\\" $2 "\t\"" }' ratings.dat; } >tabs.csv
train --data tabs.csv --delimiter , --header --save tabs
"$program" --model tabs/MF-DirectAU-None-PRISM --users "u$(printf '\t')1" -k 2 >out.txt
[ "$(awk -F'\t' 'NF == 4 && $1 == "u\\t1" && $3 ~ /^back\\\\[0-9]*\\t$/' out.txt | wc -l)" = 2 ] || fail "$(cat out.txt)"
printf 'u\\t1\n' >users
"$program" --model tabs/MF-DirectAU-None-PRISM --users-file users -k 2 | cmp - out.txt || fail "an escaped id is unknown"
# Ids with commas.
{ echo 'user,item'; awk -F:: '{ print "\"Doe, " $1 "\",\"B" $2 ", vol. 1\"" }' ratings.dat; } >commas.csv
train --data commas.csv --delimiter , --header --save commas
printf 'B4, vol. 1\n' >items
"$program" --model commas/MF-DirectAU-None-PRISM --similar-to-file items -k 2 >out.txt
[ "$(awk -F'\t' 'NF == 4 && $1 == "B4, vol. 1" && $3 ~ /, vol. 1$/' out.txt | wc -l)" = 2 ] || fail "$(cat out.txt)"
# A line with an id that has spaces around it keeps them, as in user_ids.txt.
{ echo 'user,item'; awk -F:: '{ print "\" u" $1 " \",\"" $2 "\"" }' ratings.dat; } >spaces.csv
train --data spaces.csv --delimiter , --header --save spaces
model=spaces/MF-DirectAU-None-PRISM
"$program" --model "$model" --users-file "$model/user_ids.txt" -k 1 >out.txt || fail "an id with spaces is unknown"
[ "$(wc -l <out.txt)" = "$(wc -l <"$model/user_ids.txt")" ] && grep -q "^ u1 $(printf '\t')" out.txt || fail "$(cat out.txt)"
