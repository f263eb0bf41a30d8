test_that("coefficients reproduce the program's predictions", {
  needs_program()
  model <- seeded()
  new <- data.frame(age = c(20, 70, 70), stay = c(0, 5, 5), ward = c("surgery", "surgery", "oncology"))
  b <- coef(model)
  by_hand <- b[["(Intercept)"]] + b[["age"]] * new$age + b[["ln(1 + stay)"]] * log1p(new$stay) +
    c(0, 0, b[["ward=oncology"]])
  expect_equal(unname(predicted(model, new, "link")), by_hand)
  all <- coef(model, contrasts = FALSE)
  expect_equal(b[["ward=oncology"]], all[["ward=oncology"]] - all[["ward=surgery"]])
  expect_equal(b[["(Intercept)"]], all[["(Intercept)"]] + all[["ward=surgery"]])
})

test_that("tidy() is broom's table", {
  needs_program()
  model <- seeded()
  table <- tidy(model)
  expect_identical(names(table), c("term", "estimate", "std.error", "p.value", "conf.low", "conf.high"))
  expect_identical(table$term, names(coef(model)))
  known <- table[-1, ]
  expect_true(all(known$conf.low < known$estimate & known$estimate < known$conf.high))
  # What the penalty takes is given back beside intervals, and only there.
  expect_false(isTRUE(all.equal(coef(model), coef(model, trained = FALSE))))
  expect_identical(table$estimate, unname(coef(model, trained = FALSE)))
  expect_identical(coef(seeded(intervals = FALSE)), coef(seeded(intervals = FALSE), trained = FALSE))
  expect_true(all(known$std.error > 0 & known$p.value >= 0 & known$p.value <= 1))
  # A moved intercept has no interval in the file.
  expect_true(all(is.na(table[1, 3:6])))
  expect_false(anyNA(tidy(model, contrasts = FALSE)))
  expect_false(anyNA(tidy(seeded(readmitted ~ age + stay))))
  odds <- tidy(model, exponentiate = TRUE)
  expect_equal(odds$estimate, exp(table$estimate))
  expect_equal(odds$conf.low, exp(table$conf.low))
  expect_identical(names(tidy(model, conf.int = FALSE)), names(table)[1:4])
  expect_error(tidy(model, conf.level = 0.9), "of level 0.95")
})

test_that("confint() has the coefficients' names", {
  needs_program()
  model <- seeded(level = 0.9)
  expect_identical(dimnames(confint(model)), list(names(coef(model)), c("5 %", "95 %")))
  expect_identical(confint(model, "age")[1, ], confint(model)["age", ])
  expect_error(confint(model, level = 0.95), "of level 0.9")
  expect_error(confint(seeded(intervals = FALSE)), "no intervals: fit it with intervals = TRUE")
})

test_that("the generics package finds our methods, and we find its", {
  needs_program()
  skip_if_not_installed("generics")
  model <- seeded()
  # From outside, where only what was registered is found.
  outside <- list2env(list(model = model), parent = globalenv())
  expect_identical(eval(quote(generics::tidy(model)), outside), tidy(model))
  expect_identical(eval(quote(generics::glance(model)), outside), glance(model))
  registerS3method("tidy", "of_this_test", function(x, ...) "found", envir = asNamespace("generics"))
  expect_identical(tidy(structure(1, class = "of_this_test")), "found")
})

test_that("a model is printed with its promise", {
  needs_program()
  model <- paid(new_account(), readmitted ~ age + ward)
  expect_output(print(model), "= 1: replacing any one row.*Formula: readmitted ~ age \\+ ward")
  expect_output(print(summary(model)), "Paid by account 'patients', charge 2.*\\(privacy\\).*95 % intervals.*report.html")
  expect_output(print(seeded()), "NOT PRIVATE")
  expect_identical(nobs(model), 600L)
  expect_identical(formula(model), readmitted ~ age + ward)
  expect_identical(glance(model)[c("nobs", "epsilon", "private")], data.frame(nobs = 600L, epsilon = 1, private = TRUE))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(model)$term, c("age", "ward=cardiology", "ward=oncology"))
})

test_that("what no row speaks of has an interval and no estimate", {
  needs_program()
  wider <- columns(age = number(18, 100), ward = category(c("surgery", "cardiology", "oncology", "never")))
  model <- suppressWarnings(private_glm(
    readmitted ~ age + ward, patients(3000), wider, account("patients", epsilon = 100, delta = 1e-5), epsilon = 8, delta = 1e-6,
    positive = "yes", negative = "no", largest_effect = 2, seed = 7
  ), classes = "discretion_warning")
  expect_true(is.na(coef(model, trained = FALSE)[["ward=never"]]))
  expect_false(anyNA(coef(model)))
  expect_identical(is.na(tidy(model)$estimate), names(coef(model)) == "ward=never")
  expect_gt(confint(model)["ward=never", 2], 1)
  wide <- options(width = 200)
  on.exit(options(wide))
  shown <- utils::capture.output(print(summary(model)))
  expect_true("Not estimable, only the declared bound speaks: ward=never" %in% shown)
  expect_true(any(grepl("^Told from 0: age", shown)))
  # Shares of the width, in percent.
  expect_true(any(grepl("^ward=never +NA .*[0-9] % +[0-9]+ % +[0-9]+ % ", shown)))
  expect_true(any(grepl("(sampling) (privacy) (bound)", gsub(" +", " ", shown), fixed = TRUE)))
})
