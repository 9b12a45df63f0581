//! What is in a folder: folders first, each sort by name, what is hidden last.

use dragoman_prompt::Entry;

/// A longer list helps nobody.
const MOST: usize = 100_000;

pub async fn entries(folder: String) -> Result<Vec<Entry>, String> {
    let reading = tokio::task::spawn_blocking(move || read(&folder));
    reading
        .await
        .map_err(|error| format!("it cannot be read: {error}"))?
}

fn read(folder: &str) -> Result<Vec<Entry>, String> {
    let cannot = |error: std::io::Error| format!("{folder} cannot be read: {error}");
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)?.take(MOST) {
        let entry = entry.map_err(cannot)?;
        entries.push(Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            // Of what a link points to.
            is_folder: entry.path().is_dir(),
        });
    }
    entries.sort_by_cached_key(|entry| {
        let hidden = entry.name.starts_with('.');
        (hidden, !entry.is_folder, entry.name.to_lowercase())
    });
    Ok(entries)
}
