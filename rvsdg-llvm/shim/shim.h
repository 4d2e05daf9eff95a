// Shared by the shim's files. The shim covers what LLVM's C API lacks or does too slowly; it holds no policy.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <cstdint>
#include <string>

#if LLVM_VERSION_MAJOR != 22
#error "rvsdg-llvm needs the headers of LLVM 22"
#endif

extern "C" {
// Receives bytes that stay valid during the call only.
typedef void (*RvsdgSink)(void *Cx, const char *Bytes, size_t Len);
}

inline void emitText(RvsdgSink Sink, void *Cx, llvm::StringRef S) { Sink(Cx, S.data(), S.size()); }
