//! In any order of inputs the queue stays consistent, and every command ends in one outcome.
//!
//! `ops` makes inputs, `world` plays driver, surface, journal and clock, `model` is an independent
//! account of what may happen, which every effect is checked against.

#![allow(clippy::unwrap_used)]

mod coming_back;
mod model;
mod ops;
mod world;

use proptest::prelude::*;
use world::World;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_inputs(
        ops in prop::collection::vec(ops::any_op(), 1..120),
        close_at_the_end in any::<bool>(),
    ) {
        let mut world = World::new();
        for op in ops {
            world.play(op);
        }
        if close_at_the_end {
            world.close_all();
        } else {
            world.drain();
        }
        world.check_that_all_ended();
    }

    #[test]
    fn nothing_is_carried_away_on_nobodys_word(ops in ops::any_journey()) {
        let mut world = World::new();
        ops.into_iter().for_each(|op| world.play(op));
        world.drain();
        world.check_that_all_ended();
    }

    #[test]
    fn who_comes_back_hears_what_the_others_heard(happenings in coming_back::happenings()) {
        coming_back::play(happenings);
    }
}
