//! `IO`: streams of data too big for one answer.

use super::StreamId;

calls! {
    "IO.read" => Read { handle: StreamId } with { size: u32 } -> Chunk;
    "IO.close" => Close { handle: StreamId };
}

parts! {
    Chunk {
        data: String,
        #[serde(default, rename = "base64Encoded")]
        base64_encoded: bool,
        eof: bool,
    }
}
