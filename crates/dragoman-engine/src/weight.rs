//! How much something takes up, roughly: what is kept is bounded in size, too.
//!
//! Must not know: what it weighs.

use std::fmt::{Debug, Write};

/// How much there is to print of it, counted without printing it.
pub(crate) fn weigh<T: Debug>(thing: &T) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut count = Count(size_of::<T>());
    // Counting cannot fail; what it counted so far would do, too.
    let _ = write!(count, "{thing:?}");
    count.0
}
