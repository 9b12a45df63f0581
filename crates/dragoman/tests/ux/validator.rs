//! The schemas and the vectors, in the eyes of Python's `jsonschema`.

use crate::venv::python;
use std::path::Path;
use std::process::Command;

#[test]
fn every_vector_fits_its_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ux/validate.py");
    let output = Command::new(python("jsonschema", "jsonschema>=4.20", "jsonschema"))
        .arg(script)
        .arg(root.join("schemas/ux"))
        .arg(root.join("conformance/ux"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{wrong}");
    let count = |word: &str| -> u32 {
        let (before, _) = said.split_once(word).unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(
        count(" schemas") >= 50 && count(" messages") >= 200,
        "{said}"
    );
}
