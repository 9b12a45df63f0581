//! HTML and markdown as lines of text: what a page says, without its looks.

use html5gum::{Token, Tokenizer};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub strong: bool,
    pub faint: bool,
    pub heading: bool,
    pub code: bool,
}

pub type Line = Vec<Span>;

pub fn of_markdown(text: &str) -> Vec<Line> {
    let options =
        pulldown_cmark::Options::ENABLE_TABLES | pulldown_cmark::Options::ENABLE_STRIKETHROUGH;
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new_ext(text, options));
    of_html(&html)
}

pub fn of_html(html: &str) -> Vec<Line> {
    let mut page = Page::default();
    for Ok(token) in Tokenizer::new(html) {
        match token {
            Token::StartTag(tag) => {
                let href = tag
                    .attributes
                    .get(&b"href"[..])
                    .map(|v| String::from_utf8_lossy(v).into_owned());
                page.start(&String::from_utf8_lossy(&tag.name), href);
            }
            Token::EndTag(tag) => page.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => page.words(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    page.finish()
}

/// What is only text is shown as it is; what has tags is HTML, the rest markdown.
pub fn of_either(text: &str) -> Vec<Line> {
    match text.trim_start().starts_with('<') {
        true => of_html(text),
        false => of_markdown(text),
    }
}

/// The words alone.
pub fn text_of(lines: &[Line]) -> String {
    let line = |line: &Line| {
        line.iter()
            .map(|span| span.text.as_str())
            .collect::<String>()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[derive(Default)]
struct Page {
    lines: Vec<Line>,
    line: Line,
    strong: u16,
    faint: u16,
    heading: u16,
    code: u16,
    /// Inside of what keeps its line breaks.
    kept: u16,
    /// Inside of what is not for reading.
    unread: u16,
    /// For each list that is open: the next number, or none.
    lists: Vec<Option<u32>>,
    links: Vec<Option<String>>,
    /// A space is due before the next word.
    gap: bool,
}

impl Page {
    fn start(&mut self, tag: &str, href: Option<String>) {
        match tag {
            "script" | "style" | "head" | "template" => self.unread += 1,
            "br" => self.end_line(true),
            "hr" => {
                self.end_line(false);
                self.put("────────", |span| span.faint = true);
                self.end_line(false);
            }
            "b" | "strong" | "th" => {
                self.cell(tag);
                self.strong += 1;
            }
            "td" => self.cell(tag),
            "small" | "blockquote" | "i" | "em" => {
                if tag == "blockquote" {
                    self.block();
                }
                self.faint += u16::from(!matches!(tag, "i" | "em"));
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block();
                self.heading += 1;
            }
            "code" | "kbd" => self.code += 1,
            "pre" => {
                self.block();
                self.kept += 1;
                self.code += 1;
            }
            "ul" => self.open_list(None),
            "ol" => self.open_list(Some(1)),
            "li" => self.item(),
            "tr" => self.end_line(false),
            "a" => self.links.push(href),
            "p" | "table" => self.block(),
            "div" | "section" | "article" | "form" | "header" | "footer" | "dt" | "dd" => {
                self.end_line(false);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &str) {
        let less = |count: &mut u16| *count = count.saturating_sub(1);
        match tag {
            "script" | "style" | "head" | "template" => less(&mut self.unread),
            "b" | "strong" | "th" => less(&mut self.strong),
            "small" => less(&mut self.faint),
            "blockquote" => {
                self.block();
                less(&mut self.faint);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block();
                less(&mut self.heading);
            }
            "code" | "kbd" => less(&mut self.code),
            "pre" => {
                less(&mut self.kept);
                less(&mut self.code);
                self.block();
            }
            "ul" | "ol" => {
                self.lists.pop();
                match self.lists.is_empty() {
                    true => self.block(),
                    false => self.end_line(false),
                }
            }
            "a" => {
                if let Some(Some(href)) = self.links.pop()
                    && href.contains("://")
                {
                    self.put(&format!(" ({href})"), |span| span.faint = true);
                }
            }
            "p" | "table" => self.block(),
            "div" | "section" | "article" | "form" | "li" | "tr" | "dt" | "dd" => {
                self.end_line(false)
            }
            _ => {}
        }
    }

    fn words(&mut self, text: &str) {
        if self.unread > 0 {
            return;
        }
        if self.kept > 0 {
            for (at, line) in text.split('\n').enumerate() {
                if at > 0 {
                    self.end_line(true);
                }
                self.put(line, |_| {});
            }
            return;
        }
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            self.gap |= at > 0;
            if !word.is_empty() {
                let due = std::mem::take(&mut self.gap) && !self.line.is_empty();
                if due {
                    self.put(" ", |_| {});
                }
                self.put(word, |_| {});
            }
        }
    }

    fn put(&mut self, text: &str, with: impl FnOnce(&mut Span)) {
        let mut span = Span {
            text: text
                .chars()
                .filter(|c| !c.is_control() || *c == '\t')
                .collect(),
            strong: self.strong > 0,
            faint: self.faint > 0,
            heading: self.heading > 0,
            code: self.code > 0,
        };
        with(&mut span);
        let same = |last: &Span| {
            (last.strong, last.faint, last.heading, last.code)
                == (span.strong, span.faint, span.heading, span.code)
        };
        match self.line.last_mut() {
            Some(last) if same(last) => last.text.push_str(&span.text),
            _ if span.text.is_empty() => {}
            _ => self.line.push(span),
        }
    }

    /// A cell of a table is set apart from the one before.
    fn cell(&mut self, tag: &str) {
        if matches!(tag, "td" | "th") && !self.line.is_empty() {
            self.gap = false;
            self.put("  ", |_| {});
        }
    }

    fn open_list(&mut self, first: Option<u32>) {
        match self.lists.is_empty() {
            true => self.block(),
            false => self.end_line(false),
        }
        self.lists.push(first);
    }

    fn item(&mut self) {
        self.end_line(false);
        let depth = self.lists.len().saturating_sub(1);
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "• ".into(),
        };
        self.put(&format!("{}{mark}", "  ".repeat(depth)), |_| {});
        self.gap = false;
    }

    /// An empty line between what stands apart.
    fn block(&mut self) {
        self.end_line(false);
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(Line::new());
        }
    }

    fn end_line(&mut self, even_if_empty: bool) {
        self.gap = false;
        if even_if_empty || !self.line.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.end_line(false);
        while self.lines.last().is_some_and(Vec::is_empty) {
            self.lines.pop();
        }
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[Line], want: &str) {
        assert_eq!(text_of(lines), want);
    }

    #[test]
    fn html_as_text() {
        let page = "<style>p{}</style><h1>Hello</h1><p>One <b>two</b>\n three<br>four</p>\
                    <ul><li>a<li>b <a href='https://x.example/y'>there</a></ul><script>no()</script>\
                    <pre>x\n  y</pre><table><tr><td>1<td>2</tr></table>&lt;end&gt;\u{1b}[2J";
        check(
            &of_html(page),
            "Hello\n\nOne two three\nfour\n\n• a\n• b there (https://x.example/y)\n\nx\n  y\n\n1  2\n\n<end>[2J",
        );
        let line = &of_html("a <b>c</b>")[0];
        assert!(!line[0].strong && line[1].strong, "{line:?}");
        check(&of_html(""), "");
    }

    #[test]
    fn markdown_as_text() {
        check(
            &of_either("# Hi\n\n1. one\n2. *two*\n\n`x`"),
            "Hi\n\n1. one\n2. two\n\nx",
        );
        check(&of_either("<b>hi</b>"), "hi");
    }
}
