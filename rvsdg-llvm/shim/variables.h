// Variables of the source that were in memory which is gone.
#pragma once

#include "writer.h"

// Where the memory that a debug record declares a variable to be in is not in the new body, each access of it that is gone says
// what the variable is from there on.
void rvsdgDescribeVariables(RvsdgWriter &W);

// Says of values that are what such memory holds at their place that they are the variable.
void rvsdgDescribeContents(RvsdgWriter &W);

// Removes records that say what was said already on every way to them.
void rvsdgDropRedundantRecords(llvm::Function &F);
