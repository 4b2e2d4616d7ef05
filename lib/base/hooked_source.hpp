// A source that sees the test hooks is compiled twice, with and without them (lib/meson.build, `hooked_sources`). Every
// other source is compiled once, with ACCUBLAS_COMPILED_ONCE defined. A source that is compiled once and sees the hooks
// would bring the library with hooks a second definition of everything that it includes, and the deliberate defects
// would not be in it.
#pragma once

#ifdef ACCUBLAS_COMPILED_ONCE
#error "this source sees the test hooks: meson.build must name it in the list of hooked sources"
#endif
