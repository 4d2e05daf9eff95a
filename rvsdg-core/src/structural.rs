//! γ, θ, λ and φ through their variables: the only place that knows which input goes with which argument and result.

mod gamma;
mod lambda;
mod phi;
mod theta;

pub use gamma::{EntryVar, ExitVar, Gamma};
pub use lambda::Lambda;
pub use phi::{ContextVar, FixVar, Phi};
pub use theta::{LoopVar, Theta};
