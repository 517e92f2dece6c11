// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// What a unit reads from a file: the number of interactions, or an error.
std::string with_zlib(const std::string& path);
std::string without_zlib(const std::string& path);
