//! `dragoman`.

fn main() -> std::process::ExitCode {
    dragoman::cli::main()
}
