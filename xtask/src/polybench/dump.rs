//! Dumps of the arrays that hold a kernel's result: how they are read and when two of them agree.

use anyhow::{Context, Result, bail, ensure};

/// The numbers of each array, as printed, in the order of the dump.
#[derive(Debug, PartialEq, Eq)]
pub struct Dump(Vec<(String, Vec<String>)>);

/// How far a number may be from the exact one: `largest` times the result's largest number, and `absolute`.
#[derive(Clone, Copy)]
pub struct Tolerance {
    /// For what rounding does to computed numbers.
    pub largest: f64,
    /// For what printing does to them.
    pub absolute: f64,
}

/// A number that the definition leaves open.
const OPEN: &str = "?";

impl Tolerance {
    /// The tolerance for numbers of a C type that are printed with all digits.
    ///
    /// # Errors
    /// The type is none of the kernels'.
    pub fn of(element: &str) -> Result<Self> {
        let largest = match element {
            "double" => 1e-10,
            "float" => 2e-6,
            "int" => 0.0,
            _ => bail!("{element} is no type of the kernels"),
        };
        Ok(Self { largest, absolute: 0.0 })
    }

    /// The tolerance for numbers that are printed with two decimals: also half of the last.
    pub fn printed(self) -> Self {
        Self { absolute: 0.005_001, ..self }
    }
}

impl Dump {
    /// Reads the arrays with the given names. Where lines end, and where the dump's own end is marked, differs between kernels and
    /// means nothing: an array's first number may stand right behind its name.
    ///
    /// # Errors
    /// An array is missing, comes in another place, is not expected, or is empty.
    pub fn parse(text: &str, names: &[String]) -> Result<Self> {
        for marker in ["==BEGIN DUMP_ARRAYS==", "==END   DUMP_ARRAYS=="] {
            ensure!(text.contains(marker), "there is no {marker}");
        }
        let mut arrays = Vec::new();
        let mut rest = text;
        for name in names {
            let place = || format!("array {name} is not in its place");
            let (_, begun) = rest.split_once(&format!("begin dump: {name}")).with_context(place)?;
            let (numbers, behind) = begun.split_once(&format!("end   dump: {name}")).with_context(place)?;
            let numbers: Vec<String> = numbers.split_whitespace().map(str::to_owned).collect();
            ensure!(!numbers.is_empty(), "array {name} is empty");
            arrays.push((name.clone(), numbers));
            rest = behind;
        }
        let found = text.matches("begin dump: ").count();
        ensure!(found == names.len(), "{found} arrays where {} are expected", names.len());
        Ok(Self(arrays))
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|(_, numbers)| numbers.len()).sum()
    }

    /// Checks that another dump has the same numbers, as they are printed.
    ///
    /// # Errors
    /// The first difference.
    pub fn same(&self, other: &Self) -> Result<()> {
        self.each(other, |a, b| Ok(a == b))
    }

    /// Checks the numbers against exact ones, of which `?` are open.
    ///
    /// # Errors
    /// The first difference.
    pub fn close(&self, exact: &Self, tolerance: Tolerance) -> Result<()> {
        let number = |text: &str| text.parse::<f64>().with_context(|| format!("{text} is no number"));
        let known = exact.0.iter().flat_map(|(_, numbers)| numbers).filter(|text| *text != OPEN);
        let largest = known.map(|text| number(text)).try_fold(0.0, |most, x| anyhow::Ok(f64::max(most, x?.abs())))?;
        let far = tolerance.absolute + tolerance.largest * largest;
        self.each(exact, |found, exact| Ok(exact == OPEN || (number(found)? - number(exact)?).abs() <= far))
    }

    fn each(&self, other: &Self, agree: impl Fn(&str, &str) -> Result<bool>) -> Result<()> {
        for ((name, ours), (other_name, theirs)) in self.0.iter().zip(&other.0) {
            ensure!(name == other_name, "array {name} where the other has {other_name}");
            ensure!(ours.len() == theirs.len(), "array {name}: {} numbers, not {}", ours.len(), theirs.len());
            for (place, (a, b)) in ours.iter().zip(theirs).enumerate() {
                if !agree(a, b)? {
                    bail!("array {name}: number {place} is {a}, not {b}");
                }
            }
        }
        ensure!(self.0.len() == other.0.len(), "{} arrays, not {}", self.0.len(), other.0.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Dump, Tolerance};

    fn read(text: &str, names: &[&str]) -> anyhow::Result<Dump> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Dump::parse(&format!("==BEGIN DUMP_ARRAYS==\n{text}\n==END   DUMP_ARRAYS==\n"), &names)
    }

    #[test]
    fn line_breaks_mean_nothing() {
        let usual = read("begin dump: x\n0.00 1.00 \n2.00 \nend   dump: x", &["x"]).unwrap();
        let odd = read("begin dump: x0.00 \n1.00 2.00 \nend   dump: x", &["x"]).unwrap();
        assert_eq!(usual, odd);
        assert_eq!(usual.len(), 3);
    }

    #[test]
    fn other_arrays_are_refused() {
        let two = "begin dump: x1\n1 \nend   dump: x1\nbegin dump: x2\n2 \nend   dump: x2";
        assert!(read(two, &["x1", "x2"]).is_ok());
        for wrong in [&["x1"][..], &["x2", "x1"], &["x1", "x2", "x3"]] {
            assert!(read(two, wrong).is_err(), "{wrong:?}");
        }
        assert!(read("begin dump: x\nend   dump: x", &["x"]).is_err());
    }

    #[test]
    fn numbers_are_compared_within_the_tolerance() {
        let dump = |numbers: &str| read(&format!("begin dump: x\n{numbers}\nend   dump: x"), &["x"]).unwrap();
        let exact = Tolerance::of("double").unwrap();
        assert!(dump("1.00 2.13").close(&dump("1.0049 2.1256"), exact.printed()).is_ok());
        assert!(dump("1.00 2.13").close(&dump("1.0049 2.1256"), exact).is_err());
        assert!(dump("1.00000000000001 7.0").close(&dump("1.0 ?"), exact).is_ok());
        assert!(dump("1.00").close(&dump("1.006"), exact.printed()).is_err());
        assert!(dump("nan").close(&dump("1.0"), exact.printed()).is_err());
        assert!(dump("3").close(&dump("3"), Tolerance::of("int").unwrap()).is_ok());
    }

    #[test]
    fn the_same_is_the_same_text() {
        let dump = |numbers: &str| read(&format!("begin dump: x\n{numbers}\nend   dump: x"), &["x"]).unwrap();
        assert!(dump("1.00").same(&dump("1.00")).is_ok());
        assert!(dump("0.00").same(&dump("-0.00")).is_err());
        assert!(dump("1.00 1.00").same(&dump("1.00")).is_err());
    }
}
