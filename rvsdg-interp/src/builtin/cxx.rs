//! x
use crate::machine::Machine;
use crate::value::Pointer;
pub(crate) fn find(_: &str) -> Option<super::Run> {
    None
}
impl Machine<'_> {
    pub(crate) fn bases(&self, _ty: Pointer) -> Vec<Pointer> {
        Vec::new()
    }
}
