//! Differences for people.

/// The lines of a longest common subsequence are left out, but for the one before each difference.
pub(super) fn line_differences(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut text = String::new();
    let (mut i, mut j, mut before) = (0, 0, None);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            before = Some(old[i]);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        if let Some(line) = before.take() {
            text.push_str(&format!("    {line}\n"));
        }
        if j == new.len() || i < old.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            text.push_str(&format!("  - {}\n", old[i]));
            i += 1;
        } else {
            text.push_str(&format!("  + {}\n", new[j]));
            j += 1;
        }
    }
    text
}
