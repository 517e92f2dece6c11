// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/serve/ declares, and templates that it lists in compiled.hpp.
#include "prism/serve/compiled.hpp"
#include "prism/serve/escaped_line.inl.hpp"
#include "prism/serve/item_filter.inl.hpp"
#include "prism/serve/manifest.inl.hpp"
#include "prism/serve/model_folder.inl.hpp"
#include "prism/serve/npy_reader.inl.hpp"
#include "prism/serve/saved_ranking.inl.hpp"
#include "prism/serve/staged_files.inl.hpp"
