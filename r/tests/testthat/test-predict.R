test_that("predictions are probabilities, log odds or classes", {
  needs_program()
  model <- seeded()
  new <- patients(5)
  row.names(new) <- letters[1:5]
  link <- predicted(model, new, type = "link")
  expect_identical(names(link), letters[1:5])
  expect_equal(predicted(model, new), stats::plogis(link))
  expect_identical(unname(predicted(model, new, type = "class")), ifelse(link > 0, "yes", "no") |> unname())
  expect_error(predicted(model), "newdata is missing")
  expect_error(predicted(model, new, type = "prob"), "type is one of")
  expect_error(predicted(model, new["age"]), "no column 'stay'")
  expect_error(predicted(model, as.matrix(new["age"])), "newdata is a data frame")
})

test_that("scores of a model that is not private are said not to be", {
  needs_program()
  expect_warning(predict(seeded(), patients(2)), "^this model is NOT PRIVATE, and so are its scores$")
})

test_that("a hinge loss has no probabilities", {
  needs_program()
  model <- seeded(loss = "hinge")
  expect_error(predicted(model, patients(3)), "no probabilities")
  expect_length(predicted(model, patients(3), type = "class"), 3)
})

test_that("what is clipped or undeclared in a fit is so in a prediction", {
  needs_program()
  model <- seeded()
  new <- data.frame(age = c(100, 1000), stay = 1, ward = c("elsewhere", NA))
  expect_identical(predicted(model, new)[[1]], predicted(model, new)[[2]])
})

test_that("a missing number counts as the schema says", {
  needs_program()
  rows <- patients()
  rows$age[1:50] <- NA
  filled <- rows
  filled$age[1:50] <- 40
  fit <- function(rows) {
    suppressWarnings(private_glm(
      readmitted ~ age, rows, columns(age = number(18, 100, missing = 40)), account("p", epsilon = 9), epsilon = 1,
      positive = "yes", negative = "no", seed = 7
    ))
  }
  model <- fit(rows)
  expect_identical(coef(model), coef(fit(filled)))
  both <- predicted(model, data.frame(age = c(NA, 40)))
  expect_identical(both[[1]], both[[2]])
})

test_that("a published file predicts without rows or ledger", {
  needs_program()
  model <- seeded(out = tempfile())
  on.exit(unlink(dirname(model$file), recursive = TRUE))
  read <- read_release(model$file)
  expect_identical(predicted(read, patients(9)), predicted(model, patients(9)))
  expect_error(formula(read), "has no formula")
  saved <- tempfile()
  saveRDS(model, saved)
  expect_identical(predicted(readRDS(saved), patients(9)), predicted(model, patients(9)))
})

test_that("files that are no release are refused", {
  file <- tempfile(fileext = ".json")
  writeLines("{\"format\": \"discretion-model/9\"}", file)
  expect_error(read_release(file), "of format discretion-model/9, which this version")
  writeLines("{}", file)
  expect_error(read_release(file), "neither a model nor a density")
  writeLines("not", file)
  expect_error(read_release(file), "is no JSON")
  expect_error(read_release("gone.json"), "there is no file")
})
