//! The picture: the steps, the chosen one in full, the keys. Only what the terminal's own colours can say on light and
//! dark ground alike.

use super::board::Board;
use super::form::Form;
use super::keys::{FORM_HELP, HELP};
use super::{LINE, remarks, word, words};
use crate::term::one_line;
use dragoman_model::{QueueItem, State};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph, Wrap};

pub fn draw(frame: &mut Frame<'_>, board: &Board, colours: bool) {
    let paint = Paint(colours);
    let detail = match &board.form {
        Some(form) => form.fields.len() as u16 + 2,
        None => 6,
    };
    let [head, middle, below, said, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(detail.min(frame.area().height / 2)),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(headline(board, paint), head);
    steps(frame, board, paint, middle);
    match &board.form {
        Some(form) => fields(frame, form, paint, below),
        None => details(frame, board, below),
    }
    let message = one_line(&board.said, LINE);
    frame.render_widget(Line::styled(message, paint.colour(Color::Yellow)), said);
    let help = if board.form.is_some() {
        FORM_HELP
    } else {
        HELP
    };
    frame.render_widget(
        Line::styled(help, Style::new().add_modifier(Modifier::DIM)),
        foot,
    );
}

#[derive(Debug, Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn colour(self, colour: Color) -> Style {
        match self.0 {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }
}

fn headline(board: &Board, paint: Paint) -> Line<'static> {
    let asks = board.count(State::Proposed);
    let mut spans = vec![Span::styled(
        one_line(&board.title, LINE),
        Style::new().add_modifier(Modifier::BOLD),
    )];
    let (waits, runs) = (board.count(State::Approved), board.count(State::Running));
    spans.push(Span::raw(format!("  {runs} running, {waits} approved, ")));
    let style = match asks {
        0 => Style::new(),
        _ => paint.colour(Color::Yellow).add_modifier(Modifier::BOLD),
    };
    spans.push(Span::styled(format!("{asks} waiting for you"), style));
    if board.view.paused {
        spans.push(Span::styled("  PAUSED", paint.colour(Color::Red)));
    }
    if let Some(allowed) = &board.view.allowed {
        spans.push(Span::raw(format!("  {allowed}")));
    }
    Line::from(spans)
}

fn steps(frame: &mut Frame<'_>, board: &Board, paint: Paint, area: Rect) {
    if board.view.items.is_empty() {
        let text = "Nothing waits, and nothing was done yet.";
        return frame.render_widget(Paragraph::new(text), area);
    }
    let rows: Vec<ListItem> = board
        .view
        .items
        .iter()
        .map(|item| ListItem::new(row(item, paint)))
        .collect();
    let list = List::new(rows).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(Some(board.chosen));
    frame.render_stateful_widget(list, area, &mut state);
}

fn row(item: &QueueItem, paint: Paint) -> Line<'static> {
    let (mark, style) = match item.state {
        State::Proposed => ("?", paint.colour(Color::Yellow)),
        State::Approved => ("·", Style::new()),
        State::Running => ("▶", paint.colour(Color::Cyan)),
        State::Done => ("✓", paint.colour(Color::Green)),
        State::Failed | State::Interrupted => ("✗", paint.colour(Color::Red)),
        State::Deleted => ("–", Style::new()),
    };
    let rest = match item.state.is_end() {
        true => Style::new().add_modifier(Modifier::DIM),
        false => Style::new(),
    };
    let edited = if item.edits > 0 { " (edited)" } else { "" };
    Line::from(vec![
        Span::styled(format!("{mark} "), style),
        Span::styled(
            format!("{:>4}  {:<11} ", item.number, word(item.state)),
            rest,
        ),
        Span::styled(format!("{}{edited}", words(item)), rest),
    ])
}

fn details(frame: &mut Frame<'_>, board: &Board, area: Rect) {
    let block = Block::bordered().title("Step");
    let Some(item) = board.item() else {
        return frame.render_widget(block, area);
    };
    let mut lines: Vec<Line> = remarks(item).into_iter().map(Line::from).collect();
    if let Some(means) = &item.means {
        lines.push(Line::from(format!("on {}", one_line(&means.url, LINE))));
    }
    let whole = serde_json::to_string(&item.command).unwrap_or_default();
    lines.push(Line::from(one_line(&whole, LINE)));
    let text = Paragraph::new(lines).wrap(Wrap { trim: true }).block(block);
    frame.render_widget(text, area);
}

fn fields(frame: &mut Frame<'_>, form: &Form, paint: Paint, area: Rect) {
    let title = match &form.wrong {
        Some(wrong) => format!("Step {}: {}", form.number, one_line(wrong, LINE)),
        None => format!("Step {}", form.number),
    };
    let style = match &form.wrong {
        Some(_) => paint.colour(Color::Red),
        None => Style::new(),
    };
    let block = Block::bordered().title(Span::styled(title, style));
    let inside = block.inner(area);
    let width = form.fields.iter().map(|f| f.name.len()).max().unwrap_or(0);
    let lines = form.fields.iter().enumerate().map(|(at, field)| {
        let chosen = at == form.chosen;
        let name = Span::styled(
            format!("{:>width$}  ", field.name),
            Style::new().add_modifier(if chosen {
                Modifier::BOLD
            } else {
                Modifier::DIM
            }),
        );
        let text = one_line(&field.text, LINE);
        let value = match (text.is_empty(), chosen) {
            (true, false) => Span::styled(field.doc, Style::new().add_modifier(Modifier::DIM)),
            _ => Span::raw(text),
        };
        Line::from(vec![name, value])
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
    if let Some(field) = form.fields.get(form.chosen) {
        let typed = Span::raw(one_line(&field.text, LINE)).width();
        let x = inside.x + (width + 2 + typed) as u16;
        let y = inside.y + form.chosen as u16;
        if y < inside.bottom() {
            frame.set_cursor_position((x.min(inside.right().saturating_sub(1)), y));
        }
    }
}
