//! x
pub struct Observed;
pub fn observe(){}
pub fn refines(){}
