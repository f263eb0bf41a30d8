# Made-up patients, the same on every machine: no random numbers.
patients <- function(rows = 600) {
  i <- seq_len(rows)
  age <- 18 + (i * 37) %% 83
  stay <- (i * i) %% 40 + 0.5
  ward <- c("surgery", "cardiology", "oncology")[i %% 3 + 1]
  score <- age + 10 * (ward == "oncology") + (i * 53) %% 60
  data.frame(id = i, age = age, stay = stay, ward = ward, readmitted = ifelse(score > 100, "yes", "no"))
}

schema <- columns(
  age = number(18, 100),
  stay = number(0, 90, scale = "log"),
  ward = category(c("surgery", "cardiology", "oncology"))
)

# An account in a ledger of its own. It is in R's temporary folder, which goes when R ends.
new_account <- function(epsilon = 3) {
  account("patients", epsilon = epsilon, ledger = file.path(tempfile("ledger-"), "ledger.sqlite"))
}

charges <- function(account) sum(history(account)$kind == "charged")

# Under CI a missing program is a mistake, and the tests fail for want of it.
needs_program <- function() {
  if (nzchar(Sys.getenv("CI"))) return(invisible())
  found <- tryCatch(discretion_program(), discretion_no_program = function(error) NULL)
  if (is.null(found)) testthat::skip("the program discretion is not here; say where with DISCRETION_BINARY")
}

# A model under a seed, so that nothing is charged and tests repeat.
seeded <- function(formula = readmitted ~ age + stay + ward, data = patients(), ..., epsilon = 5) {
  suppressWarnings(private_glm(
    formula, data, schema, account("patients", epsilon = 100), epsilon = epsilon,
    positive = "yes", negative = "no", ..., seed = 7
  ), classes = "discretion_warning")
}

# Its predictions, without the warning that they are not private.
predicted <- function(...) suppressWarnings(predict(...), classes = "discretion_warning")

# A model that is paid for.
paid <- function(account, formula = readmitted ~ age, data = patients(), ..., epsilon = 1) {
  suppressWarnings(private_glm(
    formula, data, schema, account, epsilon = epsilon, positive = "yes", negative = "no", ...
  ), classes = "discretion_warning")
}

# Runs code with a program of our own in the place of the real one: the lines of a shell script.
with_program <- function(lines, code) {
  path <- tempfile("program-")
  writeLines(c("#!/bin/sh", lines), path)
  Sys.chmod(path, "0755")
  before <- options(discretion.program = path)
  on.exit(options(before))
  force(code)
}
