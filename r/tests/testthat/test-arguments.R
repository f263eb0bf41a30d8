# Every method of ours, and something to call it with.
methods_of <- function(model, density) {
  new <- patients(3)
  list(
    predict = function(...) predicted(model, new, ...), coef = function(...) coef(model, ...),
    confint = function(...) confint(model, ...), tidy = function(...) tidy(model, ...),
    glance = function(...) glance(model, ...), nobs = function(...) nobs(model, ...),
    formula = function(...) formula(model, ...), summary = function(...) summary(model, ...),
    print = function(...) print(model, ...), print = function(...) print(summary(model), ...),
    print = function(...) print(density, ...), print = function(...) print(schema, ...),
    print = function(...) print(schema$age, ...), print = function(...) print(new_account(), ...),
    format = function(...) format(schema$age, ...), simulate = function(...) simulate(density, ...),
    as.data.frame = function(...) as.data.frame(density, ...), plot = function(...) plot(model, ...),
    plot = function(...) plot(density, ...)
  )
}

described <- function() {
  suppressWarnings(private_density(~ ward, patients(), schema, account("p", epsilon = 9), epsilon = 1, seed = 7))
}

test_that("an argument that a method does not have is refused", {
  needs_program()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  called <- methods_of(seeded(), described())
  for (i in seq_along(called)) {
    method <- names(called)[i]
    message <- paste0("^", method, "\\(\\) has no argument 'se.fit'; ")
    expect_error(called[[i]](se.fit = TRUE), message, class = "discretion_input_error", info = i)
  }
})

test_that("every method that has dots is among those", {
  ours <- grep("private_|discretion_", ls(asNamespace("discretion"), all.names = TRUE), value = TRUE)
  ours <- Filter(function(name) "..." %in% names(formals(get(name, asNamespace("discretion")))), ours)
  checked <- vapply(ours, function(name) {
    any(c("no_others", "check_graphics") %in% all.names(body(get(name, asNamespace("discretion")))))
  }, TRUE)
  expect_identical(ours[!checked], character())
})

test_that("the nearest name is told", {
  needs_program()
  model <- seeded()
  expect_error(predict(model, patients(3), tpye = "class"), "no argument 'tpye'; did you mean type?", fixed = TRUE)
  expect_error(tidy(model, exponentate = TRUE), "no argument 'exponentate'; did you mean exponentiate?", fixed = TRUE)
  expect_error(coef(model, contrats = FALSE), "did you mean contrasts?", fixed = TRUE)
  expect_error(confint(model, levle = 0.9), "did you mean level?", fixed = TRUE)
  expect_error(simulate(described(), 5, sed = 1), "did you mean seed?", fixed = TRUE)
  expect_error(predict(model, patients(3), "class", 0.5), "an argument without a name that it does not have; it has newdata, type")
  expect_error(plot(model, mian = "effects"), "no argument 'mian'; did you mean main?", fixed = TRUE)
})

test_that("what R itself passes on is not refused", {
  needs_program()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  model <- seeded()
  expect_identical(nobs(model, use.fallback = TRUE), nobs(model))
  expect_identical(names(data.frame(described())), c("ward", "probability"))
  expect_silent(plot(model, main = "effects", col = "grey", cex.axis = 0.8))
  expect_silent(plot(described(), las = 1, col = "grey"))
})

test_that("coef() predicts what predict() predicts, with intervals and without", {
  needs_program()
  new <- data.frame(age = c(20, 70, 70), stay = c(0, 5, 5), ward = c("surgery", "surgery", "oncology"))
  for (intervals in c(TRUE, FALSE)) {
    model <- seeded(intervals = intervals)
    b <- coef(model)
    by_hand <- b[["(Intercept)"]] + b[["age"]] * new$age + b[["ln(1 + stay)"]] * log1p(new$stay) +
      c(0, 0, b[["ward=oncology"]])
    expect_equal(unname(predicted(model, new, "link")), by_hand)
  }
})
