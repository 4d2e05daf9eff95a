//! Compiles the C++ side of the plugin as `rvsdg-llvm` compiles its shim.

fn main() {
    println!("cargo::rerun-if-changed=shim");
    let flags = std::env::var("DEP_RVSDG_SHIM_CXXFLAGS").unwrap_or_default();
    let mut build = cc::Build::new();
    build.cpp(true).warnings(false).opt_level(2).debug(false).file("shim/plugin.cpp");
    for flag in flags.split_whitespace() {
        match flag.strip_prefix("-I") {
            Some(folder) => build.flag("-isystem").flag(folder),
            None => build.flag(flag),
        };
    }
    if std::env::var("DEP_RVSDG_SHIM_RTTI").is_ok_and(|rtti| rtti == "false") {
        build.flag("-fno-rtti");
    }
    if let Err(error) = build.try_compile("rvsdg_plugin_shim") {
        println!("cargo::error=the C++ compiler failed on rvsdg-plugin's shim: {error}");
    }
}
