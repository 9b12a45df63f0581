//! Pictures in a row as one animated PNG. Nothing is drawn anew: the pictures are taken apart into
//! their pieces and put together again, so a film is as sharp as the pictures and made in no time.
//!
//! Must not know: what is filmed.

use std::time::Duration;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Each picture with the time that it is shown. One that is not of the first one's size is left out;
/// `None`: nothing is left.
pub(crate) fn write(pictures: &[(&[u8], Duration)]) -> Option<Vec<u8>> {
    let head = pictures.iter().find_map(|(png, _)| head(png))?;
    let fits: Vec<_> = pictures
        .iter()
        .filter(|(png, _)| self::head(png) == Some(head))
        .collect();
    let mut out = SIGNATURE.to_vec();
    push(&mut out, b"IHDR", &[head]);
    let count = u32::try_from(fits.len()).ok()?;
    // For ever again.
    push(&mut out, b"acTL", &[&count.to_be_bytes(), &[0; 4]]);
    let mut number = 0_u32;
    let mut next = || {
        number += 1;
        (number - 1).to_be_bytes()
    };
    for (at, (png, shown)) in fits.into_iter().enumerate() {
        let ms = u16::try_from(shown.as_millis()).unwrap_or(u16::MAX);
        let [ms, thousandths] = [ms, 1_000].map(u16::to_be_bytes);
        let size = head.get(..8)?;
        // At the top left, and in place of what was there.
        let place = [&next()[..], size, &[0; 8], &ms, &thousandths, &[0; 2]];
        push(&mut out, b"fcTL", &place);
        for (_, data) in pieces(png).filter(|(kind, _)| *kind == b"IDAT") {
            match at {
                0 => push(&mut out, b"IDAT", &[data]),
                _ => push(&mut out, b"fdAT", &[&next(), data]),
            }
        }
    }
    push(&mut out, b"IEND", &[]);
    Some(out)
}

/// Size and kind of a picture.
fn head(png: &[u8]) -> Option<&[u8]> {
    let (kind, data) = pieces(png).next()?;
    (kind == b"IHDR" && data.len() == 13).then_some(data)
}

/// Kind and contents, until the end or something that is none.
fn pieces(png: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = png.strip_prefix(SIGNATURE).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (kind, behind) = behind.split_at_checked(4)?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (data, behind) = behind.split_at_checked(length)?;
        rest = behind.get(4..)?;
        Some((kind, data))
    })
}

fn push(out: &mut Vec<u8>, kind: &[u8; 4], data: &[&[u8]]) {
    let length: usize = data.iter().map(|part| part.len()).sum();
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    let mut sum = crc32fast::Hasher::new();
    for part in std::iter::once(&&kind[..]).chain(data) {
        sum.update(part);
        out.extend_from_slice(part);
    }
    out.extend(sum.finalize().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u8, data: &[u8]) -> Vec<u8> {
        let mut png = SIGNATURE.to_vec();
        push(
            &mut png,
            b"IHDR",
            &[&[0, 0, 0, width, 0, 0, 0, 1, 8, 6, 0, 0, 0]],
        );
        push(&mut png, b"tEXt", &[b"left out"]);
        push(&mut png, b"IDAT", &[data]);
        push(&mut png, b"IEND", &[]);
        png
    }

    #[test]
    fn pictures_of_one_size_make_a_film() {
        let (a, other, b) = (picture(1, b"a"), picture(2, b"x"), picture(1, b"b"));
        let second = Duration::from_secs(1);
        let film = write(&[
            (&a, second),
            (&other, second),
            (b"junk", second),
            (&b, second * 100),
        ]);
        let film = film.unwrap_or_default();
        let kinds: Vec<_> = pieces(&film)
            .map(|(kind, _)| String::from_utf8_lossy(kind))
            .collect();
        assert_eq!(
            kinds,
            ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"]
        );
        let data: Vec<_> = pieces(&film).map(|(_, data)| data).collect();
        assert_eq!(data[1], [0, 0, 0, 2, 0, 0, 0, 0]);
        assert_eq!(data[2][20..24], [0x03, 0xe8, 0x03, 0xe8]);
        assert_eq!(data[4][20..22], [0xff, 0xff]);
        assert_eq!(data[5], b"\0\0\0\x02b");
        assert_eq!(write(&[]), None);
        assert_eq!(write(&[(b"junk", second)]), None);
    }
}
