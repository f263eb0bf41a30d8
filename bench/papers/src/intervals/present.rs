//! The measurements as lines for people, JSON for machines, and figures of lengths.

use super::measure::{Lengths, Tally, TallyPair};
use super::setting::{Guarantee, Setting};
use super::sweeps::{Sweep, Variable};
use discretion_report::Lines;
use discretion_report::chart::lines::{Point, Series, Spread};
use discretion_report::svg::{Axis, Layout};
use serde_json::{Value, json};
use std::fmt::Write;

/// A sweep with what was measured: a line for each of the paper's eight settings.
pub struct SweepResults {
    /// The sweep.
    pub sweep: Sweep,
    /// Each with one measurement for each value.
    pub lines: Vec<(Setting, Vec<TallyPair>)>,
}

/// Coverage that the intervals must have, and how much longer than the variability interval they
/// may be.
const COVERAGE: std::ops::RangeInclusive<f64> = 0.94..=0.97;
const LONGEST: f64 = 1.12;

impl SweepResults {
    /// For people.
    pub fn text(&self) -> String {
        let sweep = &self.sweep;
        let mut text = format!(
            "{}; {}{} replicates\n",
            sweep.title,
            self.budget(),
            discretion_report::numbers::count(sweep.replicates)
        );
        let heads: Vec<String> =
            sweep.values.iter().map(|value| format!("{:>8}", format!("{value}"))).collect();
        let _ = writeln!(text, "{:29}{}", sweep.axis, heads.concat());
        for (i, (setting, measured)) in self.lines.iter().enumerate() {
            let mut line = |name: &str,
                            what: &str,
                            decimals: usize,
                            numbers: &mut dyn Iterator<Item = f64>| {
                let numbers: String = numbers.map(|x| format!("{x:>8.decimals$}")).collect();
                let _ = writeln!(text, "{name:16}{what:13}{numbers}");
            };
            let ours = || measured.iter().map(|m| m.ours);
            let printed = || measured.iter().map(|m| m.printed);
            if let Some(paper) = &sweep.paper {
                line(&setting.name(), "paper", 4, &mut paper[i].iter().copied());
            }
            let name = if sweep.paper.is_some() { String::new() } else { setting.name() };
            line(&name, "as printed", 4, &mut printed().map(|tally| tally.coverage));
            line("", "  length", 3, &mut printed().map(|tally| tally.ratio()));
            line("", "ours", 4, &mut ours().map(|tally| tally.coverage));
            line("", "  length", 3, &mut ours().map(|tally| tally.ratio()));
        }
        text
    }

    fn budget(&self) -> String {
        let names = ["ε₁", "ε₂", "ε₃"];
        let fixed = (0..3).filter(|&i| self.sweep.variable != Variable::Epsilon(i));
        fixed.map(|i| format!("{} = {}, ", names[i], self.sweep.epsilons[i])).collect()
    }

    /// Which of our cells keep the bounds, and which do not. Nothing for the paper's tables, whose
    /// replicates are too few to tell cell by cell.
    pub fn verdict(&self) -> String {
        if self.sweep.variable != Variable::ColumnChoice {
            return String::new();
        }
        let cells = self.lines.iter().flat_map(|(setting, measured)| {
            self.sweep
                .values
                .iter()
                .zip(measured)
                .map(move |(value, measured)| (setting, value, measured.ours))
        });
        let keeps = |tally: &Tally| COVERAGE.contains(&tally.coverage) && tally.ratio() <= LONGEST;
        let missed: Vec<String> = cells
            .clone()
            .filter(|(_, _, tally)| !keeps(tally))
            .map(|(setting, value, tally)| {
                let name = setting.name();
                let name: Vec<&str> = name.split_whitespace().collect();
                format!(
                    "  {} at {} = {value}: {:.4}, {:.3}\n",
                    name.join(" "),
                    self.sweep.axis,
                    tally.coverage,
                    tally.ratio()
                )
            })
            .collect();
        format!(
            "ours within coverage {} to {} and length at most {LONGEST}: {} of {} cells{}\n{}",
            COVERAGE.start(),
            COVERAGE.end(),
            cells.count() - missed.len(),
            self.lines.len() * self.sweep.values.len(),
            if missed.is_empty() { "" } else { "; the others:" },
            missed.concat()
        )
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let cells = |measured: &[TallyPair], paper: Option<&[f64]>| -> Vec<Value> {
            let cell = |(i, (value, measured)): (usize, (&f64, &TallyPair))| {
                json!({
                    "at": value,
                    "paper": paper.map(|paper| paper[i]),
                    "printed": measured.printed,
                    "ours": measured.ours,
                })
            };
            self.sweep.values.iter().zip(measured).enumerate().map(cell).collect()
        };
        let lines = self.lines.iter().enumerate().map(|(i, (setting, measured))| {
            json!({
                "guarantee": if setting.guarantee == Guarantee::Pure { "pure" } else { "zcdp" },
                "method": setting.method,
                "loss": setting.loss,
                "cells": cells(measured, self.sweep.paper.map(|paper| paper[i])),
            })
        });
        json!({
            "table": self.sweep.key,
            "title": self.sweep.title,
            "varied": self.sweep.axis,
            "epsilons": self.sweep.epsilons,
            "replicates": self.sweep.replicates,
            "lines": lines.collect::<Vec<Value>>(),
        })
    }

    /// The lengths of intervals, one figure for each method and loss.
    pub fn figures(&self) -> Vec<(String, String)> {
        if self.sweep.variable == Variable::ColumnChoice {
            return Vec::new();
        }
        // Lines come as four of one guarantee and four of the other.
        let half = self.lines.len() / 2;
        (0..half).map(|i| self.figure(&self.lines[i], &self.lines[half + i])).collect()
    }

    fn figure(
        &self,
        (setting, pure): &(Setting, Vec<TallyPair>),
        (_, zcdp): &(Setting, Vec<TallyPair>),
    ) -> (String, String) {
        let lengths = |tally: &Tally| match self.sweep.variable {
            Variable::Columns => tally.first,
            _ => tally.all,
        };
        let series =
            |name: &str, measured: &[TallyPair], of: &dyn Fn(&TallyPair) -> (f64, Option<f64>)| {
                let points = self.sweep.values.iter().zip(measured).map(|(&x, measured)| {
                    let (y, deviation) = of(measured);
                    Point { x, y, range: deviation.map(|sd| [y - sd, y + sd]) }
                });
                Series { name: name.to_owned(), points: points.collect(), spread: Spread::Bars }
            };
        let interval = |lengths: Lengths| (lengths.mean, Some(lengths.deviation));
        let printed = |measured: &TallyPair| interval(lengths(&measured.printed));
        let ours = |measured: &TallyPair| interval(lengths(&measured.ours));
        let variability = |measured: &TallyPair| (lengths(&measured.ours).variability, None);
        let title =
            format!("{}, {}, {}", self.sweep.title, setting.method_name(), setting.loss_name());
        let of =
            if self.sweep.variable == Variable::Columns { "the first column's" } else { "all" };
        let layout =
            if self.sweep.variable == Variable::Budget { Layout::Log } else { Layout::Linear };
        let drawing = Lines {
            description: format!(
                "Mean length of {of} 95 % intervals over {} replicates against {}, under pure differential privacy \
                 and under zCDP: with the paper's constants, ours, and the variability intervals. \
                 Bars are one standard deviation.",
                self.sweep.replicates, self.sweep.axis
            ),
            title,
            size: [640.0, 380.0],
            x: Axis { label: self.sweep.axis.to_owned(), layout },
            y: Axis { label: "length of interval".to_owned(), layout: Layout::Linear },
            series: vec![
                series("DP as printed", pure, &printed),
                series("DP ours", pure, &ours),
                series("DP variability", pure, &variability),
                series("zCDP as printed", zcdp, &printed),
                series("zCDP ours", zcdp, &ours),
                series("zCDP variability", zcdp, &variability),
            ],
            reference: None,
        };
        let name = format!(
            "intervals-{}-{}-{}.svg",
            self.sweep.key,
            setting.method_name(),
            setting.loss_name().to_lowercase()
        );
        (name, drawing.draw().standalone())
    }
}
