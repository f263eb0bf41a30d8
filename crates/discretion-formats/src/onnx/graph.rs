//! A graph of ONNX in the making: values that have names, and operators between them. The numbers
//! of fields are those of onnx.proto.

use super::protobuf::Message;
use std::collections::HashSet;

/// The types of tensors that occur.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    Float = 1,
    Whole = 7,
    Text = 8,
    Double = 11,
}

/// The name of a value.
pub type Value = String;

/// A graph.
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    inputs: Vec<Message>,
    outputs: Vec<Message>,
    taken: HashSet<String>,
}

/// An attribute of an operator.
pub enum Attribute<'a> {
    /// A type, or another whole number.
    Whole(&'static str, i64),
    /// Whole numbers.
    Wholes(&'static str, Vec<i64>),
    /// Texts.
    Texts(&'static str, &'a [String]),
}

impl Graph {
    /// A graph with inputs of these names: one column each, with as many rows as whoever asks
    /// likes.
    pub fn new<'n>(inputs: impl Iterator<Item = (&'n str, Type)>) -> Graph {
        let mut graph = Graph::default();
        for (name, kind) in inputs {
            graph.taken.insert(name.to_owned());
            graph.inputs.push(tensor(name, kind, 1));
        }
        graph
    }

    /// The result of an operator of the standard set.
    pub fn apply(&mut self, operator: &str, inputs: &[&Value]) -> Value {
        self.node("", operator, inputs, &[])
    }

    /// The same with attributes, perhaps of another set.
    pub fn node(
        &mut self,
        domain: &str,
        operator: &str,
        inputs: &[&Value],
        attributes: &[Attribute<'_>],
    ) -> Value {
        let output = self.fresh(&operator.to_lowercase());
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        let node = node.text(2, &output).text(4, operator);
        let node =
            attributes.iter().fold(node, |node, attribute| node.message(5, attribute.message()));
        self.nodes.push(node.text(7, domain));
        output
    }

    /// Numbers that do not change: one, or a list.
    pub fn doubles(&mut self, values: &[f64]) -> Value {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Type::Double, &[values.len()], |tensor| tensor.bytes(9, &bytes))
    }

    /// One line of numbers, for every row the same.
    pub fn line(&mut self, values: &[f64]) -> Value {
        self.table(std::slice::from_ref(&values.to_vec()))
    }

    /// Lines of as many numbers each.
    pub fn table(&mut self, lines: &[Vec<f64>]) -> Value {
        let bytes: Vec<u8> = lines.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Type::Double, &[lines.len(), lines[0].len()], |tensor| {
            tensor.bytes(9, &bytes)
        })
    }

    /// Whole numbers that do not change.
    fn wholes(&mut self, values: &[i64]) -> Value {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(Type::Whole, &[values.len()], |tensor| tensor.bytes(9, &bytes))
    }

    /// For each row the line at its place, which is one of a column of places.
    pub fn lookup(&mut self, lines: &[Vec<f64>], place: &Value) -> Value {
        let (lines, second) = (self.table(lines), self.wholes(&[1]));
        let found = self.apply("Gather", &[&lines, place]);
        self.apply("Squeeze", &[&found, &second])
    }

    /// One column of several.
    pub fn column(&mut self, values: &Value, which: i64) -> Value {
        let which = self.wholes(&[which]);
        self.node("", "Gather", &[values, &which], &[Attribute::Whole("axis", 1)])
    }

    /// A number in single precision.
    pub fn float(&mut self, value: f32) -> Value {
        self.constant(Type::Float, &[1], |tensor| tensor.bytes(9, &value.to_le_bytes()))
    }

    /// A text.
    pub fn text(&mut self, value: &str) -> Value {
        self.constant(Type::Text, &[1], |tensor| tensor.text(6, value))
    }

    fn constant(
        &mut self,
        kind: Type,
        shape: &[usize],
        content: impl FnOnce(Message) -> Message,
    ) -> Value {
        let name = self.fresh("constant");
        let shape = shape
            .iter()
            .fold(Message::default(), |tensor, &length| tensor.number(1, length as i64));
        let tensor = content(shape.number(2, kind as i64));
        self.constants.push(tensor.text(8, &name));
        name
    }

    /// Another type of number.
    pub fn cast(&mut self, value: &Value, to: Type) -> Value {
        self.node("", "Cast", &[value], &[Attribute::Whole("to", to as i64)])
    }

    /// Says that a value is an output of so many columns, by this name if no column has it.
    pub fn output(&mut self, name: &str, (kind, columns): (Type, usize), value: &Value) {
        let mut name = name.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.nodes.push(Message::default().text(1, value).text(2, &name).text(4, "Identity"));
        self.outputs.push(tensor(&name, kind, columns));
    }

    /// The file. `facts` are for people.
    pub fn file(self, program: &str, about: &str, facts: &[(&str, String)]) -> Vec<u8> {
        let parts = [(1, self.nodes), (5, self.constants), (11, self.inputs), (12, self.outputs)];
        let mut graph = Message::default().text(2, "model");
        for (field, messages) in parts {
            graph =
                messages.into_iter().fold(graph, |graph, message| graph.message(field, message));
        }
        let (name, version) = program.split_once(' ').unwrap_or((program, ""));
        let set = |domain: &str, version| Message::default().text(1, domain).number(2, version);
        let file = Message::default()
            .number(1, 8)
            .text(2, name)
            .text(3, version)
            .text(6, about)
            .message(7, graph);
        let file = file.message(8, set("", 13)).message(8, set(ML, 2));
        let entry = |(key, value): &(&str, String)| Message::default().text(1, key).text(2, value);
        facts.iter().fold(file, |file, fact| file.message(14, entry(fact))).into_bytes()
    }

    /// A name that nothing has.
    fn fresh(&mut self, word: &str) -> String {
        let numbers = 1..;
        let name = numbers.map(|number: usize| {
            format!("{word}_{}", number + self.nodes.len() + self.constants.len())
        });
        let name =
            name.into_iter().find(|name| !self.taken.contains(name)).expect("numbers do not end");
        self.taken.insert(name.clone());
        name
    }
}

/// The set of operators for learned models.
pub const ML: &str = "ai.onnx.ml";

/// A tensor of as many rows as there are, and of so many columns.
fn tensor(name: &str, kind: Type, columns: usize) -> Message {
    let rows = Message::default().text(2, "rows");
    let columns = Message::default().number(1, columns as i64);
    let shape = Message::default().message(1, rows).message(1, columns);
    let tensor = Message::default().number(1, kind as i64).message(2, shape);
    Message::default().text(1, name).message(2, Message::default().message(1, tensor))
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        let named = |name: &str, kind| Message::default().text(1, name).number(20, kind);
        match self {
            Attribute::Whole(name, value) => named(name, 2).number(3, *value),
            Attribute::Wholes(name, values) => {
                values.iter().fold(named(name, 7), |message, value| message.number(8, *value))
            }
            Attribute::Texts(name, values) => {
                values.iter().fold(named(name, 8), |message, value| message.text(9, value))
            }
        }
    }
}
