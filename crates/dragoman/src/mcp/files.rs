//! Where files are written and read on a client's behalf: written into one folder, read from a few.
//! A name that leads out of there is refused, by `..` or by a link alike.
//!
//! Must not know: what is in a file.

use base64::Engine as _;
use dragoman_dialects::mcp::{Save, SaveData};
use dragoman_model::{Code, Command, Fault};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// A larger text file is not read.
const MOST: u64 = 4 << 20;
/// So many names are tried when one is taken.
const TRIES: u32 = 1_000;

#[derive(Debug, Clone)]
pub struct Files {
    /// Made when something is first written.
    save: PathBuf,
    /// What a page may be given, besides what was saved.
    roots: Vec<PathBuf>,
}

impl Files {
    pub fn new(save: PathBuf, roots: Vec<PathBuf>) -> Self {
        Self { save, roots }
    }

    pub fn save(&self, save: Save) -> Result<String, Fault> {
        let data = match save.data {
            SaveData::Text(text) => text.into_bytes(),
            SaveData::Base64(text) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map_err(|_| Fault::new(Code::Internal, "The file was damaged on its way"))?,
        };
        let folder = private_folder(&self.save).map_err(|error| cannot(&self.save, &error))?;
        let (parents, name) = split(&save.name)?;
        let mut at = folder;
        for part in parents {
            at = step_into(&at, &part)?;
        }
        let path = match save.chosen {
            true => replace(&at.join(name), &data)?,
            false => write_new(&at, Path::new(&name), &data)?,
        };
        Ok(path.display().to_string())
    }

    pub fn load(&self, name: &str) -> Result<String, Fault> {
        let path = self.find(name)?;
        let size = fs::metadata(&path)
            .map_err(|error| cannot(&path, &error))?
            .len();
        if size > MOST {
            return Err(refused(format!("{name:?} is larger than {MOST} bytes")));
        }
        fs::read_to_string(&path).map_err(|error| cannot(&path, &error))
    }

    /// A command that hands files to a page: only such as it may be given, by their real paths.
    pub fn admit(&self, command: &mut Command) -> Result<(), Fault> {
        match command {
            Command::Upload(upload) => self.admit_each(&mut upload.files),
            Command::Drop(drop) => drop
                .files
                .as_mut()
                .map_or(Ok(()), |files| self.admit_each(files)),
            Command::Batch(batch) => batch.steps.iter_mut().try_for_each(|step| self.admit(step)),
            _ => Ok(()),
        }
    }

    fn admit_each(&self, files: &mut [String]) -> Result<(), Fault> {
        for file in files {
            *file = self.find(file)?.display().to_string();
        }
        Ok(())
    }

    /// A file in one of the roots, by whatever way it is named.
    fn find(&self, name: &str) -> Result<PathBuf, Fault> {
        let places = || self.roots.iter().chain([&self.save]);
        let named = Path::new(name);
        let candidates = places().map(|root| root.join(named));
        let real = candidates.filter_map(|path| path.canonicalize().ok());
        let roots: Vec<PathBuf> = places()
            .filter_map(|root| root.canonicalize().ok())
            .collect();
        let mut outside = false;
        for path in real {
            match roots.iter().any(|root| path.starts_with(root)) {
                true if path.is_file() => return Ok(path),
                true => {}
                false => outside = true,
            }
        }
        let shown: Vec<String> = roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        let message = match outside {
            true => format!("{name:?} lies outside of the folders that files may come from"),
            false => format!("There is no file {name:?}"),
        };
        let next = match shown.is_empty() {
            true => "Files may come from no folder; start with --upload-root DIR.".to_owned(),
            false => format!(
                "Files may come from {}; --upload-root adds a folder.",
                shown.join(", ")
            ),
        };
        Err(refused(message).suggest(next))
    }
}

/// What comes before the last part of a name, and that part. Only plain parts count.
fn split(name: &str) -> Result<(Vec<OsString>, OsString), Fault> {
    let mut parts = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_owned()),
            Component::CurDir => {}
            _ => {
                let message = format!("{name:?} leads out of the folder for files");
                return Err(refused(message).suggest("Give a plain name, such as page.png."));
            }
        }
    }
    let last = parts.pop().filter(|_| !name.ends_with(['/', '\\', '\0']));
    match last {
        Some(last) => Ok((parts, last)),
        None => Err(refused("A file needs a name").suggest("Give a plain name, such as page.png.")),
    }
}

/// A folder below, made if need be; never by way of a link.
fn step_into(folder: &Path, part: &OsString) -> Result<PathBuf, Fault> {
    let path = folder.join(part);
    match fs::create_dir(&path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(cannot(&path, &error));
        }
        _ => {}
    }
    match fs::symlink_metadata(&path) {
        Ok(is) if is.is_dir() => Ok(path),
        Ok(_) => Err(refused(format!(
            "{} is no folder of its own",
            path.display()
        ))),
        Err(error) => Err(cannot(&path, &error)),
    }
}

/// Written beside and then put in place, so that a link in that place is replaced, not followed.
fn replace(path: &Path, data: &[u8]) -> Result<PathBuf, Fault> {
    if fs::symlink_metadata(path).is_ok_and(|is| is.is_dir()) {
        return Err(refused(format!("{} is a folder", path.display())));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = write_new(folder, Path::new(".dragoman-new"), data)?;
    match fs::rename(&written, path) {
        Ok(()) => Ok(path.to_owned()),
        Err(error) => {
            let _ = fs::remove_file(&written);
            Err(cannot(path, &error))
        }
    }
}

/// Under this name, or, if it is taken, under one like it.
fn write_new(folder: &Path, name: &Path, data: &[u8]) -> Result<PathBuf, Fault> {
    for nth in 1..TRIES {
        let path = folder.join(match nth {
            1 => name.to_owned(),
            _ => numbered(name, nth),
        });
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        match options.open(&path) {
            Ok(mut file) => {
                return match file.write_all(data) {
                    Ok(()) => Ok(path),
                    Err(error) => Err(cannot(&path, &error)),
                };
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot(&path, &error)),
        }
    }
    Err(refused(format!(
        "{} is full of such files",
        folder.display()
    )))
}

/// `page.png`, `page-2.png`.
fn numbered(name: &Path, nth: u32) -> PathBuf {
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    match name.extension() {
        Some(end) => format!("{stem}-{nth}.{}", end.to_string_lossy()).into(),
        None => format!("{stem}-{nth}").into(),
    }
}

/// Nobody else on the machine needs to see what was saved.
fn private_folder(path: &Path) -> std::io::Result<PathBuf> {
    if !path.is_dir() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path)?;
    }
    path.canonicalize()
}

fn refused(message: impl Into<String>) -> Fault {
    Fault::new(Code::FileRefused, message)
}

fn cannot(path: &Path, error: &std::io::Error) -> Fault {
    refused(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Target, Upload};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("dragoman-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).expect("a folder");
            Self(path.canonicalize().expect("a real folder"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn text(name: &str, chosen: bool) -> Save {
        Save {
            name: name.into(),
            chosen,
            data: SaveData::Text("x".into()),
        }
    }

    #[test]
    fn nothing_is_written_outside() {
        let folder = Folder::new("files-out");
        let files = Files::new(folder.0.join("save"), Vec::new());
        for name in ["", ".", "..", "../x", "a/../../x", "/tmp/x", "a/", "a/.."] {
            let fault = files.save(text(name, true)).expect_err(name);
            assert_eq!(fault.code, Code::FileRefused, "{name}");
        }
        let path = files.save(text("./a/b/page.txt", true)).expect("written");
        assert_eq!(Path::new(&path), folder.0.join("save/a/b/page.txt"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_nowhere() {
        let folder = Folder::new("files-link");
        let save = folder.0.join("save");
        fs::create_dir_all(&save).expect("a folder");
        fs::write(folder.0.join("mine"), "mine").expect("a file");
        std::os::unix::fs::symlink(&folder.0, save.join("out")).expect("a link");
        std::os::unix::fs::symlink(folder.0.join("mine"), save.join("file")).expect("a link");
        let files = Files::new(save.clone(), Vec::new());
        assert!(files.save(text("out/x", true)).is_err());
        assert!(!folder.0.join("x").exists());
        files
            .save(text("file", true))
            .expect("in place of the link");
        assert_eq!(
            fs::read_to_string(folder.0.join("mine")).expect("there"),
            "mine"
        );
        std::os::unix::fs::symlink(folder.0.join("mine"), save.join("up")).expect("a link");
        assert!(files.load("up").is_err());
    }

    #[test]
    fn a_name_nobody_chose_is_never_taken() {
        let folder = Folder::new("files-new");
        let files = Files::new(folder.0.clone(), Vec::new());
        let one = files.save(text("page.txt", false)).expect("written");
        let two = files.save(text("page.txt", false)).expect("written");
        assert!(
            one.ends_with("page.txt") && two.ends_with("page-2.txt"),
            "{two}"
        );
    }

    #[test]
    fn a_page_is_given_only_what_lies_in_a_root() {
        let folder = Folder::new("files-root");
        let root = folder.0.join("root");
        fs::create_dir_all(&root).expect("a folder");
        fs::write(root.join("a.txt"), "a").expect("a file");
        fs::write(folder.0.join("b.txt"), "b").expect("a file");
        let files = Files::new(folder.0.join("save"), vec![root.clone()]);
        let upload = |file: &str| {
            let mut command = Command::from(Upload {
                target: Target::Focused,
                files: vec![file.into()],
            });
            files.admit(&mut command).map(|()| command)
        };
        let Ok(Command::Upload(admitted)) = upload("a.txt") else {
            panic!("refused");
        };
        assert_eq!(Path::new(&admitted.files[0]), root.join("a.txt"));
        assert!(upload(&root.join("a.txt").display().to_string()).is_ok());
        for outside in ["../b.txt", "missing.txt", "."] {
            assert_eq!(upload(outside).expect_err(outside).code, Code::FileRefused);
        }
    }
}
