//! `[party]`.

use super::*;

const PARTY: &str = r#"
[party]
coordinator = "dpk_0"
aggregators = ["north", "west"]
[party.holders]
south = { rows = 10, key = "dpk_1" }
north = { rows = 20, key = "dpk_2" }
west  = { rows = 5, key = "dpk_3" }
"#;

#[test]
fn holders_are_read_in_the_order_of_the_file() {
    let party = parse(&format!("{ADULT}{PARTY}")).unwrap().party.unwrap();
    let holder =
        |name: &str, rows, key: &str| HolderSettings { name: name.into(), rows, key: key.into() };
    assert_eq!(
        party,
        PartySettings {
            coordinator: "dpk_0".into(),
            holders: vec![
                holder("south", 10, "dpk_1"),
                holder("north", 20, "dpk_2"),
                holder("west", 5, "dpk_3")
            ],
            aggregators: vec![1, 2],
            colluders: 1,
            step: StepChoice::Auto,
            run: 1,
        }
    );
    let all = parse(
        &format!("{ADULT}{PARTY}")
            .replace("aggregators = [\"north\", \"west\"]", "step = \"none\"\nrun = 2"),
    );
    let all = all.unwrap().party.unwrap();
    assert_eq!(
        (all.aggregators, all.colluders, all.step, all.run),
        (vec![0, 1, 2], 1, StepChoice::None, 2)
    );
}

#[test]
fn a_party_that_cannot_be_is_refused_with_its_reason() {
    for (from, to, says) in [
        ("\"north\", \"west\"", "\"north\", \"wst\"", "did you mean"),
        ("\"north\", \"west\"", "\"north\"", "it takes two at least"),
        ("\"north\", \"west\"", "\"north\", \"north\"", "twice"),
        ("coordinator = \"dpk_0\"", "", "add `coordinator"),
        ("rows = 10, ", "", "add `rows"),
        ("rows = 10", "rows = 0", "whole number"),
        ("key = \"dpk_1\"", "secret = \"dpk_1\"", "unknown key `secret` in holder `south`"),
        ("aggregators", "colluders = 2\naggregators", "one at least must keep its noise"),
        ("aggregators", "step = \"yes\"\naggregators", "one of \"auto\", \"newton\", \"none\""),
        (
            "south = { rows = 10, key = \"dpk_1\" }\nnorth = { rows = 20, key = \"dpk_2\" }\n",
            "",
            "1 holders",
        ),
    ] {
        let text = format!("{ADULT}{PARTY}");
        assert!(text.contains(from), "{from}");
        let refusal = parse(&text.replacen(from, to, 1)).expect_err(to);
        assert!(refusal.contains(says), "{refusal}");
    }
}
