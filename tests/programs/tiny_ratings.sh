# Prints MovieLens' user::item::rating::time of 60 users and 40 items, popular ones first.
tiny_ratings() {
  awk 'BEGIN { for (u = 1; u <= 60; ++u) for (i = 1; i <= 40; ++i)
    if ((u * 7 + i * 13 + u * i) % (2 + int(i / 4)) == 0) print u "::" i "::" 3 + (u + i) % 3 "::0" }'
}
