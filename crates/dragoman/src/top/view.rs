//! The picture: a headline, the sessions, the keys. Only what the terminal's own colours can say on
//! light and dark ground alike.

use super::rows::{COLUMNS, Sort, TITLES, headline, rows};
use crate::status::Report;
use crate::term::one_line;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Row, Table, TableState, Wrap};

/// A narrower terminal does without some columns: dialects, clients, the middle time, ended.
const WIDE: u16 = 110;
const ONLY_WHERE_WIDE: [usize; 4] = [1, 2, 5, 7];
const WIDTHS: [Constraint; COLUMNS] = [
    Constraint::Min(12),
    Constraint::Length(8),
    Constraint::Length(7),
    Constraint::Length(20),
    Constraint::Length(18),
    Constraint::Length(8),
    Constraint::Length(8),
    Constraint::Length(6),
    Constraint::Fill(2),
];

/// What is shown.
#[derive(Debug, Default)]
pub struct Screen {
    pub url: String,
    pub report: Option<Report>,
    /// Why there is no newer report.
    pub trouble: Option<String>,
    pub sort: Sort,
    pub table: TableState,
    pub colours: bool,
}

impl Screen {
    pub fn count(&self) -> usize {
        self.report.as_ref().map_or(0, |r| r.driver.sessions.len())
    }

    /// Up or down by so many; the ends hold.
    pub fn scroll(&mut self, by: isize) {
        let last = self.count().saturating_sub(1);
        let at = self.table.selected().unwrap_or(0);
        self.table
            .select(Some(at.saturating_add_signed(by).min(last)));
    }

    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let head = self.head();
        let rows = |line: &Line| line.width().div_ceil(usize::from(area.width.max(20)) - 12);
        let height = head.iter().map(rows).sum::<usize>() + 1;
        let [top, gap, middle, foot] = Layout::vertical([
            Constraint::Length(u16::try_from(height).unwrap_or(u16::MAX) - 1),
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(1),
        ])
        .areas(area);
        frame.render_widget(Paragraph::new(head).wrap(Wrap { trim: true }), top);
        frame.render_widget(self.trouble(), gap);
        match &self.report {
            Some(report) if !report.driver.sessions.is_empty() => {
                let table = self.sessions(report, area.width);
                frame.render_stateful_widget(table, middle, &mut self.table);
            }
            Some(_) => frame.render_widget(Paragraph::new("No session is open."), middle),
            None => {}
        }
        frame.render_widget(self.foot(), foot);
    }

    fn head(&self) -> Vec<Line<'static>> {
        let mut lines: Vec<Line> = match &self.report {
            Some(report) => headline(report).into_iter().map(Line::from).collect(),
            None => vec![Line::from(format!("Asking {} …", self.url))],
        };
        if let Some(first) = lines.first_mut() {
            first.style = Style::new().add_modifier(Modifier::BOLD);
        }
        lines
    }

    fn trouble(&self) -> Line<'static> {
        let text = one_line(self.trouble.as_deref().unwrap_or_default(), 300);
        Line::styled(text, self.colour(Color::Red).add_modifier(Modifier::BOLD))
    }

    fn sessions(&self, report: &Report, width: u16) -> Table<'static> {
        let shown = |at: &usize| width >= WIDE || !ONLY_WHERE_WIDE.contains(at);
        let places: Vec<usize> = (0..COLUMNS).filter(shown).collect();
        let pick = |row: [String; COLUMNS]| {
            let cells = row.into_iter().enumerate();
            let kept = cells.filter(|(at, _)| places.contains(at));
            kept.map(|(_, cell)| cell).collect::<Vec<String>>()
        };
        let title = Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        let header = Row::new(pick(TITLES.map(str::to_owned))).style(title);
        let rows = rows(report, self.sort).into_iter().map(|row| {
            let style = self.style(&row);
            Row::new(pick(row)).style(style)
        });
        let widths = places.iter().filter_map(|at| WIDTHS.get(*at).copied());
        Table::new(rows, widths)
            .header(header)
            .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
    }

    /// What waits for a person stands out; what runs is marked.
    fn style(&self, row: &[String; COLUMNS]) -> Style {
        match row {
            [_, _, _, queue, ..] if queue.contains("to approve") => self.colour(Color::Magenta),
            [_, _, _, queue, ..] if queue.contains("running") => self.colour(Color::Green),
            _ => Style::new(),
        }
    }

    fn foot(&self) -> Line<'static> {
        let text = format!(
            "{}   sorted by {}   q quits, s sorts, ↑ ↓ PgUp PgDn scroll",
            one_line(&self.url, 60),
            self.sort.word()
        );
        Line::styled(text, Style::new().add_modifier(Modifier::DIM))
    }

    fn colour(&self, colour: Color) -> Style {
        match self.colours {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }
}
