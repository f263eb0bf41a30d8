#' Fit a private model
#'
#' Logistic regression, or a support vector machine, with noise for differential privacy. The run is charged to the
#' account before anything is computed; an argument or a row that is wrong is refused before that, and costs nothing.
#' Everything in the result may be published.
#'
#' `lambda = "auto"` is computed from public numbers and is the best choice on nearly every table. From several numbers
#' one is chosen privately, out of the same budget.
#'
#' The rows are written to a file in R's temporary folder that only you can read, and the file is removed when the call
#' ends. `NA` is an empty field there: see [columns()] for what it counts as.
#'
#' Give the same data frame each time, and choose columns in the formula. The ledger recognises rows by the whole table,
#' and asks about another one (`rows_changed`).
#'
#' @param formula The outcome and the columns, such as `readmitted ~ age + ward`; `.` stands for all of the schema.
#'   Columns are used as they are: no interactions, no functions.
#' @param data The rows, one for each person: a data frame.
#' @param schema What is public about the columns: [columns()].
#' @param account Who pays: an [account()].
#' @param epsilon,delta,rho What this run spends: epsilon, epsilon with delta, or rho.
#' @param positive,negative The values of the outcome that count as positive and as negative. `negative = "any other"`
#'   takes every other value. A value that is neither is an error.
#' @param lambda The strength of the regularisation: `"auto"`, a number, or several to choose from privately.
#' @param intervals Whether to spend a part of the budget on confidence intervals.
#' @param level Their level.
#' @param largest_effect No effect is larger than this, in log odds for half the range of a number or for a category: what is
#'   known beforehand, never what the rows say. Where rows and budget say little, intervals rest on it.
#' @param loss `"logistic"`, or `"hinge"` for a support vector machine.
#' @param method Where the noise goes in: `"auto"`, `"objective"` or `"output"`.
#' @param tune How to choose from several `lambda`: a list with `rule`, `score`, `share` and `validation`.
#' @param out The folder for `model.json` and `report.html`. By default a new one in `releases` beside the ledger, or in
#'   R's data directory of the user if no ledger was named.
#' @param rows_changed `TRUE`: these are newer rows of the account's table. People in both versions pay twice.
#' @param second_account `TRUE`: these rows have another account already, and get a second budget.
#' @param again `TRUE`: pay for this very job again, for another result.
#' @param reuse `TRUE`: if this very job was done on these rows before, take its result, for nothing.
#' @param dry_run `TRUE`: only say what the run would cost. Nothing is charged.
#' @param seed A number for repeatable noise, in tests: the result is NOT PRIVATE, and nothing is charged.
#' @return A model of class `private_glm`, with methods for [print()], [summary()], [coef()], [confint()], [tidy()],
#'   [predict()] and [plot()]. `$content` is all of `model.json`, `$file` its path, and `$report` the path of the page
#'   for a review board. With `dry_run` the price, as a list.
#' @examples
#' \dontrun{
#' model <- private_glm(
#'   readmitted ~ age + ward, patients,
#'   schema = columns(age = number(18, 100), ward = category(c("surgery", "cardiology"))),
#'   account = account("patients", epsilon = 3), epsilon = 1,
#'   positive = "yes", negative = "no"
#' )
#' summary(model)
#' }
#' @export
private_glm <- function(formula, data, schema, account, epsilon = NULL, delta = NULL, rho = NULL, positive, negative,
                        lambda = "auto", intervals = TRUE, level = 0.95, loss = c("logistic", "hinge"),
                        method = c("auto", "objective", "output"), tune = list(), out = NULL, rows_changed = FALSE,
                        second_account = FALSE, again = FALSE, reuse = FALSE, dry_run = FALSE, seed = NULL, largest_effect = 4) {
  outcome <- outcome_of(formula)
  used <- columns_of(formula, schema, outcome)
  check_table(data, c(outcome, names(used)))
  check_codes(data, c(outcome, categories_of(used)))
  settings <- list(
    outcome = outcome_values(outcome, positive, negative),
    account = account,
    spend = spending(account, epsilon, delta, rho),
    columns = used,
    dropped = setdiff(names(data), c(outcome, names(used))),
    model = model_settings(lambda, loss, method),
    tune = tune_settings(tune),
    intervals = interval_settings(intervals, level, largest_effect)
  )
  flags <- c(consent_flags(rows_changed, second_account, again, reuse), seed_flag(seed), ledger_flag(account))
  check_flag("dry_run", dry_run)
  run <- function(...) {
    study <- do.call(study_lines, settings)
    run_job("fit", one_line(formula), study, data, c(outcome, names(used)), c(flags, ...))
  }
  if (dry_run) return(from_json(run("--json", "--dry-run"))[c("cost", "left", "within")])
  model <- released(release_folder(out, account, "fit", seed), "model.json", seed, run)
  model$formula <- formula
  model
}

one_line <- function(formula) paste(trimws(deparse(formula)), collapse = " ")

outcome_values <- function(outcome, positive, negative) {
  if (missing(positive) || missing(negative)) {
    fail("say which values of '", outcome, "' count: positive = \"yes\", negative = \"no\"")
  }
  for (values in list(positive, negative)) {
    if (!is_plain(values) || length(values) == 0 || anyNA(values)) {
      fail("positive and negative are values of '", outcome, "', not ", shown(values))
    }
  }
  list(target = outcome, positive = text_of(positive), negative = text_of(negative))
}

model_settings <- function(lambda, loss, method) {
  fine <- identical(lambda, "auto") || (is.numeric(lambda) && length(lambda) > 0 && all(is.finite(lambda) & lambda > 0))
  if (!fine) fail("lambda is \"auto\" or numbers above 0, not ", shown(lambda))
  list(
    lambda = lambda,
    loss = one_of("loss", loss, c("logistic", "hinge")),
    method = one_of("method", method, c("auto", "objective", "output"))
  )
}

tune_settings <- function(tune) {
  known <- c("rule", "score", "share", "validation")
  if (!is.list(tune) || length(setdiff(names(tune), known)) > 0 || length(tune) != length(names(tune))) {
    fail("tune is a list with some of ", paste(known, collapse = ", "), ", not ", shown(tune))
  }
  tune
}

interval_settings <- function(intervals, level, largest_effect = 4) {
  check_flag("intervals", intervals)
  check_number("largest_effect", largest_effect, above = 0)
  check_number("level", level, above = 0)
  if (level >= 1) fail("level is below 1, such as 0.95, not ", text_of(level))
  if (intervals) list(level = level, largest_effect = largest_effect)
}
