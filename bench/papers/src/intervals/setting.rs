//! One cell of the paper's tables: loss, method, guarantee and the three parts of the budget.

use discretion::interval::Split;
use discretion::loss::LossKind;
use discretion::privacy::Budget;
use discretion::train::{Method, Training};

/// Which guarantee the parts of a budget are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarantee {
    /// ε each.
    Pure,
    /// ρ = ε²/2 each, the paper's way of comparing the two.
    Zcdp,
}

/// Everything about a run but the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The guarantee.
    pub guarantee: Guarantee,
    /// Objective or output perturbation.
    pub method: Method,
    /// The loss.
    pub loss: LossKind,
    /// ε₁, ε₂, ε₃: for the coefficients, the Hessian, the covariance.
    pub epsilons: [f64; 3],
}

/// The paper's c = 0.001 is half of this.
pub const LAMBDA: f64 = 0.002;

/// The paper's eight settings, in its order.
pub fn all(epsilons: [f64; 3]) -> Vec<Setting> {
    let mut settings = Vec::new();
    for guarantee in [Guarantee::Pure, Guarantee::Zcdp] {
        for method in [Method::Objective, Method::Output] {
            for loss in [LossKind::Logistic, LossKind::Hinge] {
                settings.push(Setting { guarantee, method, loss, epsilons });
            }
        }
    }
    settings
}

impl Setting {
    /// What each part may spend, in the guarantee's own number.
    pub fn parts(&self) -> [f64; 3] {
        match self.guarantee {
            Guarantee::Pure => self.epsilons,
            Guarantee::Zcdp => self.epsilons.map(|epsilon| 0.5 * epsilon * epsilon),
        }
    }

    /// What all parts may spend together.
    pub fn budget(&self) -> Budget {
        let whole = self.parts().iter().sum();
        match self.guarantee {
            Guarantee::Pure => Budget::Pure { epsilon: whole },
            Guarantee::Zcdp => Budget::Zcdp { rho: whole },
        }
    }

    /// How the parts divide it.
    pub fn split(&self) -> Split {
        let whole: f64 = self.parts().iter().sum();
        let [training, hessian, covariance] = self.parts().map(|part| part / whole);
        Split::new(training, hessian, covariance).expect("parts of a whole")
    }

    /// The training with the whole budget, as a plan for intervals wants it.
    pub fn training(&self) -> Training {
        Training {
            loss: self.loss,
            lambda: Some(LAMBDA),
            method: self.method,
            budget: self.budget(),
        }
    }

    /// The paper trains for zCDP by objective perturbation with pure noise of ε₁. Nothing where its
    /// training is ours.
    pub fn training_as_printed(&self) -> Option<Training> {
        let differs = self.guarantee == Guarantee::Zcdp && self.method == Method::Objective;
        differs.then(|| Training {
            budget: Budget::Pure { epsilon: self.epsilons[0] },
            ..self.training()
        })
    }

    /// Different for each of the eight settings, so that each has noise of its own.
    pub fn number(&self) -> u64 {
        let bit = |is: bool, place: u64| u64::from(is) << place;
        bit(self.guarantee == Guarantee::Zcdp, 0)
            | bit(self.method == Method::Output, 1)
            | bit(self.loss != LossKind::Logistic, 2)
    }

    /// Such as `DP obj LR`.
    pub fn name(&self) -> String {
        let guarantee = match self.guarantee {
            Guarantee::Pure => "DP",
            Guarantee::Zcdp => "zCDP",
        };
        format!("{guarantee:4} {:6} {}", self.method_name(), self.loss_name())
    }

    /// As the paper calls the method.
    pub fn method_name(&self) -> &'static str {
        if self.method == Method::Output { "output" } else { "obj" }
    }

    /// As the paper calls the loss.
    pub fn loss_name(&self) -> &'static str {
        match self.loss {
            LossKind::Logistic => "LR",
            LossKind::Hinge | LossKind::HingeOver(_) => "SVM",
            LossKind::Huber => "Huber",
        }
    }
}
