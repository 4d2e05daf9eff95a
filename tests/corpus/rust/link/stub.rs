//! What a program's object file is linked with: the standard library, and nothing of its own.
#![no_main]
