//! Mutants that no test can notice, or that only change how much is optimized, each with the reason.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::tree::{Key, Tree};
use crate::tools;

/// The list; see there.
pub const FILE: &str = "xtask/src/mutants/equivalents.json";

/// An entry of the list.
pub struct Equivalent {
    pub key: Key,
    /// Whether programs come out the same; otherwise less or more is optimized, and all that comes out is right.
    pub equivalent: bool,
    /// Why.
    pub argument: String,
}

/// The list.
pub struct Equivalents {
    pub entries: Vec<Equivalent>,
}

impl Equivalents {
    /// Reads the list.
    ///
    /// # Errors
    /// It is not as it should be.
    pub fn read() -> Result<Equivalents> {
        let list: Value = serde_json::from_slice(&tools::read(&tools::root().join(FILE))?).context(FILE)?;
        let entries = list.as_array().with_context(|| format!("{FILE} is a list"))?;
        let entries = entries.iter().map(|entry| entry_of(entry).with_context(|| format!("{FILE}: {entry}")));
        Ok(Equivalents { entries: entries.collect::<Result<_>>()? })
    }

    /// The entry of a mutant.
    pub fn get(&self, key: &Key) -> Option<&Equivalent> {
        self.entries.iter().find(|entry| entry.key == *key)
    }

    /// Looks for entries of mutants that are not there any more, and for two of one.
    ///
    /// # Errors
    /// There are such.
    pub fn check(&self, tree: &Tree) -> Result<()> {
        let mut keys: Vec<&Key> = tree.mutants.iter().map(|mutant| &mutant.key).collect();
        keys.sort_unstable();
        let mut stale: Vec<String> = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            if keys.binary_search(&&entry.key).is_err() {
                stale.push(format!("there is no such mutant: {}", entry.key));
            }
            if self.entries[..index].iter().any(|other| other.key == entry.key) {
                stale.push(format!("it is there twice: {}", entry.key));
            }
        }
        if !stale.is_empty() {
            bail!("{FILE}:\n{}", stale.join("\n"));
        }
        Ok(())
    }
}

fn entry_of(entry: &Value) -> Result<Equivalent> {
    let text = |name: &str| entry[name].as_str().map(str::to_owned).with_context(|| format!("it has no text `{name}`"));
    let nth = match &entry["nth"] {
        Value::Null => 1,
        nth => nth.as_u64().context("`nth` is a number")? as u32,
    };
    let (argument, equivalent) = match &entry["equivalent"] {
        Value::Null => (text("worth")?, false),
        _ => (text("equivalent")?, true),
    };
    let key = Key {
        file: text("file")?,
        function: text("function")?,
        condition: text("condition")?,
        becomes: text("becomes")?,
        nth,
    };
    Ok(Equivalent { key, equivalent, argument })
}
