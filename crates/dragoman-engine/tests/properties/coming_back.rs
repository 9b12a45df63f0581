//! One client stays, another keeps losing its connection: both hear the same, in the same order,
//! and nothing twice; or the second is told that it has to look anew.

use dragoman_engine::{ClientId, Effect, Engine, Input, Message, Time};
use dragoman_model::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub enum Happening {
    Crash,
    /// So many that what is kept may run out.
    Many,
    Loses,
    ComesBack,
}

pub fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let one = prop_oneof![
        8 => Just(Happening::Crash),
        1 => Just(Happening::Many),
        4 => Just(Happening::Loses),
        4 => Just(Happening::ComesBack),
    ];
    prop::collection::vec(one, 1..60)
}

struct Play {
    engine: Engine,
    asked: u64,
    heard: [Vec<u64>; 2],
    resyncs: u64,
    /// The client that speaks for the second one now.
    present: Option<ClientId>,
    connections: u64,
}

pub fn play(happenings: Vec<Happening>) {
    let mut play = Play {
        engine: Engine::counting_from(1_000),
        asked: 0,
        heard: [vec![], vec![]],
        resyncs: 0,
        present: None,
        connections: 1,
    };
    let (session, policy) = (session(), Policy::default());
    play.input(Input::OpenSession { session, policy });
    play.subscribe(ClientId(1), None);
    play.come_back();
    for happening in happenings {
        match happening {
            Happening::Crash => play.crash(1),
            Happening::Many => play.crash(900),
            Happening::Loses => {
                if let Some(client) = play.present.take() {
                    play.input(Input::Detach { client });
                }
            }
            Happening::ComesBack => play.come_back(),
        }
    }
    play.come_back();
    let [all, second] = &play.heard;
    assert!(second.windows(2).all(|w| w[0] < w[1]), "something twice");
    let missed: Vec<_> = all.iter().filter(|at| !second.contains(at)).collect();
    assert_eq!(missed.is_empty(), play.resyncs == 0, "missed {missed:?}");
}

impl Play {
    fn come_back(&mut self) {
        if self.present.is_some() {
            return;
        }
        self.connections += 1;
        let client = ClientId(self.connections);
        self.present = Some(client);
        let last = self.heard[1].last().copied();
        self.subscribe(client, last.or((client.0 > 2).then_some(1_000)));
    }

    fn subscribe(&mut self, client: ClientId, since: Option<u64>) {
        self.asked += 1;
        let events = vec![EventKind::Trouble];
        let mut request = Request::new(Subscribe { events, since }.into());
        request.id = Some(RequestId::Number(self.asked));
        self.input(Input::Submit {
            session: session(),
            client,
            request,
        });
    }

    fn crash(&mut self, times: usize) {
        for _ in 0..times {
            let event = SurfaceEvent::Crashed { tab: TabId(1) };
            self.input(Input::Surface {
                session: session(),
                event,
            });
        }
    }

    fn input(&mut self, input: Input) {
        for effect in self.engine.handle(Time::ZERO, input) {
            let Effect::Tell { client, message } = effect else {
                continue;
            };
            match message {
                Message::Event { at, .. } if client == ClientId(1) => self.heard[0].push(at),
                Message::Event { at, .. } => {
                    assert_eq!(Some(client), self.present, "told somebody who is gone");
                    self.heard[1].push(at);
                }
                Message::Outcome { outcome, .. } => {
                    let Outcome::Done(Done { reply, .. }) = outcome else {
                        panic!("{outcome:?}");
                    };
                    let resync = matches!(reply, Reply::Subscribed { resync: true, .. });
                    self.resyncs += u64::from(resync);
                }
                _ => {}
            }
        }
    }
}

fn session() -> SessionId {
    SessionId::new("s").unwrap()
}
