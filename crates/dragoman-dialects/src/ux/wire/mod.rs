//! The messages, as the document has them and as it leaves them to us. The schemas are made of these types.
//!
//! Must not know: what a message leads to.

mod answers;
mod asks;
mod became;
mod doing;
mod hello;
mod number;
mod offered;
mod schemas;
mod seeing;
mod shown;
mod telling;
mod tested;
mod testing;
mod told;

pub use answers::ANSWERS;
pub use asks::{ASKS, Ask, AskRow, Need, Version};
pub use became::*;
pub use doing::*;
pub use hello::*;
pub use number::Within;
pub use offered::*;
pub use schemas::schemas;
pub use seeing::*;
pub use shown::*;
pub use telling::*;
pub use tested::*;
pub use testing::*;
pub use told::*;

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}
