// SPDX-License-Identifier: BSD-3-Clause
// The files of odd_files_test.cpp, and what reading each of them gives; odd_texts.hpp has more.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/index.hpp"
#include "prism/data/format.hpp"

namespace odd {

using namespace prism;
using namespace std::string_literals;

/// What reading gives: the numbers, or the words of an error.
struct Expected {
  Index users = 0, items = 0;
  std::size_t interactions = 0;
  std::string first = {};  // the first interaction's ids, "user item"
  std::string error = {};
};
inline Expected reads(Index users, Index items, std::size_t interactions, std::string first) {
  return {users, items, interactions, std::move(first), {}};
}
inline Expected refused(std::string words) { return {0, 0, 0, {}, std::move(words)}; }

struct OddFile {
  std::string name;
  std::string text;
  ReadOptions options;
  Expected expected;
};

inline const ReadOptions rated{.min_rating = 3};
inline const ReadOptions columns{.format = Format::delimited};
inline const ReadOptions no_header{.format = Format::delimited, .header = Header::no};
inline const ReadOptions lists{.format = Format::adjacency};

inline const std::vector<OddFile> odd_files{
    // Columns with known names that are not ids.
    {"RetailRocket",
     "timestamp,visitorid,event,itemid\n1433221332,257597,view,355908\n1433224214,992329,view,"
     "248676\n",
     {},
     reads(2, 2, 2, "257597 355908")},
    {"the rating first, a customer",
     "rating,item_id,customer_id\n5,8,7\n1,8,9\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"Amazon's reviews",
     "overall,verified,reviewTime,reviewerID,asin,unixReviewTime\n5.0,True,\"09 13, "
     "2009\",A1,B1,1252800000\n",
     {},
     reads(1, 1, 1, "A1 B1")},
    {"MovieLens", "userId,movieId,rating,timestamp\n1,296,5.0,1147880044\n1,306,3.5,1147868817\n",
     rated, reads(1, 2, 2, "1 296")},
    {"Book-Crossing",
     "\"User-ID\";\"ISBN\";\"Book-Rating\"\n\"276725\";\"034545104X\";\"0\"\n\"276726\";"
     "\"0155061224\";\"5\"\n",
     rated, reads(1, 1, 1, "276726 0155061224")},
    {"Yelp",
     "review_id,user_id,business_id,stars,date\nr1,u1,b1,4.0,2018-07-07 "
     "22:09:11\nr2,u2,b1,2.0,2012-01-03 15:28:18\n",
     rated, reads(1, 1, 1, "u1 b1")},
    {"a user, and a rating where the item should be",
     "user,rating,film\n7,5,8\n",
     {},
     refused(":1: no column has a known name for the item; use the option item to choose one of "
             "user, rating, film")},
    {"a user, and an item of no known name in its place",
     "user,song,play_count\n7,8,5\n",
     {},
     reads(1, 1, 1, "7 8")},
    {"a user that is chosen in its place",
     "who,song,times_played\n7,8,5\n",
     {.user = 0},
     reads(1, 1, 1, "7 8")},
    {"a user, a title that may be the item, and plays",
     "userId,title,plays\n7,x,5\n",
     {},
     refused(":1: no column has a known name for the item; use the option item")},
    {"a time where the user should be",
     "timestamp,who,itemid\n1433221332,7,8\n",
     {},
     reads(1, 1, 1, "7 8")},
    {"a user, a rating and no item",
     "user,rating\n7,5\n",
     {},
     refused(":1: no column has a known name for the item; use the option item to choose one of "
             "user, rating")},
    {"a user, its name and no item",
     "user_id,user_name\n7,Ann\n",
     {},
     refused(":1: no column has a known name for the item; use the option item")},
    {"a time and a rating in front of names that are not known",
     "timestamp,rating,who,film\n1433221332,5,7,8\n",
     {},
     refused(
         ":1: no column has a known name for the user, and column 0 is 'timestamp'; use the option "
         "user to")},
    {"plays where the item should be",
     "artist,plays,user_id\nx,100,7\ny,3,9\n",
     {},
     reads(2, 2, 2, "7 x")},
    {"a number of no known name where the item should be",
     "artist,times_played,user_id\nx,100,7\ny,3,9\n",
     {},
     refused(":1: no column has a known name for the item; use the option item to choose one of "
             "artist, times_played, user_id")},
    {"the same, chosen as the rating",
     "artist,times_played,user_id\nx,100,7\ny,3,9\n",
     {.rating = "times_played"},
     reads(2, 2, 2, "7 x")},
    {"a user's gender where the item should be",
     "user_id,gender,track\n7,f,x\n9,m,y\n",
     {},
     refused(":1: no column has a known name for the item; use the option item")},
    {"a user that is chosen, and plays where the item should be",
     "artist,times_played,who\nx,100,7\ny,3,9\n",
     {.user = "who"},
     refused(":1: no column has a known name for the item; use the option item")},
    {"an item in the user's column, and one more",
     "item_id,member\n8,7\n8,9\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"Amazon's ratings of 2023",
     "user_id,parent_asin,rating,timestamp,history\nA1,B1,5.0,1252800000000,\n"
     "A1,B2,4.0,1252800000001,B1\n",
     rated, reads(1, 2, 2, "A1 B1")},
    {"Last.fm's artists",
     "userID\tartistID\tweight\n2\t51\t13883\n2\t52\t11690\n",
     {},
     reads(1, 2, 2, "2 51")},
    {"Last.fm's artists by name",
     "user,artist,weight\n2,51,13883\n2,52,11690\n",
     {},
     reads(1, 2, 2, "2 51")},
    {"two items",
     "user_id,movie_id,book_id\n1,2,3\n",
     {},
     refused(":1: more than one column may be the item column: movie_id and book_id; use the "
             "option item")},
    {"a column of numbers without a name",
     ",who,what\n0,7,8\n1,9,8\n",
     {},
     refused(":1: no column has a known name for the user, and column 0 is ''")},
    {"pandas' index, named columns", ",user_id,item_id\n0,7,8\n1,9,8\n", {}, reads(2, 1, 2, "7 8")},
    {"a time in seconds where the user should be",
     "1433221332,257597,5\n1433224214,992329,4\n1433224215,1,5\n1433224217,2,4\n1433224300,1,"
     "5\n1433224301,3,5\n",
     {},
     refused(":1: column 0 (from 0), taken as the user column, has times in seconds since 1970 "
             "such as '1433221332'; use the options user and item to choose")},
    {"a time in seconds where the item should be",
     "7\t1433221332\t8\n7\t1433224214\t9\n7\t1433224215\t1\n8\t1433224217\t2\n8\t1433224300\t1"
     "\n8\t1433224301\t3\n",
     {},
     refused(":1: column 1 (from 0), taken as the item column, has times in seconds since 1970")},
    {"the same, with the columns",
     "7\t1433221332\t8\n7\t1433224214\t9\n7\t1433224215\t1\n8\t1433224217\t2\n8\t1433224300\t1"
     "\n8\t1433224301\t3\n",
     {.item = 2},
     reads(2, 5, 6, "7 8")},
    {"books' numbers beside times",
     "7,1400064163,5,1433221332\n7,1400064164,5,1433224214\n7,1400064165,5,1433224215\n8,"
     "1400064166,5,1433224217\n8,1400064167,5,1433224300\n8,1400064168,5,1433224301\n",
     {},
     reads(2, 6, 6, "7 1400064163")},
    {"one user of a large number",
     "1433221332,1,5\n1433221332,2,4\n1433221332,3,5\n1433221332,4,4\n1433221332,5,5\n1433221332,6,"
     "5\n",
     {},
     reads(1, 6, 6, "1433221332 1")},
    {"check-ins: a time where the item should be",
     "0\t2010-10-19T23:55:27Z\t30.2359\t-97.795\t22847\n0\t2010-10-18T22:17:43Z\t30.2691\t-97."
     "749\t420315\n",
     {},
     refused(":1: column 1 (from 0), taken as the item column, has dates such as "
             "'2010-10-19T23:55:27Z'; use the options user and item to choose")},
    {"check-ins, with the column",
     "0\t2010-10-19T23:55:27Z\t30.2\t-97.7\t22847\n0\t2010-10-18T22:17:43Z\t30.3\t-97.8\t420315\n",
     {.item = 4},
     reads(1, 2, 2, "0 22847")},
    {"a rating where the user should be",
     "5.0,7,8\n1.5,9,8\n",
     {},
     refused("taken as the user column, has numbers with a decimal point such as '5.0'")},
    {"ids that pandas made numbers", "7.0,8.0\n9.0,8.0\n", {}, reads(2, 1, 2, "7.0 8.0")},
    // Times that could be taken for ratings.
    {"a time for a rating", "7,8,978300760\n9,8,978302109\n", rated,
     refused(":1: column 2 (from 0), taken as the rating column, has times such as 978300760; "
             "use the option rating")},
    {"a time by name for a rating", "user_id,item_id,timestamp\n7,8,978300760\n", rated,
     refused(":1: no column has a known name for the rating; use the option rating to choose one "
             "of user_id, "
             "item_id, timestamp")},
    {"a date for a rating", "7,8,2001-01-01\n9,8,2001-01-02\n", rated,
     refused("taken as the rating column, has times such as 2001-01-01")},
    {"large ratings that are chosen",
     "7,8,978300760\n9,8,978302109\n",
     {.rating = 2, .min_rating = 978301000},
     reads(1, 1, 1, "9 8")},
    {"scores", "user_id,item_id,score\n7,8,5\n9,8,1\n", rated, reads(1, 1, 1, "7 8")},
    // Lists and columns.
    {"ragged lists between tabs",
     "0\t5\t6\t7\n1\t6\n2\t5\t7\n",
     {},
     refused(":2: has 2 columns, but the first line has 4; set the option format to "
             "adjacency")},
    {"ragged lists between tabs, chosen", "0\t5\t6\t7\n1\t6\n2\t5\t7\n", lists,
     reads(3, 3, 6, "0 5")},
    {"ragged lists between commas",
     "0,5,6,7\n1,6\n",
     {},
     refused(":2: has 2 columns, but the first line has 4")},
    {"ragged lists between commas, chosen", "0,5,6,7\n1,6\n", lists, reads(2, 3, 4, "0 5")},
    {"ragged lists, the first of one item",
     "0\t5\n1\t6\t7\n",
     {},
     refused(":2: has 3 columns, but the first line has 2")},
    {"lists of commas behind a space", "0 5,6,7\n1 6,8\n", lists,
     refused(":1: has '5,6,7' between spaces; set the option delimiter")},
    {"a comma in a text that is in no quotes",
     "7,8,good\n9,8,good, really\n",
     {},
     refused(":2: has 4 columns, but the first line has 3")},
    {"the same, with columns chosen", "7,8,5,good\n9,8,5,good, really\n", columns,
     reads(2, 1, 2, "7 8")},
    {"five columns between spaces",
     "1 2 5 100 7\n1 3 4 101 8\n2 3 1 102 9\n",
     {},
     refused(": has 5 words on each line, which may be adjacency lists or columns; set the option "
             "format to")},
    {"five columns between spaces, chosen", "1 2 5 100 7\n1 3 4 101 8\n2 3 1 102 9\n", columns,
     reads(2, 2, 3, "1 2")},
    {"named columns between spaces", "user item rating\n1 2 5\n1 3 4\n", rated,
     reads(1, 2, 2, "1 2")},
    {"titles between spaces",
     "1 2 Toy Story\n1 3 Heat\n",
     {},
     refused(":2: has 3 words, but the first line has 4; words such as 'Toy' are not the "
             "numbers of adjacency lists")},
    {"columns between spaces, a time now and then",
     "1 2 5\n1 3 4 88\n",
     {},
     refused(":2: begins with '1', as line 1 does, but adjacency lists have one line for "
             "each user; set the option format")},
    {"lists with a user that comes again",
     "0 1 2 3\n1 5 4\n0 9\n",
     {},
     refused(":3: begins with '0', as line 1 does")},
    {"lists with a user that comes again, chosen", "0 1 2 3\n1 5 4\n0 9\n", lists,
     reads(2, 6, 6, "0 1")},
    {"a list with an item twice",
     "0 1 2 3\n1 5 4 5\n2 5 4 6 7\n",
     {},
     refused(":2: has '5' twice, but adjacency lists have each item once; set the option")},
    {"one line of numbers between spaces",
     "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24\n",
     {},
     refused(
         ": has 25 words on its only line, which may be adjacency lists or columns; set the option "
         "format to adjacency (on each line, a user and all of the user's items) or "
         "delimited")},
    {"a title above a CSV file",
     "My ratings of 2020\n\nuser,item,rating\n7,8,5\n9,8,4\n",
     {},
     refused(":1: lines have different numbers of columns: with the delimiter ',', the first has "
             "1, but line 3 and "
             "those below have 3; remove what is above the table, or set the option comment")},
    {"a title above a CSV file, as a comment",
     "My ratings of 2020\n\nuser,item,rating\n7,8,5\n9,8,4\n",
     {.comment = "My"},
     reads(2, 1, 2, "7 8")},
    {"a title of one word above columns between tabs",
     "Ratings\n7\t8\n9\t8\n",
     {},
     refused(":1: lines have different numbers of columns: with the delimiter '\\t', the first has "
             "1, but line 2")},
    {"a title with a comma above columns between tabs",
     "Ratings, 2020\n7\t8\n9\t8\n",
     {},
     refused(":1: lines have different numbers of columns: with the delimiter '\\t', the first has "
             "1, but line 2")},
    {"tabs where no delimiter is",
     "196\t242\t3\t881250949\n186\t302\t3\t891717742\n",
     {.delimiter = "|"},
     refused("found 1 in '196\\t242\\t3\\t881250949'")},
    {"a tab in two letters",
     "196\t242\n186\t302\n",
     {.delimiter = "\\t"},
     refused("found 1 in '196\\t242'; the option delimiter is a backslash and a t; pass a tab "
             "itself if "
             "that is meant")},
    {"columns between a backslash and a t",
     "196\\t242\n186\\t302\n",
     {.delimiter = "\\t"},
     reads(2, 2, 2, "196 242")},
    {"columns in alignment", "  7   8\n  9   8\n", {}, reads(2, 1, 2, "7 8")},
    {"words of prose",
     "It was a dark\nand stormy night in\nParis\n",
     {},
     refused(":3: has 1 words, but the first line has 4; words such as 'It' are not")},
};

}  // namespace odd
