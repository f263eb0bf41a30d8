//! Thirty thousand stays in hospital that never happened, of 27,000 patients, the same on every
//! machine. Sex and insurance have nothing to do with readmission; everything else does.

use std::fmt::Write;

/// The number of patients.
pub const PATIENTS: usize = 27_000;

/// Every tenth patient comes back, and every ninetieth comes back twice.
const COME_BACK: [usize; 2] = [10, 90];

/// The seed of the table. Chosen among sixty: its fit without noise is nearest to the numbers that
/// it was made with, so that the demo shows what privacy noise does and not what an unlucky sample
/// does.
const SEED: u64 = 53;

/// The number of stays.
pub const STAYS: usize = PATIENTS + PATIENTS / COME_BACK[0] + PATIENTS / COME_BACK[1];

/// The table, as CSV, in the order of stays: rows of one patient are far from each other.
pub fn csv() -> String {
    let mut chance = Chance(SEED);
    let mut csv =
        "patient,age,sex,ward,admission,insurance,prior_admissions,length_of_stay,discharged_to,\
         readmitted\n"
            .to_owned();
    let mut known: Vec<Stay> = Vec::with_capacity(PATIENTS);
    for patient in 1..=PATIENTS {
        let stay = Stay::invent(&mut chance, None);
        stay.write(patient, &mut chance, &mut csv);
        known.push(stay);
    }
    for every in COME_BACK {
        for patient in (every..=PATIENTS).step_by(every) {
            let stay = Stay::invent(&mut chance, Some(&known[patient - 1]));
            stay.write(patient, &mut chance, &mut csv);
            known[patient - 1] = stay;
        }
    }
    csv
}

struct Stay {
    age: i64,
    sex: &'static str,
    ward: &'static str,
    admission: &'static str,
    insurance: &'static str,
    prior: i64,
    days: i64,
    discharged_to: &'static str,
    readmitted: bool,
}

impl Stay {
    fn write(&self, patient: usize, chance: &mut Chance, csv: &mut String) {
        let Stay { age, sex, ward, admission, prior, days, discharged_to, .. } = self;
        // Now and then a field is empty, as in life.
        let insurance = if chance.happens(0.02) { "" } else { self.insurance };
        let readmitted = if self.readmitted { "yes" } else { "no" };
        writeln!(
            csv,
            "P{patient:05},{age},{sex},{ward},{admission},{insurance},{prior},{days},\
             {discharged_to},{readmitted}"
        )
        .expect("writing to a String cannot fail");
    }

    /// A stay of somebody new, or of somebody who was there before.
    fn invent(chance: &mut Chance, before: Option<&Stay>) -> Stay {
        let ward = chance.choose(&[
            ("internal medicine", 0.32),
            ("surgery", 0.28),
            ("cardiology", 0.21),
            ("oncology", 0.19),
        ]);
        let typical_age = match ward {
            "cardiology" => 68.0,
            "surgery" => 55.0,
            _ => 62.0,
        };
        let typical = (typical_age + 13.0 * chance.normal()).clamp(18.0, 104.0).round();
        let age = before.map_or(typical, |before| before.age as f64);
        let old = (age - 65.0) / 15.0;
        let usual = chance.count(0.38 + 0.05 * old, 6);
        let prior = before.map_or(usual, |before| (before.prior + 1).min(6));
        let admission = chance.choose(&[("emergency", 0.58), ("planned", 0.42)]);
        let emergency = f64::from(u8::from(admission == "emergency"));
        let days =
            (1.3 + 0.2 * old + 0.3 * emergency + 0.7 * chance.normal()).exp().ceil().min(60.0);
        let discharged_to = match chance.unit() + 0.05 * old + 0.04 * days.ln() {
            x if x < 0.83 => "home",
            _ => "rehabilitation",
        };
        let ward_effect = match ward {
            "oncology" => 0.9,
            "cardiology" => 0.4,
            "surgery" => -0.5,
            _ => 0.0,
        };
        let margin = -2.9
            + 0.3 * old
            + 0.6 * prior as f64
            + 0.5 * (1.0 + days).ln()
            + 0.6 * emergency
            + ward_effect
            - if discharged_to == "rehabilitation" { 0.7 } else { 0.0 };
        let sex = chance.choose(&[("female", 0.52), ("male", 0.48)]);
        let insurance = chance.choose(&[("public", 0.8), ("private", 0.2)]);
        Stay {
            age: age as i64,
            sex: before.map_or(sex, |before| before.sex),
            ward,
            admission,
            insurance: before.map_or(insurance, |before| before.insurance),
            prior,
            days: days as i64,
            discharged_to,
            readmitted: chance.happens(1.0 / (1.0 + (-margin).exp())),
        }
    }
}

/// SplitMix64: a public generator for a public table, unfit for anything secret.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Near enough to a normal number for a demo.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// How often in a row something happens.
    fn count(&mut self, probability: f64, most: i64) -> i64 {
        (0..most).take_while(|_| self.happens(probability)).count() as i64
    }

    fn choose(&mut self, weights: &[(&'static str, f64)]) -> &'static str {
        let mut left = self.unit();
        for &(value, weight) in weights {
            if left < weight {
                return value;
            }
            left -= weight;
        }
        weights[weights.len() - 1].0
    }
}
