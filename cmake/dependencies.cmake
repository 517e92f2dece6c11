# What the headers need, unless the project that this one is part of has found it already.
if(NOT TARGET xsimd)
  find_package(xsimd REQUIRED)
endif()
if(NOT TARGET xtensor)
  find_package(xtensor REQUIRED)
endif()
if(NOT TARGET TBB::tbb)
  find_package(TBB REQUIRED)
endif()
# Optional: reading gzip files.
find_package(ZLIB QUIET)
