// SPDX-License-Identifier: BSD-3-Clause
// The files of odd_files_test.cpp, and what reading each of them gives.
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
inline const ReadOptions lists{.format = Format::adjacency};

inline const std::vector<OddFile> odd_files{
    // Known columns that are no ids.
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
     refused(":1: no column is known to be the item's, and column 1 is 'rating'; the option item "
             "says")},
    {"a time where the user should be",
     "timestamp,who,itemid\n1433221332,7,8\n",
     {},
     refused(":1: no column is known to be the user's, and column 0 is 'timestamp'; the option "
             "user says")},
    {"two items",
     "user_id,movie_id,book_id\n1,2,3\n",
     {},
     refused(
         ":1: more than one column may be the item's: movie_id and book_id; the option item says")},
    {"a column of numbers without a name",
     ",who,what\n0,7,8\n1,9,8\n",
     {},
     refused(":1: no column is known to be the user's, and column 0 is ''")},
    {"pandas' index, named columns", ",user_id,item_id\n0,7,8\n1,9,8\n", {}, reads(2, 1, 2, "7 8")},
    {"check-ins: a time where the item should be",
     "0\t2010-10-19T23:55:27Z\t30.2359\t-97.795\t22847\n0\t2010-10-18T22:17:43Z\t30.2691\t-97."
     "749\t420315\n",
     {},
     refused(":1: column 1 (from 0), where the item should be, holds dates such as "
             "'2010-10-19T23:55:27Z'; the options user and item say")},
    {"check-ins, with the column",
     "0\t2010-10-19T23:55:27Z\t30.2\t-97.7\t22847\n0\t2010-10-18T22:17:43Z\t30.3\t-97.8\t420315\n",
     {.item = 4},
     reads(1, 2, 2, "0 22847")},
    {"a rating where the user should be",
     "5.0,7,8\n1.5,9,8\n",
     {},
     refused("where the user should be, holds numbers with a decimal point such as '5.0'")},
    {"ids that pandas made numbers", "7.0,8.0\n9.0,8.0\n", {}, reads(2, 1, 2, "7.0 8.0")},
    // Times for ratings.
    {"a time for a rating", "7,8,978300760\n9,8,978302109\n", rated,
     refused(":1: column 2 (from 0), where the rating should be, holds times such as 978300760; "
             "the option rating says")},
    {"a time by name for a rating", "user_id,item_id,timestamp\n7,8,978300760\n", rated,
     refused(":1: no column is known to be the rating; the option rating says which, of user_id, "
             "item_id, timestamp")},
    {"a date for a rating", "7,8,2001-01-01\n9,8,2001-01-02\n", rated,
     refused("where the rating should be, holds times such as 2001-01-01")},
    {"large ratings that are chosen",
     "7,8,978300760\n9,8,978302109\n",
     {.rating = 2, .min_rating = 978301000},
     reads(1, 1, 1, "9 8")},
    {"scores", "user_id,item_id,score\n7,8,5\n9,8,1\n", rated, reads(1, 1, 1, "7 8")},
    // Lists and columns.
    {"ragged lists between tabs",
     "0\t5\t6\t7\n1\t6\n2\t5\t7\n",
     {},
     refused(":2: has 2 columns where the first line has 4; the option format says what that is: "
             "adjacency")},
    {"ragged lists between tabs, chosen", "0\t5\t6\t7\n1\t6\n2\t5\t7\n", lists,
     reads(3, 3, 6, "0 5")},
    {"ragged lists between commas",
     "0,5,6,7\n1,6\n",
     {},
     refused(":2: has 2 columns where the first line has 4")},
    {"ragged lists between commas, chosen", "0,5,6,7\n1,6\n", lists, reads(2, 3, 4, "0 5")},
    {"ragged lists, the first of one item",
     "0\t5\n1\t6\t7\n",
     {},
     refused(":2: has 3 columns where the first line has 2")},
    {"lists of commas behind a space", "0 5,6,7\n1 6,8\n", lists,
     refused(":1: holds '5,6,7' between spaces; the option delimiter says")},
    {"a comma in a text that is in no quotes",
     "7,8,good\n9,8,good, really\n",
     {},
     refused(":2: has 4 columns where the first line has 3")},
    {"the same, with columns chosen", "7,8,5,good\n9,8,5,good, really\n", columns,
     reads(2, 1, 2, "7 8")},
    {"five columns between spaces",
     "1 2 5 100 7\n1 3 4 101 8\n2 3 1 102 9\n",
     {},
     refused(": has 5 words on each line, which may be adjacency lists or columns; the option "
             "format says which")},
    {"five columns between spaces, chosen", "1 2 5 100 7\n1 3 4 101 8\n2 3 1 102 9\n", columns,
     reads(2, 2, 3, "1 2")},
    {"named columns between spaces", "user item rating\n1 2 5\n1 3 4\n", rated,
     reads(1, 2, 2, "1 2")},
    {"titles between spaces",
     "1 2 Toy Story\n1 3 Heat\n",
     {},
     refused("which are no lists of numbers")},
    {"columns between spaces, a time now and then",
     "1 2 5\n1 3 4 88\n",
     {},
     refused("which are no lists of numbers")},
    {"columns in alignment", "  7   8\n  9   8\n", {}, reads(2, 1, 2, "7 8")},
    {"words of prose",
     "It was a dark\nand stormy night in\nParis\n",
     {},
     refused("which are no lists of numbers")},
    // Comments.
    {"SNAP",
     "# Directed graph: each pair\n# Nodes: 3 Edges: 3\n# "
     "FromNodeId\tToNodeId\n0\t11342\n0\t824020\n1\t0\n",
     {},
     reads(2, 3, 3, "0 11342")},
    {"KONECT", "% bip weighted\n% 3 2 2\n1 2 5 100\n2 1 1 101\n2 2 4 99\n", rated,
     reads(2, 1, 2, "1 2")},
    {"KONECT with tabs", "% bip unweighted\n1\t2\n2 1\n", {}, reads(2, 2, 2, "1 2")},
    {"MatrixMarket",
     "%%MatrixMarket matrix coordinate real general\n% by hand\n3 4 3\n1 1 5.0\n2 3 1.0\n3 1 4.0\n",
     rated, reads(2, 1, 2, "1 1")},
    {"MatrixMarket, cut off",
     "%%MatrixMarket matrix coordinate pattern general\n3 4 3\n1 1\n2 3\n",
     {},
     refused(": says that it has 3 entries, and has 2")},
    {"MatrixMarket, symmetric",
     "%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 1 5.0\n",
     {},
     refused(":1: is a MatrixMarket file of another kind")},
    {"a header behind a comment's sign",
     "#rating,item,user\n5,8,7\n1,8,9\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"ids that begin with #",
     "#a1,8\n#b2,8\nc3,8\n",
     {},
     refused(
         ":2: may be a comment, or has an id that begins with '#'; the option comment says which")},
    {"ids that begin with #, chosen",
     "#a1,8\n#b2,8\nc3,8\n",
     {.comment = ""},
     reads(3, 1, 3, "#a1 8")},
    {"a comment further down",
     "7,8\n# second part\n9,8\n",
     {},
     refused(":2: begins with '#'; the option comment says whether it is one")},
    {"a comment further down, chosen",
     "7,8\n# second part\n9,8\n",
     {.comment = "#"},
     reads(2, 1, 2, "7 8")},
    {"comments of another kind",
     "// by hand\n7,8\n9,8\n",
     {.comment = "//"},
     reads(2, 1, 2, "7 8")},
    {"only comments", "# nothing\n# here\n", {}, refused(": holds only comments")},
    // Headers.
    {"a header of words above words",
     "reader,book\nAnn,Emma\nBob,Dune\n",
     {},
     refused(":1: may be a header or an interaction")},
    {"a header of words above words, chosen",
     "reader,book\nAnn,Emma\nBob,Dune\n",
     {.header = Header::yes},
     reads(2, 2, 2, "Ann Emma")},
    {"words whose first one comes again", "Ann,Emma\nBob,Emma\n", {}, reads(2, 1, 2, "Ann Emma")},
    {"a header of words above codes", "reader,book\nu1,b1\nu2,b1\n", {}, reads(2, 1, 2, "u1 b1")},
    {"a header of words with digits",
     "col1,col2\n7,8\n9,8\n",
     {},
     refused(":1: may be a header or an interaction")},
    {"a header that comes again", "user,item\n7,8\nuser,item\n9,8\n", {}, reads(2, 1, 2, "7 8")},
    {"RecBole's header that comes again",
     "user_id:token\titem_id:token\n7\t8\nuser_id:token\titem_id:token\n9\t8\n",
     {},
     reads(2, 1, 2, "7 8")},
    // Padding, delimiters within ids, quotes.
    {"a space behind commas", "1, 2\n1,2\n3, 2\n", {}, reads(2, 1, 2, "1 2")},
    {"a space behind commas in the header", "user_id, item_id\n7, 8\n", {}, reads(1, 1, 1, "7 8")},
    {"quotes behind a space", "1, \"a, b\"\n2, \"a, b\"\n", {}, reads(2, 1, 2, "1 a, b")},
    {"spaces around ids between tabs", "1 \t2\n1\t 2\n", {}, reads(1, 1, 1, "1 2")},
    {"two colons inside ids between commas",
     "urn::7,x\nurn::9,x\n",
     {},
     refused("may be delimited by more than one of :: ,")},
    {"two colons inside ids between tabs",
     "urn::7\tx\nurn::9\tx\n",
     {},
     reads(2, 1, 2, "urn::7 x")},
    {"two colons inside some ids", "std::map,5\nvector,5\n", {}, reads(2, 1, 2, "std::map 5")},
    {"commas inside ids between tabs",
     "Doe, Jane\t8\nRoe, Max\t8\n",
     {},
     reads(2, 1, 2, "Doe, Jane 8")},
    {"two delimiters", "1,2;3\n4,5;6\n", {}, refused("the option delimiter says which")},
    {"a line break in a field that is not needed",
     "user_id,item_id,review\n7,8,\"good\n1,2,3\"\n9,8,\"\"\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"a line break in an id",
     "user_id,item_id\n7,\"a\nb\"\n",
     {},
     refused(":2: the item holds a line break: 'a?b'")},
    {"an error behind a line break in quotes",
     "user_id,item_id,review\n7,8,\"good\n\n\"\n9,,x\n",
     {},
     refused(":5: the item is empty")},
    {"a quote that does not end",
     "7,8,x\n9,8,\"x\n10,8,x\n",
     {},
     refused(":2: a quoted field does not end")},
    // Times.
    {"dates",
     "user_id,item_id,date\n7,8,1970-01-02\n9,8,1970-01-01T00:00:01Z\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"a time that is no date",
     "user_id,item_id,date\n7,8,1970-01-02\n9,8,01/03/1970\n",
     {},
     refused(":3: the time is not a date such as 2011-03-14")},
    {"numbers among dates",
     "7,8,5,2011-03-14\n9,8,5,1300060800\n",
     {},
     refused(":2: the time is not a date such as")},
    // Files that are no tables.
    {"HTML",
     "<!DOCTYPE html>\n<html><body>404, not found</body></html>\n",
     {},
     refused(": is HTML or XML")},
    {"JSON lines",
     "{\"user_id\": 7, \"item_id\": 8}\n{\"user_id\": 9, \"item_id\": 8}\n",
     {},
     refused(": is JSON; save it as CSV")},
    {"a JSON list", "[[7, 8],\n[9, 8]]\n", {}, refused(": is JSON")},
    {"a table in Markdown",
     "| user | item |\n|------|------|\n| 7 | 8 |\n",
     {},
     refused(":2: is a line of a table as Markdown")},
    {"a table of a terminal",
     "+------+------+\n| user | item |\n+------+------+\n|    7 |    8 |\n",
     {},
     refused("the table")},
    {"Markdown", "# Data\n\nHello, world\n", {}, refused(":3: may be a header or an interaction")},
    {"a zip archive", "PK\x03\x04 and more", {}, refused(": is a zip archive; unpack it first")},
    {"a Parquet file", "PAR1\x15\x04", {}, refused(": is a Parquet file; save it as CSV")},
    {"UTF-16",
     "\xFF\xFE"s + "7\0,\0" + "8\0\n\0"s,
     {},
     refused(": is text in UTF-16; convert it to UTF-8")},
    {"UTF-16 without its mark",
     "7\0,\0008\0\n\0"s,
     {},
     refused("zero byte, so it is not text; if it is UTF-16")},
    {"a zero byte", "7,8\n9,8\0\n"s, {}, refused(":2: contains a zero byte")},
    {"a byte order mark", "\xEF\xBB\xBFuser_id,item_id\n7,8\n", {}, reads(1, 1, 1, "7 8")},
    {"a byte order mark before a comment",
     "\xEF\xBB\xBF# by hand\n7,8\n",
     {},
     reads(1, 1, 1, "7 8")},
    {"two CSV files with byte order marks put together",
     "\xEF\xBB\xBFuser,item\n7,8\n\xEF\xBB\xBFuser,item\n9,8\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"the same without headers",
     "\xEF\xBB\xBF"
     "7,8\n\xEF\xBB\xBF"
     "7,9\n\xEF\xBB\xBF\n",
     {},
     reads(1, 2, 2, "7 8")},
    {"lists with byte order marks put together",
     "\xEF\xBB\xBF"
     "0 5 6 7\n1 6\n\xEF\xBB\xBF"
     "2 5 7\n",
     {},
     reads(3, 3, 6, "0 5")},
    {"a byte order mark before a comment between comments",
     "# by hand\n\xEF\xBB\xBF# and more\n7,8\n\xEF\xBB\xBF# at last\n",
     {},
     reads(1, 1, 1, "7 8")},
    {"JSON behind a byte order mark", "\xEF\xBB\xBF{\"user\": 7}\n", {}, refused(": is JSON")},
    {"lines of Windows",
     "user_id,item_id\r\n7,8\r\n9,8\r\nuser_id,item_id\r\n",
     {},
     reads(2, 1, 2, "7 8")},
    {"lines of old Macs", "7,8\r9,8\r", {}, refused(":1: has a carriage return within")},
    {"nothing", "", {}, refused(": is empty")},
    {"only blanks", "\n \n\t\n", {}, refused(": is empty")},
    {"only a header", "user_id,item_id\n", {}, refused(": holds no interactions")},
};

}  // namespace odd
