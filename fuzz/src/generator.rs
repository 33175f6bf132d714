//! Makes the steps of a script from a seed: spaces and rows first, then everything mixed, at the end
//! the whole contents.

use crate::random::Random;
use crate::schema::{Field, Kind, Space};
use crate::statements;

/// The steps of a seed, each the body of a Lua function.
pub(crate) fn steps(seed: u64) -> Vec<String> {
    let mut generator = Generator::new(seed);
    for _ in 0..generator.random.between(1, 2) {
        generator.create_space();
    }
    for _ in 0..generator.random.between(4, 10) {
        generator.insert();
    }
    for _ in 0..generator.random.between(20, 60) {
        generator.step();
    }
    generator.end();
    generator.steps
}

struct Generator {
    random: Random,
    steps: Vec<String>,
    spaces: Vec<Space>,
    /// What `spaces` was when the open transaction began.
    before_transaction: Option<Vec<Space>>,
    savepoint_count: usize,
    /// Every space and index that there ever was, for the dump at the end.
    known_indexes: Vec<(String, String, bool)>,
    name_count: usize,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            steps: Vec::new(),
            spaces: Vec::new(),
            before_transaction: None,
            savepoint_count: 0,
            known_indexes: Vec::new(),
            name_count: 0,
        }
    }

    fn push(&mut self, step: impl Into<String>) {
        self.steps.push(step.into());
    }

    /// A step that walks over the rows of a space. Which row of a HASH index is met first differs,
    /// and so does the error that is told when several would do: then only success counts.
    fn push_walk(&mut self, space: &Space, step: String) {
        let is_hash = space.indexes.first().is_some_and(|index| index.is_hash);
        self.push(if is_hash {
            format!("return succeeds(function() {step} end)")
        } else {
            step
        });
    }

    fn next_name(&mut self, prefix: &str) -> String {
        self.name_count += 1;
        format!("{prefix}{}", self.name_count)
    }

    fn step(&mut self) {
        match self.random.weighted(&[45, 35, 12, 8]) {
            0 => self.write(),
            1 => self.read(),
            2 => self.transaction(),
            _ => self.definition(),
        }
    }

    fn space_number(&mut self) -> usize {
        if self.spaces.is_empty() {
            self.create_space();
        }
        self.random.below(self.spaces.len())
    }

    fn insert(&mut self) {
        let number = self.space_number();
        let space = &self.spaces[number];
        let tuple = statements::tuple(space, &mut self.random);
        let step = format!("return {}:insert({tuple})", space.path());
        self.push(step);
    }

    fn write(&mut self) {
        let number = self.space_number();
        let step = statements::write(&self.spaces[number], &mut self.random);
        self.push(step);
    }

    fn read(&mut self) {
        let number = self.space_number();
        let step = statements::read(&self.spaces[number], &mut self.random);
        self.push(step);
    }

    fn transaction(&mut self) {
        if self.before_transaction.is_none() && self.random.percent(85) {
            self.before_transaction = Some(self.spaces.clone());
            return self.push("return box.begin()");
        }
        match self.random.weighted(&[30, 25, 15, 15, 3, 3, 3]) {
            0 => {
                self.before_transaction = None;
                self.push("return box.commit()");
            }
            1 => self.roll_back(),
            2 => {
                self.savepoint_count += 1;
                let step = format!("savepoint_{} = box.savepoint()", self.savepoint_count);
                self.push(step);
            }
            3 if self.savepoint_count > 0 => {
                let number = self.random.between(1, self.savepoint_count);
                self.push(format!(
                    "return box.rollback_to_savepoint(savepoint_{number})"
                ));
            }
            4 => {
                // Between a yield and the end of its transaction nothing is read: see `known`.
                self.push("fiber.yield()");
                if self.random.percent(50) {
                    if let Some(spaces) = self.before_transaction.take() {
                        self.spaces = spaces;
                    }
                    self.push("return box.commit()");
                    self.push("return box.rollback()");
                } else {
                    self.roll_back();
                }
            }
            5 => self.push("return box.begin()"),
            _ => self.push("return box.is_in_txn()"),
        }
    }

    fn roll_back(&mut self) {
        if let Some(spaces) = self.before_transaction.take() {
            self.spaces = spaces;
        }
        self.push("return box.rollback()");
    }

    fn definition(&mut self) {
        if self.before_transaction.is_some() && self.random.percent(80) {
            return self.write();
        }
        match self.random.weighted(&[8, 30, 10, 12, 12, 8, 10, 5, 5]) {
            0 => self.create_space(),
            1 => {
                let number = self.space_number();
                self.create_index(number);
            }
            2 => self.drop_index(),
            3 => self.alter_index(),
            4 => self.change_format(),
            5 => self.truncate(),
            6 => self.rename(),
            7 => self.drop_space(),
            _ => self.create_again(),
        }
    }

    fn create_space(&mut self) {
        let name = self.next_name("s");
        let space = Space::random(name, &mut self.random);
        let mut options = Vec::new();
        if space.has_format {
            options.push(format!("format = {}", space.format_text()));
        }
        if space.has_format && !space.has_short_tuples && self.random.percent(5) {
            options.push(format!("field_count = {}", space.fields.len()));
        }
        let step = format!(
            "box.schema.space.create('{}', {{{}}})",
            space.name,
            options.join(", ")
        );
        self.push(step);
        self.spaces.push(space);
        let number = self.spaces.len() - 1;
        for _ in 0..self.random.between(1, 3) {
            self.create_index(number);
        }
    }

    fn create_index(&mut self, number: usize) {
        let name = self.next_name("i");
        let index = self.spaces[number].random_index(name, &mut self.random);
        let space = &mut self.spaces[number];
        let step = format!(
            "{}:create_index('{}', {})",
            space.path(),
            index.name,
            index.options_text()
        );
        let known = (space.name.clone(), index.name.clone(), index.is_hash);
        space.indexes.push(index);
        let space = space.clone();
        self.push_walk(&space, step);
        self.know(known);
    }

    fn know(&mut self, index: (String, String, bool)) {
        let mut known = self.known_indexes.iter_mut();
        match known.find(|known| known.0 == index.0 && known.1 == index.1) {
            Some(known) => known.2 |= index.2,
            None => self.known_indexes.push(index),
        }
    }

    fn drop_index(&mut self) {
        let number = self.space_number();
        let space = &mut self.spaces[number];
        if space.indexes.is_empty() {
            return;
        }
        let at = self.random.below(space.indexes.len());
        if at == 0 && self.random.percent(70) {
            return;
        }
        let step = format!("return {}:drop()", space.index_path(&space.indexes[at]));
        if at > 0 || space.indexes.len() == 1 {
            space.indexes.remove(at);
        }
        self.push(step);
    }

    fn alter_index(&mut self) {
        let number = self.space_number();
        let space = &mut self.spaces[number];
        if space.indexes.is_empty() {
            return;
        }
        let at = self.random.below(space.indexes.len());
        let path = space.index_path(&space.indexes[at]);
        let mut other = space.random_index(String::new(), &mut self.random);
        let known = &mut space.indexes[at];
        let step = match self.random.below(4) {
            0 => {
                known.is_unique = !known.is_unique;
                format!("return {path}:alter({{unique = {}}})", known.is_unique)
            }
            // 2.6 keeps a HASH index as it is when a type changes, and finds nothing in it then.
            1 if !known.is_hash => {
                other
                    .parts
                    .iter_mut()
                    .for_each(|part| part.is_nullable &= at > 0);
                known.parts.clone_from(&other.parts);
                format!("return {path}:alter({{parts = {}}})", other.parts_text())
            }
            2 if self.random.percent(50) => format!("return {path}:alter({{type = 'TREE'}})"),
            2 => {
                // Once it may have been a HASH index, its order counts no more.
                known.is_hash = true;
                let index = (space.name.clone(), known.name.clone(), true);
                self.know(index);
                format!("return {path}:alter({{type = 'HASH'}})")
            }
            _ => {
                known.name.push('r');
                let index = (
                    space.name.clone(),
                    space.indexes[at].name.clone(),
                    space.indexes[at].is_hash,
                );
                let step = format!("return {path}:rename('{}')", index.1);
                self.know(index);
                step
            }
        };
        let space = self.spaces[number].clone();
        self.push_walk(&space, step);
    }

    fn change_format(&mut self) {
        let number = self.space_number();
        let space = &mut self.spaces[number];
        match self.random.below(4) {
            0 => {
                let number = space.fields.len() + 1;
                space.fields.push(Field {
                    name: format!("f{number}"),
                    kind: Kind::changed(&mut self.random),
                    is_nullable: self.random.percent(80),
                });
                space.has_short_tuples = true;
            }
            1 => {
                let at = self.random.below(space.fields.len());
                if matches!(space.fields[at].kind, Kind::Double | Kind::Uuid) {
                    return;
                }
                space.fields[at].kind = Kind::changed(&mut self.random);
            }
            2 => {
                let at = self.random.below(space.fields.len());
                space.fields[at].is_nullable = !space.fields[at].is_nullable;
            }
            _ => {
                let at = self.random.below(space.fields.len());
                space.fields[at].name.push('x');
            }
        }
        space.fields_changed();
        let step = format!("return {}:format({})", space.path(), space.format_text());
        let space = space.clone();
        self.push_walk(&space, step);
    }

    fn truncate(&mut self) {
        let number = self.space_number();
        let step = format!("return {}:truncate()", self.spaces[number].path());
        self.push(step);
    }

    fn rename(&mut self) {
        let number = self.space_number();
        let name = self.next_name("r");
        let space = &mut self.spaces[number];
        let step = format!("return {}:rename('{name}')", space.path());
        space.name = name;
        let space = space.clone();
        self.push(step);
        for index in space.indexes {
            self.know((space.name.clone(), index.name, index.is_hash));
        }
    }

    fn drop_space(&mut self) {
        if self.spaces.len() > 1 {
            let number = self.space_number();
            let space = self.spaces.remove(number);
            self.push(format!("return {}:drop()", space.path()));
        }
    }

    /// Asks for what is there already.
    fn create_again(&mut self) {
        let number = self.space_number();
        let space = &self.spaces[number];
        let exists = self.random.pick(&["", "if_not_exists = true"]);
        let step = match (self.random.percent(50), space.indexes.first()) {
            (true, Some(index)) => {
                format!(
                    "{}:create_index('{}', {{{exists}}})",
                    space.path(),
                    index.name
                )
            }
            _ => format!("box.schema.space.create('{}', {{{exists}}})", space.name),
        };
        self.push(step);
    }

    fn end(&mut self) {
        if self.before_transaction.is_some() {
            self.push("return box.commit()");
        }
        for (space, index, is_hash) in std::mem::take(&mut self.known_indexes) {
            let order = if is_hash { "sorted" } else { "" };
            self.push(format!(
                "return {order}(walk(box.space.{space}.index.{index}))"
            ));
        }
    }
}
