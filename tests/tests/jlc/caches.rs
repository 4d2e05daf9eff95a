//! `jlc` under caches of compiled files and in distributed builds.

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use rvsdg_tests::tools::{compiler_folder, output};

use super::{CXX, Place, is_there};

/// The same bytes in every run, for any number of threads.
#[test]
fn deterministic() {
    let place = Place::new(&[("p.cc", CXX)]);
    let lines = ["-Xrvsdg threads=1", "-Xrvsdg threads=1", "-Xrvsdg threads=4"];
    let objects = lines.map(|options| {
        place.jlc(&format!("-O3 -g -c p.cc -o p.o {options}"));
        std::fs::read(place.path("p.o")).expect("there is an object file")
    });
    assert!(objects[0] == objects[1] && objects[0] == objects[2]);
}

/// As caches of compilers and distributed builds need it: preprocessed first, or in another folder, a file becomes the same bytes.
#[test]
fn the_same_anywhere() {
    let (here, there) = (Place::new(&[("p.cc", CXX)]), Place::new(&[("p.cc", CXX)]));
    let object = |place: &Place, line: &str| {
        place.jlc(line);
        std::fs::read(place.path("p.o")).expect("there is an object file")
    };
    let expected = object(&here, "-O3 -c p.cc -o p.o");
    here.jlc("-O3 -E p.cc -o p.ii");
    assert!(object(&here, "-O3 -c p.ii -o p.o") == expected);
    assert!(object(&there, "-O3 -c p.cc -o p.o") == expected);
}

/// A cache of compiled files takes `jlc` for a compiler like others: what was compiled once is not compiled again.
#[test]
fn under_ccache() {
    if !is_there("ccache", "a cache of compiled files") {
        return;
    }
    let place = Place::new(&[("p.cc", CXX), ("q.cc", &CXX.replace("n > 2", "n > 3"))]);
    let compile = |source: &str, object: &str, flags: &str| {
        let line = format!("{} -O2 -g {flags} -c {source} -o {object}", compiler_folder().join("jlc").display());
        let mut command = place.command(Path::new("ccache"), &line);
        command.env("CCACHE_DIR", place.path("cache")).env("CCACHE_NODIRECT", "1").env_remove("CCACHE_DISABLE");
        output(&mut command).unwrap_or_else(|error| panic!("{error}"));
        std::fs::read(place.path(object)).expect("there is an object file")
    };
    let hits = || {
        let mut command = place.command(Path::new("ccache"), "--print-stats");
        let said = output(command.env("CCACHE_DIR", place.path("cache"))).expect("it counts").0;
        let count = |key: &str| {
            let line = said.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|count| count.trim().parse::<u32>().ok()).unwrap_or_else(|| panic!("no {key} in {said}"))
        };
        (count("preprocessed_cache_hit"), count("cache_miss"))
    };
    let first = compile("p.cc", "p.o", "");
    assert_eq!(hits(), (0, 1));
    std::fs::remove_file(place.path("p.o")).expect("it is there");
    assert!(compile("p.cc", "p.o", "") == first);
    assert_eq!(hits(), (1, 1));
    // Another program and another option of the optimizer are compiled.
    assert!(compile("q.cc", "q.o", "") != first);
    compile("p.cc", "p.o", "-Xrvsdg passes=dne");
    assert_eq!(hits(), (1, 3));
}

/// A TCP port that nobody uses.
fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    listener.local_addr().expect("it has an address").port().to_string()
}

/// sccache takes `jlc` for clang: what was compiled once is not compiled again, and what it cannot tell apart is always compiled.
#[test]
fn under_sccache() {
    if !is_there("sccache", "a cache of compiled files with a server") {
        return;
    }
    let place = Place::new(&[("p.cc", CXX), ("q.cc", &CXX.replace("n > 2", "n > 3"))]);
    let port = free_port();
    let sccache = |line: &str| {
        let mut command = place.command(Path::new("sccache"), line);
        command.env("SCCACHE_DIR", place.path("cache")).env("SCCACHE_SERVER_PORT", &port);
        command.env("SCCACHE_IDLE_TIMEOUT", "60").env_remove("SCCACHE_CONF").env_remove("RUSTC_WRAPPER");
        output(&mut command).unwrap_or_else(|error| panic!("{error}")).0
    };
    let compile = |source: &str, flags: &str| {
        sccache(&format!("{} -O2 -g {flags} -c {source} -o o.o", compiler_folder().join("jlc").display()));
        let bytes = std::fs::read(place.path("o.o")).expect("there is an object file");
        std::fs::remove_file(place.path("o.o")).expect("it is there");
        bytes
    };
    let counts = || {
        let stats: serde_json::Value =
            serde_json::from_str(&sccache("--show-stats --stats-format json")).expect("it counts");
        ["cache_hits", "cache_misses"].map(|key| stats["stats"][key]["counts"]["C/C++"].as_u64().unwrap_or(0))
    };
    let first = compile("p.cc", "");
    assert!(compile("p.cc", "") == first);
    assert_eq!(counts(), [1, 1]);
    assert!(compile("q.cc", "") != first);
    assert_eq!(counts(), [1, 2]);
    // The value of a flag that sccache does not know looks like another input.
    assert!(compile("p.cc", "-Xrvsdg passes=dne") != first);
    assert!(compile("p.cc", "-Xrvsdg passes=cne,dne") != first);
    assert_eq!(counts(), [1, 2]);
    sccache("--stop-server");
}

/// What another machine makes of the preprocessed file is what `jlc` makes here.
#[test]
fn under_distcc() {
    if !is_there("distcc", "a distributed build") {
        return;
    }
    // In place of a shell on another machine, the server that would be started by it: for compilers of any path.
    let shell = "#!/bin/sh\necho \"$@\" >> calls\nexec distccd --inetd --enable-tcp-insecure\n";
    let place = Place::new(&[("p.cc", CXX), ("shell", shell)]);
    output(Command::new("chmod").arg("+x").arg(place.path("shell"))).expect("the script becomes executable");
    std::fs::create_dir(place.path("state")).expect("a folder can be made");
    // Run by root, the server becomes a user who may not see where the compiler was built.
    std::fs::set_permissions(place.path(""), Permissions::from_mode(0o755)).expect("the folder is ours");
    for file in ["jlc", "librvsdg.so"] {
        std::fs::copy(compiler_folder().join(file), place.path(file)).expect("the compiler can be copied");
    }
    for (calls, flags) in (1..).zip(["-O2", "-O3 -g0 -Xrvsdg threads=2"]) {
        let line = format!("{} {flags} -c p.cc -o there.o", place.path("jlc").display());
        let mut command = place.command(Path::new("distcc"), &line);
        command.env("DISTCC_SSH", place.path("shell")).env("DISTCC_HOSTS", "@there").env("DISTCC_FALLBACK", "0");
        output(command.env("DISTCC_DIR", place.path("state"))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(place.text("calls").lines().count(), calls);
        place.jlc(&format!("{flags} -c p.cc -o here.o"));
        let [here, there] = ["here.o", "there.o"].map(|name| std::fs::read(place.path(name)).expect("it is there"));
        assert!(here == there, "{flags}");
    }
}
