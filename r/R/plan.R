#' What a budget buys
#'
#' Says, from public numbers alone, how large the noise will be. No row is read, and nothing is spent.
#'
#' @inheritParams private_glm
#' @param rows The number of rows.
#' @return A plan. Printed, it is the text of the program; `$content` has its numbers: `mechanisms` with their
#'   `expected_error` for each encoded coefficient, `lambda`, and `fits`, how many such runs the account's cap allows.
#' @examples
#' \dontrun{
#' plan(readmitted ~ ., rows = 50000, schema, account("patients", epsilon = 3), epsilon = 1)
#' }
#' @export
plan <- function(formula, rows, schema, account, epsilon = NULL, delta = NULL, rho = NULL, lambda = "auto",
                 intervals = TRUE, level = 0.95, loss = c("logistic", "hinge"),
                 method = c("auto", "objective", "output"), tune = list()) {
  check_number("rows", rows, above = 0)
  outcome <- outcome_of(formula)
  study <- study_lines(
    # A plan does not depend on what counts as positive, and a study must say it.
    outcome = outcome_values(outcome, "yes", "no"),
    account = account,
    spend = spending(account, epsilon, delta, rho),
    columns = columns_of(formula, schema, outcome),
    model = model_settings(lambda, loss, method),
    tune = tune_settings(tune),
    intervals = interval_settings(intervals, level)
  )
  flags <- c("--rows", format(rows, scientific = FALSE), ledger_flag(account))
  run <- function(...) run_job("plan", one_line(formula), study, NULL, NULL, c(flags, ...))
  structure(list(content = from_json(run("--json")), text = run()), class = "private_plan")
}

#' @export
print.private_plan <- function(x, ...) {
  no_others("print", ...)
  cat(x$text)
  invisible(x)
}
