# A model of several classes is made by the command line, and read here.
classes_model <- function(more = character()) {
  folder <- tempfile("classes-")
  dir.create(folder)
  rows <- patients()
  rows$stage <- c("none", "mild", "severe")[findInterval(rows$age + (rows$id * 53) %% 60, c(0, 70, 110))]
  utils::write.csv(rows[c("age", "ward", "stage")], file.path(folder, "t.csv"), row.names = FALSE)
  writeLines(c(
    "[data]", 'path = "t.csv"', 'account = "t"', 'target = "stage"', 'classes = ["none", "mild", "severe"]',
    "[budget]", "epsilon = 100", "[spend]", "epsilon = 50", "[columns]", "age = { min = 18, max = 100 }",
    'ward = { values = ["surgery", "cardiology", "oncology"] }', more
  ), file.path(folder, "study.toml"))
  study <- file.path(folder, "study.toml")
  out <- file.path(folder, "out")
  said <- system2(discretion_program(), c("fit", study, "--seed", "7", "--out", out), stdout = TRUE, stderr = TRUE)
  expect_null(attr(said, "status"))
  read_release(file.path(out, "seeded-model.json"))
}

test_that("a model of several classes has lines for each", {
  needs_program()
  model <- classes_model()
  table <- tidy(model)
  expect_identical(names(table)[1:3], c("y.level", "term", "estimate"))
  expect_identical(unique(table$y.level), c("none", "mild", "severe"))
  expect_true(all(is.na(table$conf.low)))
  age <- table$estimate[table$term == "age"]
  expect_true(age[1] < age[2] && age[2] < age[3])
  expect_identical(length(coef(model)), nrow(table))
})

test_that("with intervals each class is compared with the reference", {
  needs_program()
  model <- classes_model(c("[intervals]", 'reference = "mild"'))
  table <- tidy(model)
  expect_identical(unique(table$y.level), c("none", "severe"))
  known <- table[table$term == "age", ]
  expect_true(all(known$conf.low < known$estimate & known$estimate < known$conf.high & known$std.error > 0))
  expect_true(known$estimate[1] < 0 && known$estimate[2] > 0)
})
