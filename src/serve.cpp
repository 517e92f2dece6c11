// SPDX-License-Identifier: BSD-3-Clause
// What prism/serve/ has that needs no policy, for the target prism::compiled.
#define PRISM_INSTANTIATE

#include "prism/serve/compiled.hpp"
#include "prism/serve/escaped_line.inl.hpp"
#include "prism/serve/item_filter.inl.hpp"
#include "prism/serve/manifest.inl.hpp"
#include "prism/serve/model_folder.inl.hpp"
#include "prism/serve/npy_reader.inl.hpp"
#include "prism/serve/saved_ranking.inl.hpp"
#include "prism/serve/staged_files.inl.hpp"
