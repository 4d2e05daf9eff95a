//! What came of a run, as data that pages show.

use serde_json::{Value, json};

use super::equivalents::{Equivalent, Equivalents};
use super::tree::{Mutant, Tree};
use super::{Fate, scope};

/// What came of a run.
pub struct Results<'r> {
    pub tree: &'r Tree,
    pub equivalents: &'r Equivalents,
    pub fates: &'r [(&'r Mutant, Fate)],
}

/// The columns of the table by pass.
const COLUMNS: [&str; 10] = [
    "pass",
    "mutants",
    "run",
    "killed by file tests",
    "by unit tests",
    "by runs and properties",
    "by time or memory",
    "equivalent",
    "worth only",
    "survive",
];

/// What became of a mutant, as a number of the column that counts it.
const FILES: usize = 3;

impl Results<'_> {
    /// A row for each pass, and one for all.
    pub fn rows(&self) -> Vec<(String, Vec<usize>)> {
        let mut rows: Vec<_> =
            scope::PASSES.iter().map(|&(pass, _)| self.row(pass, |mutant| mutant.pass == pass)).collect();
        rows.push(self.row("all", |_| true));
        rows.retain(|(_, counts)| counts[1] > 0);
        rows
    }

    fn row(&self, name: &str, is_counted: impl Fn(&Mutant) -> bool) -> (String, Vec<usize>) {
        let mut counts = vec![0; COLUMNS.len() - 1];
        counts[0] = self.tree.mutants.iter().filter(|mutant| is_counted(mutant)).count();
        for (mutant, fate) in self.fates.iter().filter(|(mutant, _)| is_counted(mutant)) {
            counts[1] += 1;
            let column = match fate {
                Fate::Killed(test) if test.ends_with("filetests") => FILES,
                Fate::Killed(test) if test.ends_with("lib") => FILES + 1,
                Fate::Killed(_) => FILES + 2,
                Fate::Endless(_) => FILES + 3,
                Fate::Listed if self.is_equivalent(mutant) => FILES + 4,
                Fate::Listed => FILES + 5,
                Fate::Survived | Fate::Unreached => FILES + 6,
            };
            counts[column - 1] += 1;
        }
        (name.to_owned(), counts)
    }

    fn is_equivalent(&self, mutant: &Mutant) -> bool {
        self.equivalents.get(&mutant.key).is_some_and(|entry| entry.equivalent)
    }

    /// Everything, for `docs/evidence`.
    pub fn data(&self, sample: Option<usize>, seed: u64) -> Value {
        let rows: Vec<Vec<Value>> = self
            .rows()
            .into_iter()
            .map(|(name, counts)| {
                [json!(name)].into_iter().chain(counts.into_iter().map(|count| json!(count))).collect()
            })
            .collect();
        let killed = self.fates.iter().filter(|(_, fate)| fate.is_killed()).count();
        let left = self.fates.iter().filter(|(_, fate)| fate.is_left());
        let listed = |equivalent: bool| {
            let mut entries: Vec<&Equivalent> =
                self.equivalents.entries.iter().filter(|entry| entry.equivalent == equivalent).collect();
            entries.sort_by(|a, b| a.key.cmp(&b.key));
            let rows: Vec<[String; 4]> = entries.into_iter().map(entry_row).collect();
            json!({ "columns": ["where", "condition", "becomes", "argument"], "rows": rows })
        };
        let each: Vec<[String; 4]> = self.fates.iter().map(|(mutant, fate)| self.each(mutant, fate)).collect();
        json!({
            "sample": sample,
            "seed": seed,
            "all": self.tree.mutants.len(),
            "run": self.fates.len(),
            "killed": killed,
            "killed_percent": (1000.0 * killed as f64 / self.fates.len() as f64).round() / 10.0,
            "passes": { "columns": COLUMNS, "rows": rows },
            "left": left.map(|(mutant, fate)| format!("{} ({})", mutant.key, fate.word())).collect::<Vec<_>>(),
            "equivalent": listed(true),
            "worth": listed(false),
            "excluded": excluded(),
            "each": { "columns": ["pass", "mutant", "result", "test"], "rows": each },
        })
    }

    fn each(&self, mutant: &Mutant, fate: &Fate) -> [String; 4] {
        let (result, test) = match fate {
            Fate::Killed(test) => ("killed", test.as_str()),
            Fate::Endless(test) => ("time or memory", test.as_str()),
            Fate::Listed if self.is_equivalent(mutant) => ("equivalent", ""),
            Fate::Listed => ("worth only", ""),
            Fate::Survived | Fate::Unreached => (fate.word(), ""),
        };
        [mutant.pass, &mutant.key.to_string(), result, test].map(str::to_owned)
    }
}

fn entry_row(entry: &Equivalent) -> [String; 4] {
    let key = &entry.key;
    let code = |text: &str| if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
    let place = key.file.split_once("/src/").map_or(key.file.as_str(), |(_, place)| place);
    [format!("{place}: {}", key.function), code(&key.condition), code(&key.becomes), entry.argument.clone()]
}

/// What is left out, in words.
fn excluded() -> Vec<String> {
    let entry = |entry: &scope::Excluded| {
        let scope::Excluded { file, function, reason } = entry;
        if function.is_empty() { format!("`{file}`: {reason}") } else { format!("`{file}`, `{function}`: {reason}") }
    };
    let limits: Vec<String> = scope::LIMITS.iter().map(|limit| format!("`{limit}`")).collect();
    let limits = format!("conditions on limits of what is tried: {}", limits.join(", "));
    let bisection = "whether bisection still allows a rewrite, which tests of the manager are about".to_owned();
    let seeded = "whether a deliberate fault is there, which tests of those are about".to_owned();
    scope::EXCLUDED.iter().map(entry).chain([limits, bisection, seeded]).collect()
}
