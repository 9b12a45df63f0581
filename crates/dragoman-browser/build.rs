//! Lists the in-page script's files, in the order of `page/order.txt`, for `page::source`.

use std::{env, fs, path::PathBuf};

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let page = root
        .join("../../page")
        .canonicalize()
        .expect("page/ stands beside crates/");
    let order = fs::read_to_string(page.join("order.txt")).expect("page/order.txt");
    let mut parts = String::from("[\n");
    for file in order.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let path = page.join(file);
        println!("cargo:rerun-if-changed={}", path.display());
        parts.push_str(&format!(
            "include_str!({:?}),\n",
            path.display().to_string()
        ));
    }
    parts.push(']');
    println!(
        "cargo:rerun-if-changed={}",
        page.join("order.txt").display()
    );
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("parts.rs"), parts).expect("OUT_DIR can be written");
}
