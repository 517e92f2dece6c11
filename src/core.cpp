// SPDX-License-Identifier: BSD-3-Clause
// What prism/core/ has that needs no policy, for the target prism::compiled.
#include "prism/core/binary_file.inl.hpp"
#include "prism/core/input_file.inl.hpp"
#include "prism/core/real_path.inl.hpp"
#include "prism/core/staged_file.inl.hpp"
#include "prism/core/staged_folder.inl.hpp"
