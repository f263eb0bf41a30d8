test_that("values have one text", {
  expect_identical(text_of(c(0.1, 1, 100000, -2.5, NA)), c("0.1", "1", "100000", "-2.5", NA))
  numbers <- c(1 / 3, pi * 1e10, .Machine$double.eps, 2^53 + 2)
  expect_identical(as.numeric(text_of(numbers)), numbers)
  expect_identical(text_of(factor(c("b", "a"))), c("b", "a"))
  expect_identical(text_of(c(TRUE, NA)), c("TRUE", NA))
})

test_that("a table is written whole, and NA is an empty field", {
  file <- tempfile()
  on.exit(unlink(file))
  data <- data.frame(n = c(1.5, NA), s = c("say \"hi\"\nthere", NA), f = factor(c("x", "y")), check.names = FALSE)
  data[["d, e"]] <- as.Date(c("2026-01-02", NA))
  write_table(data, c("n", "s", "f"), file)
  expect_identical(readLines(file), c("\"n\",\"s\",\"f\",\"d, e\"", "1.5,\"say \"\"hi\"\" there\",\"x\",\"2026-01-02\"", ",,\"y\","))
  write_table(data["n"], "n", file)
  expect_identical(readLines(file), c("\"n\"", "1.5", "\"\""))
  names(data)[2] <- "n"
  expect_error(write_table(data, "n", file), "two columns 'n'")
  expect_error(write_table(list(n = 1), "n", file), "data is a data frame")
})

test_that("texts of any language and odd names arrive", {
  needs_program()
  rows <- patients()
  ward <- c("chirurgie", "h\u00e9matologie", "\u653e\u5c04\u79d1 \"A\\B\"")
  # R itself has no such names in a locale without them; texts it has everywhere.
  name <- if (l10n_info()[["UTF-8"]]) "Station, gr\u00f6\u00dfe" else "Station, size"
  rows[[name]] <- ward[match(rows$ward, c("surgery", "cardiology", "oncology"))]
  plain <- seeded(readmitted ~ ward, rows)
  odd <- suppressWarnings(private_glm(
    stats::reformulate(sprintf("`%s`", name), "readmitted"), rows,
    do.call(columns, stats::setNames(list(category(ward)), name)),
    account("patients", epsilon = 100), epsilon = 5, positive = "yes", negative = "no", seed = 7
  ))
  expect_identical(unname(coef(odd)), unname(coef(plain)))
  expect_identical(unname(predicted(odd, rows[1:9, ])), unname(predicted(plain, rows[1:9, ])))
})

test_that("outcomes may be logical, numbers or factors", {
  needs_program()
  rows <- patients()
  fit <- function(outcome, positive, negative) {
    rows$readmitted <- outcome
    suppressWarnings(private_glm(
      readmitted ~ age, rows, schema, account("p", epsilon = 9), epsilon = 1,
      positive = positive, negative = negative, seed = 7
    ))
  }
  yes <- rows$readmitted == "yes"
  expected <- coef(fit(rows$readmitted, "yes", "no"))
  expect_identical(coef(fit(yes, TRUE, FALSE)), expected)
  expect_identical(coef(fit(as.numeric(yes), 1, 0)), expected)
  expect_identical(coef(fit(factor(rows$readmitted), "yes", "any other")), expected)
  expect_identical(coef(fit(ifelse(yes, "dead", "well"), c("dead", "worse"), "well")), expected)
})

test_that("only the owner can read the rows, and they do not stay", {
  skip_on_os("windows")
  seen <- tempfile()
  script <- c(paste("pwd >", shQuote(seen)), paste("stat -c '%a %n' . * >>", shQuote(seen)), "exit 2")
  expect_error(with_program(script, paid(new_account())), "ended with code 2")
  lines <- readLines(seen)
  expect_true("700 ." %in% lines && "600 rows.csv" %in% lines && "600 readmitted ~ age.toml" %in% lines)
  expect_false(dir.exists(lines[1]))
})

test_that("codes that R's numbers cannot tell apart are refused", {
  needs_program()
  rows <- patients()
  rows$ward <- 2^53 + 2 * (seq_len(nrow(rows)) %% 3)
  coded <- function(rows) {
    suppressWarnings(private_glm(
      readmitted ~ ward, rows, columns(ward = category(c("9007199254740992", "9007199254740994"))), account("p", epsilon = 9),
      epsilon = 5, positive = "yes", negative = "no", seed = 7
    ))
  }
  expect_error(coded(rows), "column 'ward' is compared with codes, and has a number of 2^53 or more", fixed = TRUE)
  texts <- rows
  texts$ward <- sprintf("%.0f", rows$ward)
  model <- coded(texts)
  expect_error(predicted(model, rows), "column 'ward' is compared with codes")
  expect_length(predicted(model, texts), nrow(rows))
  expect_error(category(2^53), "write codes of 2^53 or more as texts", fixed = TRUE)
  rows$ward <- "surgery"
  rows$readmitted <- 2^53
  expect_error(seeded(readmitted ~ ward, rows), "column 'readmitted' is compared with codes")
})
