# The project's own CUDA programs: for GPUs from 2020 on (8.0, 9.0), and as PTX for newer ones.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
enable_language(CUDA)

add_library(prism_cuda_program INTERFACE)
target_link_libraries(prism_cuda_program INTERFACE prism::cuda)
target_compile_options(prism_cuda_program INTERFACE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(PRISM_NATIVE)
  target_compile_options(prism_cuda_program INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=native>)
endif()
