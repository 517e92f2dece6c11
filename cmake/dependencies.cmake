# What the headers need. Included by the project and by its installed package.
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
