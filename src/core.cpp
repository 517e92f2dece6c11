// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/core/ declares.
#include "prism/core/binary_file.inl.hpp"
#include "prism/core/cpu_quota.inl.hpp"
#include "prism/core/input_file.inl.hpp"
#include "prism/core/real_path.inl.hpp"
#include "prism/core/staged_file.inl.hpp"
#include "prism/core/staged_folder.inl.hpp"
