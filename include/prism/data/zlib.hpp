// SPDX-License-Identifier: BSD-3-Clause
// The inline namespace that separates code compiled with zlib from code without it.
#pragma once

// Part of the names of ByteStream and of all that uses it, because its layout and code differ with
// and without zlib: translation units of both kinds may be in one program.
#if defined(PRISM_HAS_ZLIB)
#define PRISM_ZLIB with_zlib
#else
#define PRISM_ZLIB without_zlib
#endif
