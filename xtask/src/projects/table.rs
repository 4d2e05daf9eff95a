//! The projects, and how each is built and tested.

/// A Debian source package and the shell commands for it, which run in a copy of its unpacked source. `CC`, `CXX`, `CFLAGS` and
/// `CXXFLAGS` are in the environment, where configure scripts and CMake look for them; a plain makefile is told.
pub struct Project {
    /// The source package's name.
    pub name: &'static str,
    /// `C` or `C++`.
    pub language: &'static str,
    /// Debian packages that building and testing need beside make and compilers.
    pub needs: &'static [&'static str],
    /// Makes the build files: nothing of it is measured.
    pub configure: &'static str,
    /// Compiles.
    pub build: &'static str,
    /// Tests. Each command is a test of its name; further results come from what it prints.
    pub tests: &'static [(&'static str, &'static str)],
}

/// The project that CI builds.
pub const SAMPLE: &str = "bzip2";

const CMAKE: &[&str] = &["cmake"];
const AUTOTOOLS: &[&str] = &["autoconf", "automake", "libtool"];

/// All projects, small ones first.
pub const PROJECTS: &[Project] = &[
    Project {
        name: SAMPLE,
        language: "C",
        needs: &[],
        configure: "",
        build: r#"make CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" libbz2.a bzip2 bzip2recover"#,
        tests: &[("samples", r#"make CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" test"#)],
    },
    Project {
        name: "lzip",
        language: "C++",
        needs: &[],
        configure: r#"./configure CXX="$CXX" CXXFLAGS="$CXXFLAGS""#,
        build: "make",
        tests: &[("check", "make check")],
    },
    Project {
        name: "zlib",
        language: "C",
        needs: &[],
        configure: "./configure",
        build: "make",
        tests: &[("static", "make teststatic"), ("shared", "make testshared")],
    },
    Project {
        name: "cjson",
        language: "C",
        needs: CMAKE,
        configure: "cmake -S . -B build -DCMAKE_BUILD_TYPE=None -DENABLE_CJSON_UTILS=ON -DENABLE_CUSTOM_COMPILER_FLAGS=OFF",
        build: "make -C build",
        tests: &[("ctest", "ctest --test-dir build")],
    },
    Project {
        name: "tinyxml2",
        language: "C++",
        needs: &[],
        configure: "",
        build: r#"make CXX="$CXX" CXXFLAGS="$CXXFLAGS" xmltest"#,
        tests: &[("xmltest", "./xmltest")],
    },
    Project {
        name: "jansson",
        language: "C",
        needs: CMAKE,
        configure: "cmake -S . -B build -DCMAKE_BUILD_TYPE=None -DJANSSON_BUILD_DOCS=OFF",
        build: "make -C build",
        tests: &[("ctest", "ctest --test-dir build")],
    },
    Project {
        name: "expat",
        language: "C",
        needs: AUTOTOOLS,
        configure: "cd expat && ./buildconf.sh && ./configure --without-docbook --disable-dependency-tracking",
        build: "make -C expat",
        tests: &[("check", "make -C expat check")],
    },
    Project {
        name: "lz4",
        language: "C",
        needs: &[],
        configure: "",
        build: r#"
            make -C lib CC="$CC" CFLAGS="$CFLAGS" lib
            make -C programs CC="$CC" CFLAGS="$CFLAGS" lz4
            make -C tests CC="$CC" CFLAGS="$CFLAGS" fuzzer frametest roundTripTest datagen decompress-partial checkFrame"#,
        tests: &[
            ("fuzzer", "tests/fuzzer -s1 -i200 -v"),
            ("frametest", "tests/frametest -s1 -i200 -v"),
            ("decompress-partial", "tests/decompress-partial"),
            ("roundTripTest", "tests/datagen -g100KB > data && tests/roundTripTest data"),
            (
                "lz4",
                r#"make -C tests CC="$CC" CFLAGS="$CFLAGS" test-lz4-basic test-lz4-multiple test-lz4-frame-concatenation test-lz4-sparse"#,
            ),
        ],
    },
    Project {
        name: "jq",
        language: "C",
        needs: AUTOTOOLS,
        configure: "autoreconf --install --force && ./configure --without-oniguruma --disable-maintainer-mode --disable-docs",
        build: "make",
        tests: &[
            ("jq.test", "./jq -L tests/modules --run-tests tests/jq.test"),
            ("shtest", "NO_VALGRIND=1 tests/shtest"),
        ],
    },
    Project {
        name: "libpng1.6",
        language: "C",
        needs: &["zlib1g-dev"],
        configure: "./configure --disable-dependency-tracking",
        build: "make",
        tests: &[("check", "make check")],
    },
    Project {
        name: "xz-utils",
        language: "C",
        needs: &[],
        configure: "./configure --disable-nls --disable-doc --disable-dependency-tracking",
        build: "make",
        tests: &[("check", "make check")],
    },
    Project {
        name: "pcre2",
        language: "C",
        needs: &[],
        configure: "./configure --enable-jit --enable-pcre2-16 --enable-pcre2-32 --disable-dependency-tracking",
        build: "make",
        // `RunGrepTest` prints from two processes in an order that changes from run to run.
        tests: &[("check", r#"make check TESTS="pcre2posix_test pcre2_jit_test RunTest""#)],
    },
];

/// The projects of these names, in the table's order; all if there is no name.
///
/// # Errors
/// The first name that is none.
pub fn named(names: &[String]) -> Result<Vec<&'static Project>, String> {
    if let Some(unknown) = names.iter().find(|name| PROJECTS.iter().all(|project| project.name != **name)) {
        return Err(unknown.clone());
    }
    let is_wanted = |project: &&Project| names.is_empty() || names.iter().any(|name| name == project.name);
    Ok(PROJECTS.iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_found_by_name() {
        assert_eq!(named(&[]).map(|all| all.len()), Ok(PROJECTS.len()));
        assert_eq!(named(&["zlib".to_owned()]).map(|found| found[0].name), Ok("zlib"));
        assert_eq!(named(&["zlib".to_owned(), "zip".to_owned()]).err(), Some("zip".to_owned()));
        assert!(PROJECTS.iter().all(|project| !project.tests.is_empty()));
    }
}
