//! The generated page about passes is up to date.

use std::path::Path;

#[test]
fn page_of_passes_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/passes.md");
    let expected = rvsdg_passes::Registry::builtin().markdown();
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &expected).expect("the page can be written");
    }
    let actual = std::fs::read_to_string(&path).expect("the page can be read");
    assert!(actual == expected, "docs/passes.md is stale: run RVSDG_BLESS=1 cargo test -p rvsdg-passes");
}
