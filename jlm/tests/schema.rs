//! `docs/graph.schema.json` is what the types say. `RVSDG_BLESS=1 cargo test -p jlm --test schema` writes it anew.

use std::path::Path;

use jlm::view::View;

#[test]
fn the_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/graph.schema.json");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, View::schema()).expect("the schema can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == View::schema(), "docs/graph.schema.json is stale; write it anew with RVSDG_BLESS=1");
}
