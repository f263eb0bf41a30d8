//! The constants that `lambda = "auto"` was fitted with.

/// The constants of `lambda = "auto"`, whose formula is in `train/auto.rs`. docs/lambda.md,
/// docs/classes.md and docs/numbers.md have the experiments behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LambdaRule {
    /// In a direction of curvature h with coefficient θ the squared error is least at λ = v/(hθ²),
    /// where v is the variance of the noise in the mean gradient. This stands for a typical
    /// 1/(hθ²).
    pub noise_weight: f64,
    /// With much noise, dividing by the curvature costs more than it gains, and λ should be well
    /// above the curvature. From a tenth of this variance on, λ grows with its cube.
    pub much_noise: f64,
    /// λ is at least this many times d/(nε): a little shrinkage of many coefficients costs nothing
    /// and keeps curvature cheap.
    pub dimension_share: f64,
    /// λ is at least this many times d/n, whatever ε is.
    pub flat_dimension_share: f64,
    /// λ is at least this many times 1/n. Where columns say the same thing twice, as an intercept
    /// beside all values of a category does, nothing but λ holds the coefficients, and with less of
    /// it their noise would not shrink as ε grows.
    pub sampling_share: f64,
    /// Under a pure budget λ is at least this many times rank/(nε), where a row bends f in `rank`
    /// directions and each is paid for: with less, curvature takes most of ε.
    pub rank_share: f64,
    /// λ is at least this many times the smallest feasible one.
    pub feasible_times: f64,
    /// Past this the model is hardly a model, whatever the noise.
    pub largest: f64,
    /// λ and the noise's variance count this many times as much as for one margin.
    pub scale: f64,
    /// Noise is expected to move a margin by no more than this, as long as a larger λ can do that.
    pub largest_error: Option<f64>,
}

impl LambdaRule {
    /// The rule for losses of a label ±1.
    pub const USUAL: LambdaRule = LambdaRule {
        noise_weight: 300.0,
        much_noise: 3.5e-5,
        dimension_share: 0.04,
        flat_dimension_share: 0.0,
        sampling_share: 0.5,
        rank_share: 0.0,
        feasible_times: 2.0,
        largest: 0.03,
        scale: 1.0,
        largest_error: None,
    };
}
