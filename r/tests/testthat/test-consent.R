test_that("the same job is asked about; reuse takes its result, again pays", {
  needs_program()
  payer <- new_account()
  first <- paid(payer)
  expect_error(paid(payer), "say reuse = TRUE to use again.*or say again = TRUE to pay", class = "discretion_refused")
  expect_identical(paid(payer, reuse = TRUE)$json, first$json)
  expect_identical(charges(payer), 1L)
  expect_false(identical(paid(payer, again = TRUE)$json, first$json))
  expect_identical(charges(payer), 2L)
})

test_that("other columns of the same data frame are the same rows", {
  needs_program()
  payer <- new_account()
  paid(payer, readmitted ~ age)
  paid(payer, readmitted ~ stay + ward)
  private_density(~ age, patients(), schema, payer, epsilon = 0.5)
  expect_identical(charges(payer), 3L)
})

test_that("other rows are asked about", {
  needs_program()
  payer <- new_account()
  paid(payer)
  fewer <- patients()[-1, ]
  expect_error(paid(payer, data = fewer), "charged for other rows.*say rows_changed = TRUE", class = "discretion_refused")
  expect_message(paid(payer, data = fewer, rows_changed = TRUE), "the account goes on")
  expect_identical(charges(payer), 2L)
})

test_that("a second account for the same rows is asked about", {
  needs_program()
  payer <- new_account()
  paid(payer)
  second <- account("others", epsilon = 3, ledger = payer$ledger)
  expect_error(paid(second), "Use account\\(\"patients\", ...\\).*say second_account = TRUE")
  expect_warning(
    private_glm(readmitted ~ age, patients(), schema, second, epsilon = 1, positive = "yes", negative = "no",
                intervals = FALSE, second_account = TRUE),
    "two budgets for the same people"
  )
})

test_that("a dry run says the price and charges nothing", {
  needs_program()
  payer <- new_account()
  price <- paid(payer, dry_run = TRUE)
  expect_equal(price, list(cost = 1, left = 2, within = TRUE))
  expect_identical(charges(payer), 0L)
})
