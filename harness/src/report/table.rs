//! Tables as every form of a report has them.

/// On which side the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    /// Heading.
    pub(crate) title: String,
    /// Side of the cells.
    pub(crate) align: Align,
    /// Where there is no room for all, columns with larger numbers are left out first; 0 stays.
    pub(crate) rank: u8,
}

impl Column {
    /// Words under a heading.
    pub(crate) fn left(title: impl Into<String>, rank: u8) -> Self {
        Self {
            title: title.into(),
            align: Align::Left,
            rank,
        }
    }

    /// Numbers under a heading.
    pub(crate) fn right(title: impl Into<String>, rank: u8) -> Self {
        Self {
            title: title.into(),
            align: Align::Right,
            rank,
        }
    }
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// One for each column.
    pub(crate) cells: Vec<String>,
    /// Whether the first cell says what it said in the row above.
    pub(crate) continues: bool,
    /// Whether it is set off from the others, as its cells differ.
    pub(crate) is_marked: bool,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// What it shows.
    pub(crate) caption: String,
    /// Its columns.
    pub(crate) columns: Vec<Column>,
    /// Its rows.
    pub(crate) rows: Vec<Row>,
}
