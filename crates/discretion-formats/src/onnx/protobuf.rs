//! As much of protocol buffers as a file of ONNX takes: fields are appended to bytes.

/// A message in the making.
#[derive(Clone, Debug, Default)]
pub struct Message(Vec<u8>);

impl Message {
    /// Its bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// With a whole number.
    pub fn number(mut self, field: u32, value: i64) -> Message {
        self.tag(field, 0);
        self.varint(value as u64);
        self
    }

    /// With bytes.
    pub fn bytes(mut self, field: u32, value: &[u8]) -> Message {
        self.tag(field, 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// With a text.
    pub fn text(self, field: u32, value: &str) -> Message {
        self.bytes(field, value.as_bytes())
    }

    /// With a message.
    pub fn message(self, field: u32, value: Message) -> Message {
        self.bytes(field, &value.0)
    }

    fn tag(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    /// Seven bits at a time, the lowest first; all but the last have their highest bit set.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_documentation() {
        // https://protobuf.dev/programming-guides/encoding
        assert_eq!(Message::default().number(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").into_bytes(), b"\x12\x07testing");
        let inner = Message::default().number(1, 150);
        assert_eq!(
            Message::default().message(3, inner).into_bytes(),
            [0x1a, 0x03, 0x08, 0x96, 0x01]
        );
        assert_eq!(Message::default().number(16, -1).into_bytes().len(), 2 + 10);
    }
}
