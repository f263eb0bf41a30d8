# One seed, one table: R and the command line release the same file, byte for byte.

# Study and table are written by hand here, and not by the package.
command_line <- function(spend, model, budget = "epsilon = 100\n", intervals = "[intervals]\nlevel = 0.95\n") {
  folder <- tempfile("study-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  writeLines(c(
    "[data]", "path = \"t.csv\"", "account = \"patients\"", "target = \"readmitted\"",
    "positive = \"yes\"", "negative = \"no\"",
    "[budget]", budget, "[spend]", spend,
    "[columns]", "age = { min = 18, max = 100 }", "stay = { min = 0, max = 90, scale = \"log\" }",
    "ward = { values = [\"surgery\", \"cardiology\", \"oncology\"] }", "id = { drop = true }",
    "[model]", model, intervals
  ), file.path(folder, "study.toml"))
  utils::write.csv(patients(), file.path(folder, "t.csv"), row.names = FALSE)
  args <- c("fit", file.path(folder, "study.toml"), "--seed", "7", "--out", file.path(folder, "out"))
  expect_identical(system2(discretion_program(), shQuote(args), stdout = FALSE, stderr = FALSE), 0L)
  readChar(file.path(folder, "out", "seeded-model.json"), 1e6)
}

test_that("R and the command line release the same model", {
  needs_program()
  expect_identical(seeded()$json, command_line("epsilon = 5", ""))
  expect_identical(seeded(lambda = 0.01)$json, command_line("epsilon = 5", "lambda = 0.01"))
  expect_identical(seeded(intervals = FALSE)$json, command_line("epsilon = 5", "", intervals = ""))
  expect_identical(seeded(level = 0.9)$json, command_line("epsilon = 5", "", intervals = "[intervals]\nlevel = 0.9"))
  expect_identical(seeded(loss = "hinge")$json, command_line("epsilon = 5", "loss = \"hinge\""))
  expect_identical(seeded(method = "output")$json, command_line("epsilon = 5", "method = \"output\""))
  expect_identical(
    seeded(lambda = c(0.01, 0.1), tune = list(rule = "uniform", share = 0.5))$json,
    command_line("epsilon = 5", "lambda = [0.01, 0.1]\n[tune]\nrule = \"uniform\"\nshare = 0.5")
  )
})

test_that("delta and rho are passed on", {
  needs_program()
  fit <- function(...) {
    suppressWarnings(private_glm(
      readmitted ~ ., patients(), schema, ..., positive = "yes", negative = "no", seed = 7
    ))
  }
  expect_identical(
    fit(account("patients", epsilon = 100, delta = 1e-4), epsilon = 5, delta = 1e-6)$json,
    command_line("epsilon = 5\ndelta = 1e-6", "", budget = "epsilon = 100\ndelta = 1e-4")
  )
  expect_identical(
    fit(account("patients", rho = 9), rho = 5)$json,
    command_line("rho = 5", "", budget = "rho = 9")
  )
})

test_that("coefficients are the numbers of the file", {
  needs_program()
  model <- seeded()
  file <- jsonlite::fromJSON(command_line("epsilon = 5", ""))$coefficients
  coef <- function(...) stats::coef(..., trained = TRUE)
  expect_identical(unname(coef(model, contrasts = FALSE)), file$per_unit)
  compared <- !is.na(file$effect$against)
  expect_identical(unname(coef(model)[file$name[compared]]), file$effect$value[compared])
  expect_identical(unname(coef(model)["age"]), file$per_unit[file$name == "age"])
  expect_identical(unname(stats::coef(model, trained = FALSE)["age"]), file$per_unit_interval$estimate[file$name == "age"])
})

test_that("without noise the program says what glm says, with robust errors", {
  needs_program()
  folder <- tempfile("study-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  i <- seq_len(900)
  table <- data.frame(age = 20 + (i * 37) %% 60, dose = (i * 53) %% 91 / 10)
  table$y <- as.integer(table$age + 4 * table$dose + (i * i) %% 80 > 105)
  utils::write.csv(table, file.path(folder, "t.csv"), row.names = FALSE)
  writeLines(c(
    "[data]", "path = \"t.csv\"", "account = \"patients\"", "target = \"y\"", "positive = \"1\"", "negative = \"0\"",
    "[budget]", "epsilon = 1", "[spend]", "epsilon = 1", "[columns]", "age = { min = 0, max = 100 }",
    "dose = { min = 0, max = 10 }"
  ), file.path(folder, "study.toml"))
  args <- c("fit", file.path(folder, "study.toml"), "--not-private", "--out", file.path(folder, "out"))
  expect_identical(system2(discretion_program(), shQuote(args), stdout = FALSE, stderr = FALSE), 0L)
  found <- jsonlite::fromJSON(file.path(folder, "out", "not-private-model.json"))$coefficients
  ordinary <- stats::glm(y ~ age + dose, stats::binomial(), table)
  # HC0 by hand: the sandwich of the score's products between two inverses of the information.
  scores <- stats::model.matrix(ordinary) * (table$y - stats::fitted(ordinary))
  bread <- stats::vcov(ordinary)
  errors <- sqrt(diag(bread %*% crossprod(scores) %*% bread))
  expect_equal(found$per_unit, unname(stats::coef(ordinary)), tolerance = 1e-4)
  expect_equal(found$per_unit_interval$sampling_deviation, unname(errors), tolerance = 1e-4)
})
