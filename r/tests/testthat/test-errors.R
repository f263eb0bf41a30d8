test_that("a missing program is named, with what to do", {
  before <- options(discretion.program = "/nowhere/discretion")
  on.exit(options(before))
  expect_error(paid(new_account()), "was not found at /nowhere/discretion.*options\\(discretion.program",
               class = "discretion_no_program")
})

test_that("a spent budget is refused, with what would fit", {
  needs_program()
  payer <- new_account(epsilon = 1.5)
  paid(payer)
  expect_error(paid(payer, readmitted ~ age + stay), "cannot pay for this.*epsilon = 0.5 would fit",
               class = "discretion_refused")
  expect_equal(spent(payer), c(spent = 1, left = 0.5, cap = 1.5))
  # No folder is left by the run that was refused.
  expect_length(list.files(file.path(dirname(payer$ledger), "releases")), 1)
})

test_that("a spend above the cap is refused in R's words", {
  needs_program()
  expect_error(paid(new_account(1), epsilon = 2), "^what this run spends is .* = 2, more than the .* = 1 of account")
})

test_that("wrong columns are named", {
  payer <- new_account()
  expect_error(paid(payer, readmitted ~ age + bmi), "column 'bmi' is in the formula and not in the schema: add bmi = number")
  expect_error(paid(payer, readmitted ~ age, patients()[-2]), "the data frame has no column 'age'; it has id, stay")
  expect_error(paid(payer, died ~ age), "the data frame has no column 'died'")
  wrong <- patients()
  wrong$age <- as.Date(wrong$age, origin = "2000-01-01")
  expect_error(paid(payer, data = wrong), "column 'age' is of class Date: turn it into numbers")
})

test_that("a wrong row is named by its number", {
  needs_program()
  payer <- new_account()
  wrong <- patients()
  wrong$readmitted[12] <- "maybe"
  wrong$id[3] <- "a name\nin two lines"
  expect_error(paid(payer, data = wrong), "^row 12 of the data: .*\"maybe\".*list it in positive = or negative =")
  wrong <- patients()
  wrong$age[5] <- Inf
  expect_error(paid(payer, data = wrong), "^row 5 of the data: column `age`")
  wrong$age[5] <- 50
  wrong$readmitted[5] <- NA
  expect_error(paid(payer, data = wrong), "^row 5 of the data: .*missing.* in positive = or negative =")
  expect_error(paid(payer, data = patients(0)), "^the table has no rows")
  expect_identical(charges(payer), 0L)
})

test_that("wrong arguments are refused before anything is charged", {
  needs_program()
  payer <- new_account()
  wrong <- list(
    list(epsilon = "1"), list(epsilon = c(1, 2)), list(epsilon = -1), list(epsilon = NULL), list(rho = 1),
    list(delta = 0), list(lambda = "best"), list(lambda = -1), list(intervals = 0.9), list(level = 95),
    list(loss = "probit"), list(method = "auto "), list(tune = list(rules = 1)), list(tune = "uniform"),
    list(reuse = "yes"), list(reuse = TRUE, again = TRUE), list(out = 1), list(seed = "x"), list(dry_run = NA)
  )
  for (arguments in wrong) {
    given <- list(readmitted ~ age, patients(), schema, payer, epsilon = 1, positive = "yes", negative = "no")
    given[names(arguments)] <- arguments
    expect_error(do.call(private_glm, given), class = "discretion_input_error", info = names(arguments))
  }
  expect_error(private_glm(readmitted ~ age, patients(), schema, payer, epsilon = 1), "say which values of 'readmitted' count")
  expect_error(private_glm(readmitted ~ age, patients(), schema, "patients", epsilon = 1, positive = 1, negative = 0),
               "account is made with account")
  expect_error(private_glm(readmitted ~ age, patients(), list(age = c(18, 100)), payer, epsilon = 1, positive = 1, negative = 0),
               "schema is made with columns")
  expect_error(paid(payer, penalty = 1), "unused argument")
  expect_identical(charges(payer), 0L)
})

test_that("a failure after the charge is of its own class", {
  script <- c("echo 'error: the disk is full; charge 2 stays in the ledger' >&2", "exit 3")
  expect_error(with_program(script, paid(new_account())), "charge 2 stays in the ledger; look at history",
               class = "discretion_failed_after_charge")
})

test_that("a program that dies without a word is told", {
  expect_error(with_program("exit 9", paid(new_account())), "ended with code 9", class = "discretion_failed_after_charge")
})
