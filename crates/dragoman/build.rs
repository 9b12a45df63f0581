//! How the program is laid out, where we know the linker: see `layout.ld`. Relocations are packed, which the loader of
//! every Debian since 12 understands.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=layout.ld");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    let known = target("OS") == "linux" && target("ENV") == "gnu" && target("ARCH") == "x86_64";
    // it takes the linker a while
    let ships = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if known && ships {
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{folder}/layout.ld");
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
