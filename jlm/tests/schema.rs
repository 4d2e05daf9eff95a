//! `docs/graph.schema.json` is what the types say, and what `--emit=json` writes obeys it. `RVSDG_BLESS=1 cargo test -p jlm --test
//! schema` writes it anew.

use std::path::Path;
use std::process::Command;

use jlm::view::View;
use serde_json::Value;

#[test]
fn the_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/graph.schema.json");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, View::schema()).expect("the schema can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == View::schema(), "docs/graph.schema.json is stale; write it anew with RVSDG_BLESS=1");
}

/// A loop with a conditional, a call and an access to memory.
const PROGRAM: &str = r"
declare i32 @g(i32)

define i32 @f(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %is_odd = trunc i32 %i to i1
  br i1 %is_odd, label %odd, label %join
odd:
  %x = call i32 @g(i32 %i)
  store i32 %x, ptr %p
  br label %join
join:
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  %y = load i32, ptr %p
  ret i32 %y
}
";

#[test]
fn the_data_obeys_the_schema() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("p.ll"), PROGRAM).expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_jlm-opt"));
    command.args(["-O2", "--emit=json", "p.ll", "-o", "-"]).current_dir(&folder);
    let output = command.output().expect("jlm-opt starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut data: Value = serde_json::from_slice(&output.stdout).expect("JSON");

    let schema = serde_json::from_str(&View::schema()).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let errors: Vec<String> = validator.iter_errors(&data).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // What is in the data is in the schema: no object has a property that is not named there.
    assert_eq!(unnamed(&schema, &schema, &data, "data"), Vec::<String>::new());

    let node = &mut data["functions"][0]["steps"][0]["regions"][0]["nodes"][0];
    assert!(node["text"].is_string(), "{node}");
    node["text"] = Value::Null;
    assert!(!validator.is_valid(&data), "the schema says of nodes what they are");
}

/// Properties of the data that the schema does not name.
fn unnamed(root: &Value, schema: &Value, data: &Value, path: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(&reference[1..]).expect("the schema has what it refers to");
        return unnamed(root, target, data, path);
    }
    match data {
        Value::Array(items) => {
            let element = |(index, item): (usize, &Value)| {
                let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                unnamed(root, schema, item, &format!("{path}[{index}]"))
            };
            items.iter().enumerate().flat_map(element).collect()
        }
        Value::Object(properties) => {
            let property = |(name, value): (&String, &Value)| {
                let path = format!("{path}.{name}");
                let schema = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                if schema.is_object() { unnamed(root, schema, value, &path) } else { vec![path] }
            };
            properties.iter().flat_map(property).collect()
        }
        _ => Vec::new(),
    }
}
