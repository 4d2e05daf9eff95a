//! The statistics that the optimizer writes with `-stats-json`.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::tools;

/// Counts of function bodies, summed over files.
#[derive(Clone, Default)]
pub struct Statistics {
    /// Function bodies in the input.
    pub bodies: u64,
    /// Of these, how many went through the graph.
    pub through: u64,
    /// Every other body: file, function, construct.
    pub untouched: Vec<[String; 3]>,
}

impl Statistics {
    /// Reads `{"bodies": n, "bodies_through": n, "untouched": [{"function": "f", "construct": "c"}, …]}`; other keys are ignored.
    ///
    /// # Errors
    /// The file is missing or no such object, or its counts contradict its list.
    pub fn read(path: &Path, file: &str) -> Result<Self> {
        Self::parse(&tools::read(path)?, file).with_context(|| format!("wrong statistics in {}", path.display()))
    }

    fn parse(text: &[u8], file: &str) -> Result<Self> {
        let json: serde_json::Value = serde_json::from_slice(text).context("no JSON")?;
        let missing = |key: &str| format!("no `{key}`");
        let count = |key: &str| json[key].as_u64().with_context(|| missing(key));
        let list = json["untouched"].as_array().with_context(|| missing("untouched"))?;
        let text = |entry: &serde_json::Value, key: &str| -> Result<String> {
            Ok(entry[key].as_str().with_context(|| missing(&format!("untouched[].{key}")))?.to_owned())
        };
        let untouched = list
            .iter()
            .map(|entry| Ok([file.to_owned(), text(entry, "function")?, text(entry, "construct")?]))
            .collect::<Result<Vec<_>>>()?;
        let statistics = Self { bodies: count("bodies")?, through: count("bodies_through")?, untouched };
        let named = statistics.through + statistics.untouched.len() as u64;
        ensure!(named == statistics.bodies, "not every untouched body has a remark");
        Ok(statistics)
    }

    /// Adds the counts of another file.
    pub fn add(&mut self, other: &Self) {
        self.bodies += other.bodies;
        self.through += other.through;
        self.untouched.extend(other.untouched.iter().cloned());
    }

    /// The share of bodies that went through, in percent; nothing if none was counted.
    pub fn share(&self) -> Option<f64> {
        (self.bodies > 0).then(|| 100.0 * self.through as f64 / self.bodies as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Statistics;

    #[test]
    fn every_untouched_body_needs_a_remark() {
        let good = br#"{"bodies": 2, "bodies_through": 1, "untouched": [{"function": "f", "construct": "invoke"}], "more": 1}"#;
        let statistics = Statistics::parse(good, "a").expect("it is well-formed");
        assert_eq!((statistics.share(), statistics.untouched.len()), (Some(50.0), 1));
        let bad = br#"{"bodies": 2, "bodies_through": 1, "untouched": []}"#;
        assert!(Statistics::parse(bad, "a").is_err());
    }
}
