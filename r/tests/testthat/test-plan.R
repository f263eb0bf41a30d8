test_that("a plan reads no rows and spends nothing", {
  needs_program()
  payer <- new_account()
  little <- plan(readmitted ~ ., rows = 1000, schema, payer, epsilon = 1, lambda = 0.01)
  much <- plan(readmitted ~ ., rows = 1e6, schema, payer, epsilon = 1, lambda = 0.01)
  error <- function(plan) plan$content$mechanisms[[1]]$expected_error
  expect_lt(error(much), error(little))
  expect_identical(much$content$dimension, 6L)
  expect_identical(much$content$fits$runs, 3L)
  expect_output(print(much), "1,000,000")
  expect_false(file.exists(payer$ledger))
  expect_error(plan(readmitted ~ ., rows = "many", schema, payer, epsilon = 1), "rows is one number above 0")
})
