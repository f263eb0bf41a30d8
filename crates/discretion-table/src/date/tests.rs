use super::*;

fn iso(text: &str) -> Option<Moment> {
    DateFormat::Iso.parse(text.as_bytes())
}

#[test]
fn days_are_counted_from_1970_on_and_back() {
    for (text, days) in [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2000-02-29", 11_016),
        ("2000-03-01", 11_017),
        ("1900-02-28", -25_509),
        ("1900-03-01", -25_508),
        ("0001-01-01", -719_162),
        ("9999-12-31", 2_932_896),
    ] {
        assert_eq!(iso(text).unwrap().whole_days(), days, "{text}");
    }
    for days in (-719_162..2_932_896).step_by(7) {
        let moment = Moment::from_days(f64::from(days), false);
        assert_eq!(moment.whole_days(), days);
        assert_eq!(iso(&moment.to_string()), Some(moment));
    }
}

#[test]
fn what_iso_8601_writes() {
    for (text, days) in [
        ("2020-12-31", 18_627.0),
        ("20201231", 18_627.0),
        ("2020-12-31T12:00", 18_627.5),
        ("2020-12-31 12:00:00", 18_627.5),
        ("2020-12-31T12:00:00.000", 18_627.5),
        // An offset changes nothing.
        ("2020-12-31T12:00:00Z", 18_627.5),
        ("2020-12-31T12:00:00+02:00", 18_627.5),
        ("2020-12-31T12:00-0530", 18_627.5),
    ] {
        assert_eq!(iso(text).map(Moment::days), Some(days), "{text}");
    }
    for text in [
        "",
        "2020",
        "2020-12",
        "2020-13-01",
        "2020-02-30",
        "2019-02-29",
        "2020-1-1",
        "31.12.2020",
        "2020-12-31x",
        "2020-12-31T",
        "2020-12-31T25:00",
        "2020-12-31T12",
        "2020-1231",
        "0000-01-01",
        "é020-12-31",
    ] {
        assert_eq!(iso(text), None, "{text}");
    }
}

#[test]
fn declared_formats() {
    for (format, text, expected) in [
        ("%d.%m.%Y", "31.12.2020", Some("2020-12-31")),
        ("%d.%m.%Y", "1.2.2020", Some("2020-02-01")),
        ("%m/%d/%Y", "12/31/2020", Some("2020-12-31")),
        ("%d%b%Y", "05JAN2015", Some("2015-01-05")),
        ("%Y%m%d", "20150105", Some("2015-01-05")),
        ("%d/%m/%Y %H:%M:%S", "05/01/2015 7:30:09", Some("2015-01-05T07:30:09")),
        ("%d.%m.%Y", "2020-12-31", None),
        ("%d.%m.%Y", "31.12.20", None),
        ("%d.%m.%Y", "31.12.2020 ", None),
        ("%d.%m.%Y", "31.02.2020", None),
        ("%d %b %Y", "05 Foo 2015", None),
    ] {
        let parsed: DateFormat = format.parse().unwrap();
        assert_eq!(parsed.to_string(), format);
        let found = parsed.parse(text.as_bytes()).map(|moment| moment.to_string());
        assert_eq!(found.as_deref(), expected, "{format} {text}");
        // What it writes, it reads.
        if let Some(moment) = parsed.parse(text.as_bytes()) {
            assert_eq!(
                parsed.parse(parsed.write(moment).as_bytes()),
                Some(moment),
                "{format} {text}"
            );
        }
    }
    for (format, words) in [
        ("%d.%m", "a year (%Y)"),
        ("%d.%m.%y", "no century"),
        ("%d.%m.%Y %Z", "no time zones"),
        ("%d.%m.%Y%", "has no %;"),
        ("%d.%m.%Y %q", "has no %q"),
        ("%d %d %m %Y", "each once"),
    ] {
        let refusal = format.parse::<DateFormat>().unwrap_err();
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[test]
fn parts_are_categories() {
    let part = |part: DatePart, text: &str| part.of(iso(text).unwrap());
    assert_eq!(part(DatePart::Weekday, "1970-01-01").as_deref(), Some("Thursday"));
    assert_eq!(part(DatePart::Weekday, "2024-02-29").as_deref(), Some("Thursday"));
    assert_eq!(part(DatePart::Weekday, "1969-12-29").as_deref(), Some("Monday"));
    assert_eq!(part(DatePart::Month, "2024-02-29").as_deref(), Some("February"));
    assert_eq!(part(DatePart::Year, "2024-02-29").as_deref(), Some("2024"));
    assert_eq!(part(DatePart::Hour, "2024-02-29T23:59:59.9").as_deref(), Some("23"));
    assert_eq!(part(DatePart::Hour, "2024-02-29"), None);
    let range = Some((iso("2019-05-01").unwrap(), iso("2021-01-01").unwrap()));
    assert_eq!(DatePart::Year.values(range).unwrap(), ["2019", "2020", "2021"]);
    assert_eq!(DatePart::Year.values(None), None);
    for (name, part) in DatePart::ALL {
        assert_eq!(part.name(), name);
        assert!(part.values(range).unwrap().len() <= 24);
    }
}

#[test]
fn times_are_written_as_short_as_they_are() {
    for text in
        ["2020-12-31", "2020-12-31T00:00", "2020-12-31T23:59:59", "2020-12-31T12:00:00.250000"]
    {
        assert_eq!(iso(text).unwrap().to_string(), text);
    }
    let noon = Moment::from_days(18_627.5, true);
    assert_eq!((noon.to_string(), noon.days()), ("2020-12-31T12:00".to_owned(), 18_627.5));
}
