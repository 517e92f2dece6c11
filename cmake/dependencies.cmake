# What the headers need, unless an enclosing project has already found it.
if(NOT TARGET xsimd)
  find_package(xsimd REQUIRED)
endif()
if(NOT TARGET xtensor)
  find_package(xtensor REQUIRED)
endif()
if(NOT TARGET TBB::tbb)
  find_package(TBB REQUIRED)
endif()
find_package(Threads REQUIRED)
# Optional: reading gzip files.
find_package(ZLIB QUIET)
