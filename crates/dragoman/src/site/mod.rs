//! The demo's own website: a small shop on two loopback ports, so that there is a second origin
//! for the frame. It keeps what it really received, and the demo is checked against that.
//!
//! Must not know: the engine, the browser, who is visiting.

mod ledger;
mod pages;
mod routes;

pub use ledger::{Ledger, Order};

use anyhow::Context;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// Serves until dropped.
#[derive(Debug)]
pub struct Site {
    shop: String,
    ledger: Rc<RefCell<Ledger>>,
    tasks: [AbortHandle; 2],
}

/// Which of the two origins a request came in on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Shop,
    Voucher,
}

/// What every route may look at.
#[derive(Debug, Clone)]
struct House {
    ledger: Rc<RefCell<Ledger>>,
    shop: String,
    voucher: String,
}

impl Site {
    /// Must be called within a local runtime.
    pub async fn start() -> anyhow::Result<Self> {
        let shop_door = bind().await?;
        let voucher_door = bind().await?;
        // Two host names, not only two ports: then the browser sees two *sites* and puts the
        // frame into a process of its own, which is the case worth showing.
        let house = House {
            ledger: Rc::default(),
            shop: format!("http://127.0.0.1:{}", shop_door.local_addr()?.port()),
            voucher: format!("http://localhost:{}", voucher_door.local_addr()?.port()),
        };
        Ok(Self {
            shop: house.shop.clone(),
            ledger: house.ledger.clone(),
            tasks: [
                serve(shop_door, Door::Shop, house.clone()),
                serve(voucher_door, Door::Voucher, house),
            ],
        })
    }

    pub fn url(&self) -> &str {
        &self.shop
    }

    /// What the site has received so far.
    pub fn ledger(&self) -> Ledger {
        self.ledger.borrow().clone()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

async fn bind() -> anyhow::Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", 0))
        .await
        .context("the demo site could not open a port on 127.0.0.1")
}

fn serve(listener: TcpListener, door: Door, house: House) -> AbortHandle {
    let accept = async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                continue;
            };
            let house = house.clone();
            tokio::task::spawn_local(async move {
                let answer = service_fn(|request| routes::answer(door, &house, request));
                let served = http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), answer)
                    .await;
                if let Err(error) = served {
                    tracing::debug!(%error, "a connection to the demo site ended early");
                }
            });
        }
    };
    tokio::task::spawn_local(accept).abort_handle()
}
