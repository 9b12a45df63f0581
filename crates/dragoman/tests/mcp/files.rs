//! Files: written into one folder, read from a few.

use crate::client::Mcp;
use crate::support::Folder;
use serde_json::json;
use std::path::Path;

#[test]
fn files_are_written_where_they_may_be() {
    let folder = Folder::new("mcp-save");
    let save = folder.path("save");
    let mut mcp = Mcp::start(&["--save-dir", &save, "--caps", "pdf"]);
    mcp.at("<h1>Report</h1>");
    let shot = mcp.call("browser_take_screenshot", json!({"filename": "a/shot.png"}));
    let bytes = std::fs::read(Path::new(&save).join("a/shot.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{}", shot.text);
    mcp.call("browser_snapshot", json!({"filename": "page.md"}));
    let text = std::fs::read_to_string(Path::new(&save).join("page.md")).unwrap();
    assert!(text.contains("Report"), "{text}");
    mcp.call("browser_pdf_save", json!({"filename": "page.pdf"}));
    let bytes = std::fs::read(Path::new(&save).join("page.pdf")).unwrap();
    assert!(bytes.starts_with(b"%PDF"));
    for name in ["../out.md", "/tmp/out.md", "a/../../out.md", ".."] {
        let said = mcp.fails("browser_snapshot", json!({"filename": name}));
        assert!(said.starts_with("Error file_refused"), "{name}: {said}");
    }
    assert!(!Path::new(&folder.path("out.md")).exists());
}

#[test]
fn a_page_gets_only_files_from_a_root() {
    let folder = Folder::new("mcp-upload");
    std::fs::create_dir(folder.path("root")).unwrap();
    std::fs::write(folder.path("root/fine.txt"), "fine").unwrap();
    std::fs::write(folder.path("private.txt"), "private").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("private.txt"), folder.path("root/link.txt")).unwrap();
    let mut mcp = Mcp::start(&["--upload-root", &folder.path("root")]);
    mcp.at("<input type=file aria-label=File onchange=\"files[0].text().then((t) => document.title = t)\">");
    let file = mcp.find("button \"File\"");
    let mut refused = vec![
        folder.path("private.txt"),
        "../private.txt".into(),
        "/etc/passwd".into(),
    ];
    if cfg!(unix) {
        refused.push("link.txt".into());
    }
    for path in refused {
        let said = mcp.fails(
            "browser_file_upload",
            json!({"paths": [path], "target": file}),
        );
        assert!(said.starts_with("Error file_refused"), "{path}: {said}");
        let steps = json!([{"tool": "browser_file_upload", "arguments": {"paths": [path], "target": file}}]);
        let said = mcp.fails("browser_batch", json!({"steps": steps}));
        assert!(said.contains("file"), "{path}: {said}");
    }
    assert_eq!(
        mcp.script("() => document.querySelector('input').files.length"),
        json!(0)
    );
    mcp.call(
        "browser_file_upload",
        json!({"paths": ["fine.txt"], "target": file}),
    );
    assert_eq!(
        mcp.script("() => document.querySelector('input').files[0].text()"),
        json!("fine")
    );
}
